%% The order of large maps, in which a release lists, visits, prints and sends them: steady, but another one on each
%% release.
-module(large_in_order).
-export([main/0]).

main() ->
    Whole = map(fun(I) -> I end, 100),
    see:that(keys, fun() -> maps:keys(Whole) end),
    see:that(values, fun() -> maps:values(Whole) end),
    see:that(to_list, fun() -> [K || {K, _} <- maps:to_list(Whole)] end),
    see:that(fold, fun() -> maps:fold(fun(K, _, Found) -> [K | Found] end, [], Whole) end),
    see:that(iterator, fun() -> visited(maps:next(maps:iterator(Whole))) end),
    see:that(pieces, fun() -> pieces(0, Whole) end),
    see:that(printed, fun() -> io_lib:format("~w", [Whole]) end),
    see:that(external, fun() -> erlang:md5(term_to_binary(Whole)) end),
    see:that(grown, fun() -> maps:keys(Whole#{1000 => 1, 1001 => 1}) end),
    see:that(merged, fun() -> maps:keys(maps:merge(Whole, map(fun(I) -> I * 3 end, 100))) end),
    see:that(mapped, fun() -> maps:values(maps:map(fun(K, _) -> K end, Whole)) end),
    [see:that(Name, fun() -> maps:keys(map(Key, 40)) end)
     || {Name, Key} <- [{integers, fun(I) -> I * 1000 - 5000 end},
                        {large_integers, fun(I) -> (I bsl (20 * I + 60)) * sign(I) end},
                        {floats, fun(I) -> I / 3 end},
                        {zeros, fun(1) -> 0.0; (2) -> -0.0; (I) -> -I * 1.5 end},
                        {bytes, fun(I) -> binary:copy(<<I>>, I) end},
                        {bits, fun(I) -> <<I:(I * 3)>> end},
                        {unaligned, fun(I) -> <<_:3, Rest/bits>> = <<I:(I * 5 + 3)>>, Rest end},
                        {strings, fun(I) -> lists:seq(1, I) end},
                        {nearly_strings, fun(I) -> lists:seq(220, 220 + I) end},
                        {lists, fun(I) -> [I, 1000, {I}] end},
                        {improper, fun(I) -> [I | 1000] end},
                        {improper_by_binary, fun(I) -> [{I}, 1, 2, 3, 4, 5, "abc", 2000 | <<>>] end},
                        {tuples, fun(I) -> list_to_tuple(lists:seq(1, I)) end},
                        {nested, fun(I) -> {1, {I}, 2.0 * I, [I], I bsl 80, []} end},
                        {maps, fun(I) -> #{I => I, (I + 1) => {I}} end},
                        {large_maps, fun(I) -> map(fun(J) -> {J} end, 40 + I) end}]].

map(Key, Count) -> maps:from_list([{Key(I), I} || I <- lists:seq(1, Count)]).

sign(I) -> 1 - I rem 2 * 2.

visited(none) -> [];
visited({Key, _, Iterator}) -> [Key | visited(maps:next(Iterator))].

pieces(Path, Map) ->
    case erts_internal:map_next(Path, Map, []) of
        [Next, Map | Pairs] when is_integer(Next) -> [{Next, Pairs} | pieces(Next, Map)];
        Pairs -> Pairs
    end.
