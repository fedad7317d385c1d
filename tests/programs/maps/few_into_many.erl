%% Small maps merged, grown and shrunk: a few keys into many and the other way round, with keys of all kinds. The order
%% of the result shows how atoms of the emulator's own and those of programs stand among each other.
-module(few_into_many).
-export([main/0]).

main() ->
    Many = [from(keys(Kind, Count), old) || Kind <- kinds(), Count <- [0, 1, 4, 5, 8, 12, 31, 32]],
    [io:format("~p~n", [summary(Map, few(Map, Which))]) || Map <- Many, Which <- [none, same, other, new, both, all]],
    io:format("~p~n", [[maps:to_list(from(keys(atoms, Count), x)) || Count <- [3, 9, 20]]]),
    io:format("~p~n", [maps:merge(#{timeout => 5000, name => undefined, zeta_x => 1, alpha_x => 2, host => local},
                                  see:id(#{name => me}))]),
    [walk(Map) || Map <- Many ++ [from(lists:seq(1, Count), old) || Count <- [33, 63, 64, 65, 66, 97, 200, 1031]]],
    ok.

kinds() -> [atoms, numbers, binaries, tuples, mixed].

keys(Kind, Count) -> [key(Kind, I) || I <- lists:seq(1, Count)].

key(atoms, I) when I rem 3 =:= 0 ->
    lists:nth(I div 3, [ok, error, name, true, undefined, node, kernel, zip, all, infinity]);
key(atoms, I) -> binary_to_atom(<<"few_", (integer_to_binary(I * 7919 rem 37))/binary>>);
key(numbers, I) when I rem 4 =:= 0 -> (I bsl 60) * 1.0;
key(numbers, I) when I rem 4 =:= 1 -> I bsl 70;
key(numbers, I) -> -I;
key(binaries, I) -> integer_to_binary(I * 7919);
key(tuples, I) -> {I rem 5, key(atoms, I)};
key(mixed, I) -> key(lists:nth(1 + I rem 4, kinds()), I).

from(Keys, Value) -> maps:from_list([{Key, Value} || Key <- Keys]).

few(_, none) -> #{};
few(Map, same) -> maps:with(every(5, maps:keys(Map)), Map);
few(Map, other) -> from(every(4, maps:keys(Map)), new);
few(_, new) -> from([few_new, 1.5], new);
few(Map, both) -> (few(Map, other))#{few_new => new};
few(Map, all) -> maps:map(fun(_, Value) -> {Value} end, Map).

every(N, List) -> [Element || {I, Element} <- lists:zip(lists:seq(1, length(List)), List), I rem N =:= 0].

summary(Map, Few) ->
    Into = maps:merge(Map, Few),
    Under = maps:merge(Few, Map),
    true = maps:fold(fun(Key, Value, All) -> All#{Key => Value} end, Map, Few) =:= Into,
    true = lists:foldl(fun({Key, Value}, All) -> maps:put(Key, Value, All) end, Few, maps:to_list(Map)) =:= Under,
    true = lists:foldl(fun maps:remove/2, Into, maps:keys(Few)) =:= maps:without(maps:keys(Few), Map),
    true = maps:from_list(lists:reverse(maps:to_list(Into))) =:= Into,
    {listed(maps:keys(Into)), map_size(Under), erlang:phash2(Into), erlang:phash2(Under), Into =:= Map, Under =:= Map}.

%% The order of more is that of hashes, in which an atom's number counts.
listed(Few) when length(Few) =< 32 -> Few;
listed(Many) -> lists:sort(Many).

%% The same pairs in the same order by each way to walk, however much is left of the slice.
walk(Map) ->
    Pairs = steps(maps:next(maps:iterator(Map)), 0),
    true = lists:sort(Pairs) =:= lists:sort(maps:to_list(Map)),
    true = lists:reverse(Pairs) =:= maps:fold(fun(Key, Value, All) -> [{Key, Value} | All] end, [], Map),
    [true = Pairs =:= steps(maps:next(maps:iterator(Map)), Spent) || Spent <- [3990, 3900, 3700]],
    io:format("~p ~p~n", [length(Pairs), erlang:phash2(listed(Pairs))]).

steps(none, _) -> [];
steps({Key, Value, Next}, Spent) ->
    erlang:bump_reductions(Spent),
    [{Key, Value} | steps(maps:next(Next), Spent)].
