%% Seeded random terms: hashes, external bytes, order and sizes are those of stock.
%% releases: 25
-module(random_terms_of_bifs).
-export([main/0]).

main() ->
    Terms = terms(600, 4242),
    see:value(hashes, erlang:phash2([erlang:phash2(T) || T <- Terms])),
    see:value(some_hashes, [erlang:phash2(T) || T <- lists:sublist(Terms, 40)]),
    see:value(bytes, erlang:crc32([term_to_binary(T) || T <- Terms, not has_large_map(T)])),
    see:value(sizes, lists:sum([erlang:external_size(T) || T <- Terms])),
    see:value(flat_sizes, lists:sum([erts_debug:flat_size(T) || T <- Terms])),
    see:value(round_trips, lists:usort([binary_to_term(term_to_binary(T)) =:= T || T <- Terms])),
    see:value(compressed, lists:usort([binary_to_term(term_to_binary(T, [compressed])) =:= T || T <- Terms])),
    Sorted = lists:sort(Terms),
    see:value(sorted, erlang:phash2(Sorted)),
    see:value(order, lists:usort(pairs(Sorted))),
    see:value(reverse, lists:sort(fun(A, B) -> A >= B end, Terms) =:= lists:reverse(lists:sort(fun(A, B) -> A =< B end,
        Terms)) orelse ties),
    see:value(map_keys, begin M = maps:from_list([{T, N} || {N, T} <- lists:zip(lists:seq(1, 600), Terms)]),
        {map_size(M) =:= length(lists:usort(fun(A, B) -> A =:= B orelse A < B end, Terms)) orelse map_size(M),
        lists:usort([maps:is_key(T, M) || T <- Terms])} end),
    see:value(ordered_table, begin T2 = ets:new(t, [ordered_set]), [ets:insert(T2, {T}) || T <- Terms],
        [T || {T} <- ets:tab2list(T2)] =:= lists:usort(Terms) orelse length(ets:tab2list(T2)) end),
    see:value(text, erlang:phash2([lists:flatten(io_lib:format("~w ~0p", [T, T])) || T <- Terms,
        not has_large_map(T)])),
    see:value(scanned, lists:usort([begin {ok, Ts, _} = erl_scan:string(lists:flatten(io_lib:format("~w.", [T]))),
        {ok, X} = erl_parse:parse_term(Ts), X =:= T end || T <- lists:sublist(Terms, 200), not has_large_map(T)])).

pairs([A, B | T]) -> [{A =< B, A == B orelse A < B, B < A} | pairs([B | T])];
pairs(_) -> [].

has_large_map(M) when is_map(M) -> map_size(M) > 32 orelse lists:any(fun has_large_map/1, maps:keys(M) ++
    maps:values(M));
has_large_map([H | T]) -> has_large_map(H) orelse has_large_map(T);
has_large_map(T) when is_tuple(T) -> lists:any(fun has_large_map/1, tuple_to_list(T));
has_large_map(_) -> false.

terms(0, _) -> [];
terms(N, S) -> {T, S1} = term(S, 4), [T | terms(N - 1, S1)].

next(S) -> (S * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff.
pick(N, S0) -> S = next(S0), {(S bsr 33) rem N + 1, S}.

term(S0, Depth) ->
    {K, S} = pick(case Depth of 0 -> 9; _ -> 14 end, S0),
    case K of
        1 -> {N, S1} = pick(2000, S), {N - 1000, S1};
        2 -> {N, S1} = pick(1 bsl 30, S), {(N - (1 bsl 29)) * N * N * N, S1};
        3 -> {N, S1} = pick(1000, S), {(N - 500) / 8, S1};
        4 -> {N, S1} = pick(7, S), {element(N, {a, b, ok, 'With Space', undefined, '', 'å'}), S1};
        5 -> {N, S1} = pick(100, S), {binary:copy(<<N>>, N), S1};
        6 -> {N, S1} = pick(60, S), {<<N:N>>, S1};
        7 -> {[], S};
        8 -> {N, S1} = pick(20, S), {lists:seq($a, $a + N), S1};
        9 -> {N, S1} = pick(100, S), {N * 1.0, S1};
        10 -> {N, S1} = pick(6, S), list(N, S1, Depth - 1);
        11 -> {N, S1} = pick(6, S), {L, S2} = list(N, S1, Depth - 1), {list_to_tuple(L), S2};
        12 -> {N, S1} = pick(6, S), {L, S2} = list(N, S1, Depth - 1), {maps:from_list([{X, X} || X <- L]), S2};
        13 -> {N, S1} = pick(60, S), {maps:from_list([{X, [X]} || X <- lists:seq(1, N)]), S1};
        14 -> {A, S1} = term(S, Depth - 1), {B, S2} = term(S1, Depth - 1), {[A | B], S2}
    end.

list(0, S, _) -> {[], S};
list(N, S, D) -> {T, S1} = term(S, D), {R, S2} = list(N - 1, S1, D), {[T | R], S2}.
