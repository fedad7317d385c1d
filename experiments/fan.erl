%% Many senders and one receiver, or one sender and many receivers: N messages altogether, a thousand processes.
-module(fan).
-export([in/1, out/1]).

-define(PROCESSES, 1000).

in(N) when is_integer(N), N >= ?PROCESSES ->
    Receiver = self(),
    Each = N div ?PROCESSES,
    [spawn(fun() -> send(Each, Receiver) end) || _ <- lists:seq(1, ?PROCESSES)],
    take(Each * ?PROCESSES).

out(N) when is_integer(N), N >= ?PROCESSES ->
    Sender = self(),
    Each = N div ?PROCESSES,
    Receivers = [spawn(fun() -> take(Each), Sender ! {self(), done} end)
                 || _ <- lists:seq(1, ?PROCESSES)],
    deal(Each, Receivers),
    [receive {Pid, done} -> ok end || Pid <- Receivers],
    ok.

send(0, _) -> ok;
send(N, To) ->
    To ! {item, N},
    send(N - 1, To).

take(0) -> ok;
take(N) ->
    receive {item, _} -> take(N - 1) end.

deal(0, _) -> ok;
deal(N, Receivers) ->
    [Pid ! {item, N} || Pid <- Receivers],
    deal(N - 1, Receivers).
