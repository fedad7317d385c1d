%% 0.0 and -0.0 are one key: which of the two a map keeps, whatever it is made by, alone and inside of other keys.
%% releases: 25
-module(zeros_of_both_signs).
-export([main/0]).

main() ->
    rand:seed(exsss, {1, 2, 3}),
    [see:value({small, N}, shown(made(2 + rand:uniform(8)))) || N <- lists:seq(1, 60)],
    [see:value({around_limit, N}, shown(made(24 + rand:uniform(14)))) || N <- lists:seq(1, 20)],
    [see:value({large, N}, shown(made(60 + rand:uniform(60)))) || N <- lists:seq(1, 10)],
    [see:value({merged, N}, shown(merged(rand:uniform(60), rand:uniform(60)))) || N <- lists:seq(1, 40)],
    [see:value({changed, N}, shown(changed(pairs(rand:uniform(50)), #{}))) || N <- lists:seq(1, 40)],
    written(see:id(0.0), see:id(-0.0)),
    external().

key() ->
    case rand:uniform(9) of
        1 -> 0.0;
        2 -> -0.0;
        3 -> {zero()};
        4 -> [zero(), 1];
        5 -> #{a => zero()};
        6 -> #{zero() => a};
        7 -> 0;
        8 -> rand:uniform(40);
        9 -> {rand:uniform(20), zero()}
    end.

zero() -> case rand:uniform(2) of 1 -> 0.0; 2 -> -0.0 end.

pairs(Count) -> [{key(), N} || N <- lists:seq(1, Count)].

made(Count) ->
    Pairs = pairs(Count),
    case rand:uniform(3) of
        1 -> maps:from_list(Pairs);
        2 -> maps:from_keys([K || {K, _} <- Pairs], v);
        3 -> maps:from_list(Pairs ++ [{N, N} || N <- lists:seq(100, 130)])
    end.

merged(A, B) -> maps:merge(maps:from_list(pairs(A)), maps:from_list(pairs(B))).

changed([], Map) -> Map;
changed([{Key, Value} | Rest], Map) ->
    changed(Rest,
            case rand:uniform(8) of
                1 -> maps:put(Key, Value, Map);
                2 -> Map#{Key => Value};
                3 when is_map_key(Key, Map) -> Map#{Key := Value};
                4 -> maps:remove(Key, Map);
                5 -> maps:merge(Map, #{Key => Value, zero() => x});
                6 -> Map#{zero() => Value, Key => Value};
                7 -> maps:update_with(Key, fun(X) -> {X} end, Value, Map);
                _ -> maps:without([Key], Map#{{zero()} => Value})
            end).

%% In the order of the bits of the keys, zeros with their sign.
shown(Map) -> lists:sort([{term_to_binary(signed(K)), V} || {K, V} <- maps:to_list(Map)]).

signed(0.0 = X) -> <<Sign:1, _/bits>> = <<X/float>>, {zero, Sign};
signed(T) when is_tuple(T) -> list_to_tuple(signed(tuple_to_list(T)));
signed([X | Rest]) -> [signed(X) | signed(Rest)];
signed(M) when is_map(M) -> {map, [{signed(K), signed(V)} || {K, V} <- maps:to_list(M)]};
signed(X) -> X.

written(P, N) ->
    Large = maps:from_keys(lists:seq(1, 40), x),
    see:value(literals, [shown(M) || M <- [#{P => a, N => b}, #{N => a, P => b}, #{x => 1, N => a, y => 2, P => b},
                                           #{0.0 => a, N => b}, #{N => a, 0.0 => b}, #{P => a, -0.0 => b}]]),
    see:value(updates, [shown(M) || M <- [(#{P => a})#{N => b}, (#{N => a})#{P => b}, (#{N => a})#{P := b},
                                          (#{P => a, z => 1})#{N := b, z := 2}]]),
    see:value(large, [[X || {_, V} = X <- shown(M), V =/= x]
                      || M <- [Large#{P => a, N => b}, (Large#{P => a})#{N => b}, (Large#{N => a})#{P := b},
                               maps:merge(Large#{N => a}, #{P => b}), maps:merge(#{P => b}, Large#{N => a}),
                               maps:merge(Large#{N => a}, Large#{P => b})]]),
    see:value(found, [maps:find(N, #{P => a}), maps:get(P, #{N => a}), maps:find(N, Large#{P => a}),
                      maps:is_key(P, Large#{N => a}), maps:size(maps:remove(N, Large#{P => a})),
                      #{P => 1} =:= #{N => 1}, Large#{P => 1} =:= Large#{N => 1}, maps:take(P, #{N => 1}),
                      maps:intersect(#{P => 1}, #{N => 2}), maps:with([P], #{N => 1}),
                      case #{N => found} of #{P := F} -> F; _ -> none end]).

%% Keys that are given twice are refused.
external() ->
    Tail = fun(T) -> <<131, B/binary>> = term_to_binary(T), B end,
    Map = fun(Pairs) -> list_to_binary([131, 116, <<(length(Pairs)):32>>, [[Tail(K), Tail(V)] || {K, V} <- Pairs]]) end,
    Many = [{I, I} || I <- lists:seq(1, 40)],
    see:value(external,
              [try shown(binary_to_term(Map(Pairs))) catch error:R -> R end
               || Pairs <- [[{0.0, a}, {-0.0, b}], [{-0.0, a}, {0.0, b}], [{-0.0, a}, {1, b}],
                   [{0.0, a}, {-0.0, b} | Many],
                            [{{0.0}, a}, {{-0.0}, b} | Many], [{0, a}, {-0.0, b}]]]).
