%% List comprehensions: several generators, filters, patterns that don't match, binaries.
-module(comprehensions).
-export([main/0]).

main() ->
    L = lists:seq(1, 10),
    see:value(squares, [X * X || X <- L]),
    see:value(filtered, [X || X <- L, X rem 3 =:= 0]),
    see:value(pairs, [{X, Y} || X <- [1, 2, 3], Y <- [a, b]]),
    see:value(dependent, [{X, Y} || X <- L, X < 5, Y <- lists:seq(X, 4)]),
    see:value(patterns, [V || {ok, V} <- [{ok, 1}, error, {ok, 2}, {error, 3}, ok]]),
    see:value(guards, [X || X <- [1, a, 2.0, "s", 3], is_integer(X), X > 1]),
    see:value(guard_fails, [X || X <- [[1], a, [2, 3], {}], hd(X) > 1]),
    see:value(nested, [[Y || Y <- lists:seq(1, X)] || X <- [1, 2, 3]]),
    see:value(triples, [{A, B, C} || A <- L, B <- L, C <- L, A < B, A * A + B * B =:= C * C]),
    see:value(from_binary, [X || <<X:4>> <= <<16#12, 16#34>>]),
    see:value(from_both, [{X, Y} || <<X>> <= <<1, 2>>, Y <- "ab"]),
    see:value(to_binary, << <<(X * 2)>> || X <- L >>),
    see:value(to_bits, << <<(X rem 2):1>> || X <- L >>),
    see:value(odd_tail, [X || <<X:3>> <= <<255, 255>>]),
    see:value(bad_stops, [X || <<1, X>> <= <<1, 5, 1, 6, 2, 7, 1, 8>>]),
    see:value(shadow, begin X = 100, [X || X <- [1, 2]] ++ [X] end),
    see:value(empty, {[X2 || X2 <- []], << <<X2>> || X2 <- [] >>, [X2 || <<X2>> <= <<>>]}),
    see:value(quicksort, sort([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9])),
    see:value(permutations, permutations([1, 2, 3])),
    see:value(long, length([X3 || X3 <- lists:seq(1, 100000), X3 band 7 =:= 0])),
    see:fails([fun() -> [X4 || X4 <- see:id(atom)] end,
               fun() -> [X4 || X4 <- see:id([1, 2 | 3])] end,
               fun() -> [X4 || <<X4>> <= see:id(list)] end,
               fun() -> [X4 || X4 <- [1, 2], see:id(X4)] end,
               fun() -> << <<X4>> || X4 <- see:id([1, a]) >> end]).

sort([]) -> [];
sort([P | T]) -> sort([X || X <- T, X < P]) ++ [P] ++ sort([X || X <- T, X >= P]).

permutations([]) -> [[]];
permutations(L) -> [[X | P] || X <- L, P <- permutations(L -- [X])].
