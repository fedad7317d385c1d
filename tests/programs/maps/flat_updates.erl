%% Lookups and updates of maps of 0 to 40 pairs, by constants and by what registers hold, with values that live in other
%% registers meanwhile, and in heaps of every fill.
-module(flat_updates).
-export([main/0]).

main() ->
    Sizes = [0, 1, 2, 3, 5, 8, 16, 31, 32, 33, 40],
    [see:value({size, N}, shown(N, made(N))) || N <- Sizes],
    see:value(filled, [filled(Words, made(7)) || Words <- [0, 1, 5, 9, 10, 11, 12, 13, 50, 200, 233, 234, 376, 2000]]),
    see:value(kept, kept(1000, made(7), {held, "by", <<"register">>}, 1 bsl 70)),
    Map = made(5),
    see:value(same, [erts_debug:same(Map#{a := 1}, Map), erts_debug:same(Map#{a := 2}, Map)]),
    see:fails([fun() -> exact(see:id(Bad), 1) end || Bad <- [#{}, #{b => 1}, a, [], {a}, maps:remove(a, made(40))]] ++
              [fun() -> by(see:id(Bad), a, 1) end || Bad <- [#{}, x, maps:remove(a, made(40))]] ++
              [fun() -> map_get(see:id(Key), Map) end || Key <- [z, 1.0, "a", <<"a">>, {a}, []]] ++
              [fun() -> map_get(a, see:id(Bad)) end || Bad <- [a, [], {}, 1 bsl 70]] ++
              [fun() -> is_map_key(a, see:id(Bad)) end || Bad <- [a, [], {}, 1 bsl 70]]).

%% Pairs of a map: atoms first, then numbers and objects.
made(N) ->
    Keys = [a, b, c, d, e, 1, 2, 3, "list", <<"binary">>, {t, 1}, 4.5, 1 bsl 70, [], {}] ++ lists:seq(4, 40),
    maps:from_list(lists:zip(lists:sublist(Keys, N), lists:seq(1, N))).

shown(N, Map) ->
    Keys = [a, b, e, 1, 3, 17, "list", <<"binary">>, {t, 1}, 4.5, 4, 1 bsl 70, [], z],
    {lists:sort(maps:to_list(Map)), tried(fun() -> exact(Map, new) end), tried(fun() -> two(Map, new) end),
     tried(fun() -> literal(Map, new) end), sorted(grown(Map, new)), sorted(mixed(Map, new)),
     [{Key, tried(fun() -> by(Map, Key, {N, Key}) end), found(Map, Key), is_map_key(Key, Map), guarded(Map, Key),
       tried(fun() -> map_get(Key, Map) end)} || Key <- Keys]}.

tried(Fun) -> try sorted(Fun()) catch Class:Reason -> {Class, sorted(Reason)} end.

%% The order in large maps is open, and that of atoms as keys from OTP 26 on, by which one of several missing keys is
%% named.
sorted(Map) when is_map(Map) -> lists:sort(maps:to_list(Map));
sorted({badkey, _}) -> badkey;
sorted(Other) -> Other.

exact(Map, Value) -> Map#{a := Value}.
two(Map, Value) -> Map#{b := {Value}, a := [Value]}.
literal(Map, Value) -> Map#{1 := Value, "list" := Value}.
grown(Map, Value) -> Map#{a => Value, zz => Value}.
mixed(Map, Value) -> (Map#{c => Value})#{<<"binary">> => Value, {t, 1} => Value, 3 => Value}.
by(Map, Key, Value) -> Map#{Key := Value}.

found(Map, Key) ->
    case Map of
        #{Key := Value} -> {found, Value};
        #{} -> none
    end.

guarded(Map, Key) when map_get(Key, Map) > 3 -> large;
guarded(Map, Key) when is_map_key(Key, Map) -> small;
guarded(_, _) -> none.

%% In a process whose heap has so many words in use.
filled(Words, Map) ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        Used = lists:seq(1, Words div 2),
        Updated = update(20, Map),
        exit({length(Used), Updated, erlang:setelement(2, list_to_tuple(Used ++ [x, y]), Updated)})
    end),
    receive {'DOWN', Monitor, process, Pid, Result} -> erlang:phash2(Result) end.

update(0, Map) -> Map;
update(N, Map) -> update(N - 1, Map#{c := {N, N}, a := N}).

%% What is in other registers stays.
kept(0, Map, Held, Big) -> {Map, Held, Big};
kept(N, Map, Held, Big) ->
    Map1 = Map#{b := {N, Held}},
    Map2 = Map1#{N rem 3 + 1 => Big, d := Held},
    {A, B} = {element(1, Held), Map2},
    kept(N - 1, B, setelement(1, Held, A), Big + N).
