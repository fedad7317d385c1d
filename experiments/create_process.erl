%% E1: the cost of creating a process, with and without a message.
%% Timed from outside: timer:tc(create_process, start, [N]).
-module(create_process).
-export([start/1, start_wo_msg/1]).
-export([relay/2, ended/0]).

%% A chain of N processes. Each creates the next, sends it `ok`, waits for `ok` itself
%% and ends; the last one replies to the process that started the chain.
start(N) when is_integer(N), N >= 0 ->
    relay(N, self()).

relay(0, First) ->
    First ! ok;
relay(N, First) ->
    Next = spawn(?MODULE, relay, [N - 1, First]),
    Next ! ok,
    receive ok -> ok end.

%% One process creates N others, which end immediately.
start_wo_msg(0) ->
    ok;
start_wo_msg(N) when is_integer(N), N > 0 ->
    spawn(?MODULE, ended, []),
    start_wo_msg(N - 1).

ended() ->
    ok.
