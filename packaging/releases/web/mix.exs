# A web service of Elixir on OTP's own web server, made into a release by `mix release`.
defmodule Web.MixProject do
  use Mix.Project

  def project do
    [app: :web, version: "0.1.0", elixir: "~> 1.14", deps: [], releases: [web: []]]
  end

  def application, do: [extra_applications: [:logger, :inets], mod: {Web.Application, []}]
end
