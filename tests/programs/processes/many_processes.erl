%% Tens of thousands of processes: fan-in, ring, tree, all to one, all waiting at once.
-module(many_processes).
-export([main/0]).

main() ->
    see:value(fan_in, fan_in(10000)),
    see:value(ring, ring(1000, 100)),
    see:value(tree, tree(12)),
    see:value(waiting, waiting(20000)),
    see:value(chain, chain(20000)),
    see:value(short_lived, short_lived(100000)),
    see:value(reused, reused(50)),
    see:value(pairs, pairs(2000, 20)).

fan_in(N) ->
    Me = self(),
    [spawn(fun() -> Me ! {n, I, I * I} end) || I <- lists:seq(1, N)],
    lists:sum([receive {n, I, S} when S =:= I * I -> I end || _ <- lists:seq(1, N)]).

ring(Size, Rounds) ->
    Me = self(),
    Last = lists:foldl(fun(_, Next) -> spawn(fun() -> pass(Next) end) end, Me, lists:seq(1, Size)),
    R = turn(Last, Rounds, 0),
    Last ! stop,
    receive stop -> R end.
turn(_, 0, N) -> N;
turn(First, Rounds, N) -> First ! {token, N}, receive {token, M} -> turn(First, Rounds - 1, M) end.
pass(Next) -> receive {token, N} -> Next ! {token, N + 1}, pass(Next); stop -> Next ! stop end.

tree(0) -> 1;
tree(D) ->
    Me = self(),
    Ps = [spawn(fun() -> Me ! {self(), tree(D - 1)} end) || _ <- [l, r]],
    lists:sum([receive {P, N} -> N end || P <- Ps]).

waiting(N) ->
    Me = self(),
    Ps = [spawn(fun() -> receive {go, X} -> Me ! {done, X + I} end end) || I <- lists:seq(1, N)],
    [P ! {go, 1} || P <- Ps],
    S = lists:sum([receive {done, X} -> X end || _ <- Ps]),
    {length(lists:usort(Ps)), S}.

chain(N) -> Me = self(), spawn(fun() -> chain(N, Me) end), receive {end_of_chain, X} -> X end.
chain(0, Me) -> Me ! {end_of_chain, done};
chain(N, Me) -> spawn(fun() -> chain(N - 1, Me) end).

short_lived(0) -> done;
short_lived(N) -> spawn(fun() -> ok end), short_lived(N - 1).

reused(Rounds) ->
    lists:sum([begin Rs = [spawn_monitor(fun() -> exit(X) end) || X <- lists:seq(1, 200)],
        lists:sum([receive {'DOWN', R, _, P, X} -> X end || {P, R} <- Rs]) end || _ <- lists:seq(1, Rounds)]).

pairs(N, Rounds) ->
    Me = self(),
    [spawn(fun() -> P = spawn(fun() -> pong() end), Me ! {pair, ping(P, Rounds, 0)} end) || _ <- lists:seq(1, N)],
    lists:sum([receive {pair, S} -> S end || _ <- lists:seq(1, N)]).
ping(P, 0, S) -> P ! stop, S;
ping(P, N, S) -> P ! {self(), N}, receive {P, X} -> ping(P, N - 1, S + X) end.
pong() -> receive {From, N} -> From ! {self(), N * 2}, pong(); stop -> ok end.
