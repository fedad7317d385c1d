%% E2: N processes that compute without pause. The load of each CPU is sampled from outside
%% (mpstat -P ALL 2 10) and must be even without any placement by the programmer.
-module(test).
-export([start_proc/1, forever/1]).

start_proc(0) ->
    ok;
start_proc(N) when is_integer(N), N > 0 ->
    spawn(?MODULE, forever, [N]),
    start_proc(N - 1).

forever(N) ->
    forever(N bxor 1).
