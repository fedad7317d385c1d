defmodule Svc.Application do
  use Application

  def start(_type, _args) do
    Supervisor.start_link([{Svc.Counter, 0}], strategy: :one_for_one, name: Svc.Supervisor)
  end
end

defmodule Svc.Counter do
  use GenServer

  def start_link(n), do: GenServer.start_link(__MODULE__, n, name: __MODULE__)
  def init(n), do: {:ok, n}
  def handle_call(:next, _from, n), do: {:reply, n, n + 1}
  def next, do: GenServer.call(__MODULE__, :next)

  # What the service sees of the machine that it runs on.
  def machine do
    {:erlang.system_info(:otp_release), :erlang.system_info(:version), :code.root_dir(), :init.get_argument(:progname),
     :init.get_argument(:boot), :code.which(:init), Application.get_env(:svc, :port), :init.get_plain_arguments()}
  end

  def vm do
    try do
      :erlang.system_info({:ferl, :memory_guard})
      "ferl"
    rescue
      ArgumentError -> "stock"
    end
  end
end
