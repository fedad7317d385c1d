%% The Takeuchi function: calls with three arguments, and comparisons.
-module(compute_tak).
-export([run/0]).

run() -> [tak(18, 12, 6) || _ <- lists:seq(1, 300)].

tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) ->
    tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).
