# Processes of Elixir's own sorts, for the experiments of `lives.erl`, `supervised.erl` and `elixir_forms.erl`.

defmodule :lab_genserver do
  # A GenServer whose state is a map of three keys.
  use GenServer

  def start(key) do
    {:ok, pid} = GenServer.start_link(__MODULE__, key)
    pid
  end

  def call(key, pid) do
    {^key, _} = GenServer.call(pid, {:add, key})
    :ok
  end

  @impl true
  def init({counter, key}) do
    :counters.add(counter, 1, 1)
    init(key)
  end

  def init(key), do: {:ok, %{key: key, sum: 0, last: nil}}

  @impl true
  def handle_call({:add, more}, from, %{key: key, sum: sum} = state) do
    {:reply, {key, sum}, %{state | sum: sum + more, last: from}}
  end
end

defmodule :lab_agent do
  # An Agent that holds such a map.
  def start(key) do
    {:ok, pid} = Agent.start_link(fn -> %{key: key, sum: 0, last: nil} end)
    pid
  end

  def call(key, pid) do
    {^key, _} = Agent.get_and_update(pid, fn state -> {{state.key, state.sum}, %{state | sum: state.sum + key}} end)
    :ok
  end
end

defmodule :lab_registered do
  # A GenServer that is found by its name in a Registry.
  def start(key) do
    if Process.whereis(:lab_names) == nil do
      {:ok, _} = Registry.start_link(keys: :unique, name: :lab_names, partitions: System.schedulers_online())
    end

    {:ok, pid} = GenServer.start_link(:lab_genserver, key, name: name(key))
    pid
  end

  def call(key, _pid) do
    {^key, _} = GenServer.call(name(key), {:add, key})
    :ok
  end

  defp name(key), do: {:via, Registry, {:lab_names, key}}
end

defmodule :lab_supervisor do
  # A DynamicSupervisor of such GenServers.
  def start, do: DynamicSupervisor.start_link(strategy: :one_for_one, max_restarts: 10_000_000, max_seconds: 1)

  def start_child(supervisor, counter, key) do
    DynamicSupervisor.start_child(supervisor, %{
      id: :child,
      start: {GenServer, :start_link, [:lab_genserver, {counter, key}]}
    })
  end
end

defmodule :lab_tasks do
  # A stream of small tasks, ten at a time.
  def stream(count) do
    1..count
    |> Task.async_stream(fn number -> Enum.sum(1..rem(number, 20)//1) end, max_concurrency: 10)
    |> Enum.reduce(0, fn {:ok, sum}, total -> total + sum end)
  end
end
