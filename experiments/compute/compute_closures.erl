%% Funs that are created, passed on, composed and called.
-module(compute_closures).
-export([run/0]).

run() -> loop(250000, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Add = adder(N),
    Twice = compose(Add, Add),
    Each = fun(X) -> Twice(X) - N end,
    Value = fold(Each, 1, [fun plus/2, fun erlang:max/2, fun(X, Y) -> X - Y end]),
    loop(N - 1, (Sum + Value) band 16#ffffff).

adder(N) -> fun(X) -> X + N end.

compose(F, G) -> fun(X) -> F(G(X)) end.

fold(F, X, [G | Rest]) -> fold(F, G(F(X), X), Rest);
fold(_, X, []) -> X.

plus(X, Y) -> X + Y.
