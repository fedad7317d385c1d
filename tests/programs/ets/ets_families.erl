%% Ordered sets whose keys are alike: texts that begin with the same letters, tuples with the same tag, strings, and
%% some that are none of these, put in, changed, sought and deleted at random by a seed; each answer told as one hash
%% for a seed.
-module(ets_families).
-export([main/0, main/2]).

main() -> main(1, 24).

main(From, To) ->
    [see:value(Seed, {family(Seed), ran(Seed)}) || Seed <- lists:seq(From, To)],
    ok.

families() -> [letters, tagged, words, strings, deep, pairs, floats, mixed].

family(Seed) -> lists:nth(1 + Seed rem length(families()), families()).

ran(Seed) ->
    rand:seed(exsss, {Seed, 7, 25}),
    Family = family(Seed),
    Options = lists:nth(1 + Seed rem 3, [[], [compressed], [{write_concurrency, true}]]),
    T = ets:new(families, [ordered_set, public | Options]),
    Range = lists:nth(rand:uniform(3), [60, 900, 5000]),
    [ets:insert(T, {key(Family, N), N, <<"one">>}) || N <- lists:seq(1, Range, 3), rand:uniform(2) =:= 1],
    Answers = [step(T, Family, Range) || _ <- lists:seq(1, 3000)],
    Forwards = walk(T, next, ets:first(T), []),
    Backwards = walk(T, prev, ets:last(T), []),
    Forwards = lists:reverse(Backwards),
    Left = ets:tab2list(T),
    Size = ets:info(T, size),
    [ets:delete(T, Key) || {Key, _, _} <- Left],
    0 = ets:info(T, size),
    ets:delete(T),
    {Size, erlang:phash2({Answers, Left}, 1 bsl 32)}.

step(T, Family, Range) ->
    Key = key(Family, rand:uniform(Range)),
    case rand:uniform(14) of
        1 -> ets:lookup(T, Key);
        2 -> ets:next(T, Key);
        3 -> ets:prev(T, Key);
        4 -> ets:insert(T, {Key, rand:uniform(9), <<"two">>});
        5 -> ets:insert(T, {Key, [rand:uniform(9)], "another shape"});
        6 -> ets:insert_new(T, {Key, 0, <<"one">>});
        7 -> ets:delete(T, Key);
        8 -> ets:take(T, Key);
        9 -> ets:member(T, odd(Family, rand:uniform(Range)));
        10 -> ets:next(T, odd(Family, rand:uniform(Range)));
        11 -> ets:update_element(T, Key, {2, rand:uniform(9)});
        12 ->
            case rand:uniform(10) of
                1 -> ets:select_delete(T, [{{'_', rand:uniform(9), '_'}, [], [true]}]);
                2 -> ets:select(T, [{{Key, '$1', '$2'}, [], ['$_']}]);
                3 -> ets:insert(T, [{key(Family, rand:uniform(Range)), 5, <<"two">>} || _ <- lists:seq(1, 20)]);
                4 -> ets:insert(T, {odd(Family, rand:uniform(Range)), 1, <<"odd">>});
                5 -> ets:delete(T, odd(Family, rand:uniform(Range)));
                6 -> ets:lookup_element(T, ets:first(T), 1);
                _ -> ets:insert(T, {key(lists:nth(rand:uniform(8), families()), rand:uniform(Range)), 2, <<"one">>})
            end;
        _ -> ets:lookup(T, odd(Family, rand:uniform(Range)))
    end.

walk(_, _, '$end_of_table', Seen) -> Seen;
walk(T, Go, Key, Seen) -> walk(T, Go, ets:Go(T, Key), [Key | Seen]).

key(letters, N) -> <<"a common beginning ", (integer_to_binary(N))/binary>>;
key(tagged, N) -> {user, N};
key(words, N) -> {user, integer_to_binary(N * 7919)};
key(strings, N) -> "key " ++ integer_to_list(N);
key(deep, N) -> {a, {b, [c, {N rem 7, <<(N * 31):16>>}]}, N rem 3};
key(pairs, N) -> {N rem 20, N};
key(floats, N) -> {user, if N rem 5 =:= 0 -> float(N); true -> N end};
key(mixed, N) -> key(lists:nth(1 + N rem 7, families()), N).

%% Keys that are beside those, or the same as one of them in another form.
odd(letters, N) when N rem 3 =:= 0 -> binary:part(key(letters, N), 0, 1 + N rem 18);
odd(letters, N) when N rem 3 =:= 1 -> <<(key(letters, N))/binary, 0>>;
odd(letters, N) -> <<(key(letters, N))/binary, 1:3>>;
odd(tagged, N) -> lists:nth(1 + N rem 5, [{user, float(N)}, {user, N + 0.5}, {usen, N}, {user, -N}, {user, <<N:16>>}]);
odd(words, N) -> lists:nth(1 + N rem 4, [{user, <<>>}, {user, N}, {user, <<"3">>},
    {user, <<(integer_to_binary(N))/binary, 0>>}]);
odd(strings, N) -> lists:nth(1 + N rem 6, ["key", "key ", "kez " ++ integer_to_list(N), [], [$k, $e, $y, $\s, N + 0.0],
    [$k | N]]);
odd(deep, N) -> lists:nth(1 + N rem 3, [{a, {b, [c, {N rem 7 + 0.0, <<(N * 31):16>>}]}, N rem 3}, {a, {b, [c]}, 1},
    {a, {b, [c, {3, N}]}, 0}]);
odd(pairs, N) -> lists:nth(1 + N rem 3, [{float(N rem 20), N}, {N rem 20, []}, {N rem 20 + 0.5, N}]);
odd(floats, N) -> {user, N * 1.0};
odd(mixed, N) -> odd(lists:nth(1 + N rem 7, families()), N).
