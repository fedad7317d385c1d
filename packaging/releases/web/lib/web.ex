defmodule Web.Application do
  use Application

  def start(_type, _args) do
    Supervisor.start_link([{Agent, fn -> 0 end} |> named(Web.Visits), server()], strategy: :one_for_one)
  end

  defp named({module, start}, name) do
    %{id: name, start: {module, :start_link, [start, [name: name]]}}
  end

  defp server do
    options = [
      port: String.to_integer(System.get_env("PORT", "4000")),
      bind_address: {127, 0, 0, 1},
      server_name: ~c"web",
      server_root: ~c"/",
      document_root: ~c"/",
      modules: [Web.Page]
    ]

    %{id: :server, type: :supervisor, start: {:inets, :start, [:httpd, options, :stand_alone]}}
  end
end

defmodule Web.Page do
  require Record
  Record.defrecordp(:mod, Record.extract(:mod, from_lib: "inets/include/httpd.hrl"))

  # How OTP's web server calls a module of its pages.
  def unquote(:do)(request) do
    visit = Agent.get_and_update(Web.Visits, &{&1, &1 + 1})
    body = "visit #{visit} of #{mod(request, :request_uri)} on OTP #{System.otp_release()}\n"
    head = [code: 200, content_type: ~c"text/plain", content_length: ~c"#{byte_size(body)}"]
    {:proceed, [response: {:response, head, String.to_charlist(body)}]}
  end
end
