%% Maps of every flat size, and beyond, with keys that are tuples among others: found, replaced, removed, missing.
-module(keys_that_are_tuples).
-export([main/0]).

main() ->
    [see:value(Size, round_trip(Size)) || Size <- lists:seq(0, 40)],
    see:value(zeros, zeros()).

round_trip(Size) ->
    Keys = [key(N) || N <- lists:seq(1, Size)],
    Missing = [key(N) || N <- lists:seq(Size + 1, 2 * Size + 8)],
    Map = maps:from_list([{K, N} || {K, N} <- lists:zip(Keys, lists:seq(1, Size))]),
    Found = [maps:get(copy(K), Map) || K <- Keys],
    Patterns = [begin Key = copy(K), #{Key := V} = Map, V end || K <- Keys],
    None = [K || K <- Missing, is_map_key(K, Map) orelse maps:find(K, Map) =/= error],
    Replaced = lists:foldl(fun(K, M) -> Key = copy(K), M#{Key := {replaced, maps:get(Key, M)}} end, Map, Keys),
    Grown = lists:foldl(fun(K, M) -> M#{K => new} end, #{}, lists:reverse(Keys)),
    Less = [map_size(maps:remove(copy(K), Map)) || K <- Keys ++ Missing],
    Fails = [try Map#{K := x} of _ -> none catch error:{badkey, Key} -> Key =:= K end || K <- Missing],
    {lists:sort(maps:to_list(Map)) =:= lists:sort(lists:zip(Keys, Found)), Found =:= Patterns, None,
     erlang:phash2(Replaced), maps:keys(Grown) =:= maps:keys(Map), lists:sum(Less), lists:usort(Fails),
     [K || Size =< 32, K <- maps:keys(Map)]}.

key(N) ->
    case N rem 9 of
        0 -> {b_var, N};
        1 -> {b_var, {x, N}};
        2 -> {b_var, {y, N - 1}};
        3 -> {N * 1.0, a};
        4 -> {N};
        5 -> {[N | t], "text"};
        6 -> {b_var, <<N>>};
        7 -> {b_var, #{N => N}};
        8 -> [{N}]
    end.

%% The same term at another address.
copy(Key) -> binary_to_term(term_to_binary(Key)).

%% 0.0 and -0.0 are one key, 0 is another; also in tuples.
zeros() ->
    Map = maps:from_list([{{N * 1.0, {z}}, N} || N <- lists:seq(0, 20)]),
    Minus = {-0.0 * abs(1), {z}},
    {maps:find(Minus, Map), maps:find({0, {z}}, Map), map_size(Map#{Minus => x}),
        maps:get({0.0, {z}}, Map#{Minus => x})}.
