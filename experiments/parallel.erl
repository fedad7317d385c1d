%% N equal and independent pieces of work, each in its own process.
-module(parallel).
-export([sums/1]).

sums(N) when is_integer(N), N > 0 ->
    Starter = self(),
    Workers = [spawn(fun() -> Starter ! {self(), work(K)} end) || K <- lists:seq(1, N)],
    [receive {Pid, Sum} -> Sum end || Pid <- Workers],
    ok.

%% Builds and folds lists: computation and memory, as in most programs.
work(K) ->
    work(20, K, 0).

work(0, _, Sum) -> Sum;
work(Rounds, K, Sum) ->
    Numbers = [(X * 7919 + K) rem 10_007 || X <- lists:seq(1, 1000)],
    Even = [X || X <- Numbers, X band 1 =:= 0],
    work(Rounds - 1, K, Sum + lists:foldl(fun(X, S) -> X + S end, 0, lists:sort(Even))).
