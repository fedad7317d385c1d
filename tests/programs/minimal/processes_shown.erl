%% Thousands of processes with nothing but display: fan-in, chain, ring, monitors.
-module(processes_shown).
-export([main/0, relay/2]).

main() ->
    erlang:display(fan_in(2000)),
    relay(5000, self()),
    receive ok -> erlang:display(chain_done) end,
    erlang:display(monitors(500)),
    erlang:display(ping(spawn(fun pong/0), 10000)),
    put(key, value),
    erlang:display({get(key), erase(key), get(key)}),
    erlang:display(process_info(self(), message_queue_len)).

fan_in(N) -> Me = self(), start(N, Me), sum(N, 0).
start(0, _) -> ok;
start(N, Me) -> spawn(fun() -> Me ! N end), start(N - 1, Me).
sum(0, S) -> S;
sum(N, S) -> receive I -> sum(N - 1, S + I) end.

relay(0, First) -> First ! ok;
relay(N, First) -> P = spawn(?MODULE, relay, [N - 1, First]), P ! ok.

monitors(0) -> done;
monitors(N) -> {P, R} = spawn_monitor(fun() -> exit(N) end), receive {'DOWN', R, process, P, N} -> monitors(N - 1) end.

ping(P, 0) -> P ! stop, pinged;
ping(P, N) -> P ! {self(), N}, receive {P, N} -> ping(P, N - 1) end.
pong() -> receive {From, N} -> From ! {self(), N}, pong(); stop -> ok end.
