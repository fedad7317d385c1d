%% E4: the cost of one process. N processes are created, wait for `die`, and are sent it.
-module(measure_processes).
-export([limit/1, wait/0]).

limit(N) when is_integer(N), N > 0 ->
    io:format("Maximum allowed processes: ~p~n", [erlang:system_info(process_limit)]),
    _ = statistics(runtime),
    _ = statistics(wall_clock),
    Waiting = create(N, []),
    {_, Cpu} = statistics(runtime),
    {_, Elapsed} = statistics(wall_clock),
    lists:foreach(fun(Pid) -> Pid ! die end, Waiting),
    io:format("Process spawn time = ~p (~p) microseconds~n",
              [Cpu * 1000 / N, Elapsed * 1000 / N]).

create(0, Pids) -> Pids;
create(N, Pids) -> create(N - 1, [spawn(?MODULE, wait, []) | Pids]).

wait() ->
    receive die -> ok end.
