%% maybe ... end, which OTP 25 has on request.
%% args: -enable-feature maybe_expr
%% erlc: +{feature,maybe_expr,enable}
-module(maybe_expressions).
-feature(maybe_expr, enable).
-export([main/0]).

main() ->
    [see:value(X, f(X)) || X <- [{ok, 1}, {ok, 2}, {error, e}, other]],
    [see:value(X, g(X)) || X <- [{ok, 1}, {ok, 50}, {error, e}, other]].

f(X) -> maybe {ok, A} ?= see:id(X), B = A * 2, {ok, C} ?= {ok, B + 1}, {A, B, C} end.
g(X) -> maybe {ok, A} ?= X, true ?= A > 10, {large, A} else {error, R} -> {failed, R}; false -> small; _ -> unknown end.
