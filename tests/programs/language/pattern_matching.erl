%% Patterns of every kind: nested, repeated variables, aliases, literals, strings.
-module(pattern_matching).
-export([main/0]).

main() ->
    Terms = [{}, {a}, {a, a}, {a, b}, {{x, 1}, [1, 2, 3]}, [], [a], [a, a], [a, b], [a | b], "prefix and rest", "pre",
             #{k => v}, #{k => k}, {1, 1.0}, {1, 1}, 1, 1.0, 0.0, -0.0, <<"bin">>, {tag, {deep, [{x, [y | z]}]}},
             123456789012345678901234567890, {rec, 1, 2}, {'EXIT', why}],
    [io:format("~0p: ~0p~n", [T, m(T)]) || T <- Terms],
    [see:value(T, bound(x, T)) || T <- [x, y, {x}, {y}, [x], [x, x], [x, y]]],
    {A, [B, C | D] = E, F} = see:id({1, [2, 3, 4, 5], #{6 => 7}}),
    #{6 := G} = F,
    see:value(destructured, {A, B, C, D, E, F, G}),
    [X, X2] = [begin Y = N * 2, Y + 1 end || N <- [1, 2]],
    see:value(block, {X, X2}),
    see:value(match_in_call, {see:id(Z = {1, 2}), see:id(2)}), see:value(bound, Z).

m({}) -> empty;
m({X, X}) -> {same, X};
m({{x, N}, [N | Rest]}) -> {nested, N, Rest};
m({tag, {deep, [{x, [Y | Z]}]} = Deep}) -> {deep, Y, Z, Deep};
m({rec, _, N} = R) when N > 1 -> {aliased, R};
m({1, F}) when is_float(F) -> {float, F};
m({T}) -> {one, T};
m({A, B}) -> {two, A, B};
m("prefix" ++ Rest) -> {rest, Rest};
m([X, X]) -> {twice, X};
m([X]) -> {single, X};
m([]) -> nil;
m([H | T]) when not is_list(T) -> {improper, H, T};
m([H | T]) -> {cons, H, length(T)};
m(#{k := K}) when K =:= k -> key_is_value;
m(#{k := V}) -> {key, V};
m(1) -> integer_one;
m(1.0) -> float_one;
m(0.0) -> zero;
m(<<"bin">>) -> binary;
m(123456789012345678901234567890) -> big;
m(_) -> other.

bound(X, X) -> same;
bound(X, {X}) -> in_tuple;
bound(X, [X | Rest]) -> case Rest of [X] -> twice; [] -> once; _ -> mixed end;
bound(_, _) -> no.
