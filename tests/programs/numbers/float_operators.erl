%% Operators on floats that the compiler takes for any numbers: in guards, where they may not raise, and of arguments of
%% unknown type. Every pair of values of all kinds, with results that are no float any more among them.
-module(float_operators).
-export([main/0]).
-import(see, [value/2, that/2]).

values() ->
    [0, 1, -1, 3, 7, -576460752303423488, 576460752303423487, 1 bsl 53, (1 bsl 53) + 1, -(1 bsl 53) - 1, 1 bsl 59,
        1 bsl 64,
     1 bsl 1100, 0.0, -0.0, 0.1, -2.5, 3.0, 1.0e16, 9007199254740992.0, 1.0e308, -1.7976931348623157e308, 5.0e-324,
     2.2250738585072014e-308,
     5.764607523034235e17, atom, [], "text", {}].

main() ->
    Pairs = [{A, B} || A <- values(), B <- values()],
    [value({sum_in_guard, A, B}, in_guard(A, B)) || {A, B} <- Pairs],
    [that({raised, A, B}, fun() -> [Do(A, B) || Do <- [fun(X, Y) -> catch_it(fun() -> X + Y end) end,
                                                      fun(X, Y) -> catch_it(fun() -> X - Y end) end,
                                                      fun(X, Y) -> catch_it(fun() -> X * Y end) end,
                                                      fun(X, Y) -> catch_it(fun() -> X / Y end) end]] end)
                                                      || {A, B} <- Pairs],
    [value({compared, A, B}, compared(A, B)) || {A, B} <- Pairs],
    value(sorted, lists:sort(values())),
    value(usorted, lists:usort(values() ++ [float(V) || V <- values(), is_integer(V), abs(V) < 1 bsl 60])),
    value(keys_of_maps, lists:sort(maps:keys(maps:from_list([{V, V} || V <- values() -- [0.0]])))),
    value(long, long(100_000, 0.0, 1.5)),
    value(trees, gb_trees:keys(gb_trees:from_orddict([{K / 8, K} || K <- lists:seq(1, 50)]))).

catch_it(F) ->
    try F() catch Class:Reason -> {Class, Reason} end.

in_guard(A, B) ->
    {plus(A, B), minus(A, B), times(A, B), over(A, B)}.

plus(A, B) when A + B > 4.0 -> more;
plus(A, B) when A + B =< 4.0 -> less;
plus(_, _) -> fails.

minus(A, B) when A - B >= 0 -> not_less;
minus(A, B) when A - B < 0 -> less;
minus(_, _) -> fails.

times(A, B) when A * B == 0 -> zero;
times(A, B) when is_float(A * B) -> float;
times(A, B) when is_integer(A * B) -> integer;
times(_, _) -> fails.

over(A, B) when A / B > 1 -> more;
over(A, B) when A / B =< 1 -> less;
over(_, _) -> fails.

compared(A, B) ->
    {A < B, A =< B, A == B, A /= B, A =:= B, A =/= B, A >= B, A > B, max(A, B), min(A, B)}.

%% More floats than fit a heap at once.
long(0, Sum, _) -> Sum;
long(N, Sum, Step) when Sum + Step > 1.0e5 -> long(N - 1, Sum / 2, Step);
long(N, Sum, Step) -> long(N - 1, Sum + Step * N, Step).
