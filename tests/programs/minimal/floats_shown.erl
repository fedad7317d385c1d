%% Float arithmetic and what display makes of it.
-module(floats_shown).
-export([main/0]).
-export([id/1]).

main() ->
    erlang:display([0.0, 1.0, -1.5, 1.0e10, 3.14159, 1.0e100, 1.0e-5]),
    erlang:display(id(1) / id(3)),
    erlang:display(id(2.5) * 4),
    erlang:display(id(0.1) + id(0.2)),
    erlang:display(trunc(id(2.7))),
    erlang:display(round(id(-2.5))),
    erlang:display(float(id(7))),
    erlang:display(id(1.0) == id(1)),
    erlang:display(id(1.0) =:= id(1)),
    erlang:display(id(1.5) < id(2)),
    erlang:display(poly(id(1.5), 10, 0.0)).

poly(_, 0, Sum) -> Sum;
poly(X, N, Sum) -> poly(X, N - 1, Sum * X + N).

id(X) -> X.
