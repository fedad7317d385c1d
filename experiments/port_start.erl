%% E3: the time to start an external program and to see its end, while N processes wait.
%%   erl -noshell -s port_start start 100000
%% The time must not grow with the size of the VM that starts the program.
-module(port_start).
-export([start/1]).

-define(STARTS, 100).

start([Waiting]) ->
    N = list_to_integer(atom_to_list(Waiting)),
    [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, N)],
    {Micros, ok} = timer:tc(fun() -> starts(?STARTS) end),
    io:format("~b programs, ~.1f us each~n", [?STARTS, Micros / ?STARTS]),
    halt().

starts(0) -> ok;
starts(K) ->
    Port = open_port({spawn_executable, "/bin/true"}, [exit_status]),
    receive {Port, {exit_status, 0}} -> ok end,
    starts(K - 1).
