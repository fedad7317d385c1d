-module(constants).
-export([value/0, closure/0]).
value() -> {literal, [1, 2, {three, "four", <<"five">>}, 6.0, 123456789012345678901234567890], #{k => [v, {w}]},
    <<"a long binary literal that is longer than sixty-four bytes, so it is shared">>}.
closure() -> fun(X) -> {X, value()} end.
