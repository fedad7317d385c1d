# A small service, made into a release by `mix release`. SVC_ERTS names the folder erts to be taken; with SVC_REBOOT the
# node is booted again with the configuration that config/runtime.exs comes to.
defmodule Svc.MixProject do
  use Mix.Project

  def project do
    erts = System.get_env("SVC_ERTS") || true
    reboot = System.get_env("SVC_REBOOT") != nil
    release = [include_erts: erts, reboot_system_after_config: reboot]
    [app: :svc, version: "0.1.0", elixir: "~> 1.14", deps: [], releases: [svc: release]]
  end

  def application, do: [extra_applications: [:logger], mod: {Svc.Application, []}]
end
