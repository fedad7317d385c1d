%% Edges that generated calls found: each was another answer than stock's once.
-module(edges_of_bifs).
-export([main/0]).

main() ->
    see:value(sign_of_plus, [<<(+see:id(X))/float>> || X <- [0.0, -0.0, 1.5]]),
    see:all([{{crc32_combine, Size}, fun() -> erlang:crc32_combine(256, 128, Size) end}
             || Size <- [0, 1, 16#ffffffff, 16#100000000, 1 bsl 59, 1 bsl 64, -1]]),
    see:all([{{adler32_combine, A, B, Size}, fun() -> erlang:adler32_combine(A, B, Size) end}
             || A <- [1, 256, 65535, 16#10ffff, 16#ffffffff], B <- [1, 65535, 16#fffefffe],
             Size <- [0, 1, 3, 55296, 65520, 65521, 16#ffffffff]]),
    see:that(adler32_size, fun() -> erlang:adler32_combine(1, 1, see:id(1 bsl 32)) end),
    see:all([{{is_record, Term, Size}, fun() -> is_record(see:id(Term), see:id(a), see:id(Size)) end}
             || Term <- [[], {}, {a}, {b}], Size <- [-1, 0, 1, 1 bsl 70, -(1 bsl 70), x]]),
    see:value(external_fun, erlang:fun_info_mfa(fun lists:append/2)),
    see:all([{{pattern, Pattern}, fun() -> re:run(<<"ab", 0, "c">>, Pattern) end}
             || Pattern <- [<<0>>, <<"b", 0>>, <<"b", 0, "(">>, <<"b\\0c">>, [$b, 0, $q]]]),
    see:that(compiled_before_null, fun() -> element(1, re:compile(<<"a", 0, "(">>)) end),
    tables().

tables() ->
    named = ets:new(named, [named_table, ordered_set]),
    see:that(new_again, fun() -> ets:new(named, [named_table]) end),
    Kinds = [{Kind, ets:new(t, [Kind])} || Kind <- [set, ordered_set]],
    Ends = fun() ->
                   see:all([{{Next, Kind}, fun() -> ets:Next(Table, '$end_of_table') end}
                            || {Kind, Table} <- Kinds, Next <- [next, prev]])
           end,
    Ends(),
    [ets:insert(Table, [{a, 1}, {'$end_of_table', 2}]) || {_, Table} <- Kinds],
    see:that(ordered_end, fun() -> ets:next(element(2, lists:last(Kinds)), '$end_of_table') end),
    see:all([{{update_counter, Kind, Key, Steps}, fun() -> ets:update_counter(Table, Key, Steps) end}
             || {Kind, Table} <- Kinds, Key <- [a, none], Steps <- [x, [{2, 1} | b], {2, 1}, {x, 1}, []]]),
    ets:insert(named, [{N} || N <- lists:seq(1, 5)]),
    {_, Rest} = ets:match(named, '$1', 2),
    see:value(continuation, element(1, Rest)).
