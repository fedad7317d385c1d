%% Compressed tables: every operation answers what it answers on a plain table, whatever the objects are made of.
%% releases: 25
-module(ets_compressed).
-export([main/0]).
-import(see, [that/2]).

main() ->
    [every_operation(Type, Position) || Type <- [set, ordered_set, bag, duplicate_bag], Position <- [1, 2]],
    that(info, fun() -> [ets:info(ets:new(t, Options), compressed) || Options <- [[compressed], []]] end),
    memory(),
    binaries(),
    random(),
    file().

objects() ->
    Text = lists:duplicate(10, "some text"),
    [{1, one, Text}, {2, "two", Text}, {three, 3, #{a => Text, "b" => <<"c">>}}, {4, 4.0, [Text | tail]},
     {5.5, {5, {5, Text}}, fun lists:map/2}, {"six", 1 bsl 80, -1 bsl 90, Text}, {<<7>>, <<1:3>>, <<0:800>>, Text},
     {8, self_is_here, lists:seq(1, 300), lists:seq(-3, 3)}, {{9}, [], [], [], []},
     {10, [1, 2 | 3], [256, 255], "",  Text},
     {#{1 => 2}, maps:from_list([{I, {I, Text}} || I <- lists:seq(1, 40)]), Text}].

every_operation(Type, Position) ->
    Plain = fill(ets:new(plain, [Type, {keypos, Position}])),
    Packed = fill(ets:new(packed, [Type, {keypos, Position}, compressed])),
    Keys = [element(Position, Object) || Object <- objects()],
    Key = hd(Keys),
    Operations =
        [{lookup, fun(T) -> [ets:lookup(T, K) || K <- Keys] end},
         {member, fun(T) -> [ets:member(T, K) || K <- [none | Keys]] end},
         {lookup_element, fun(T) -> [catch ets:lookup_element(T, K, N) || K <- Keys, N <- lists:seq(1, 6)] end},
         {first_next, fun(T) -> walk(T, ets:first(T)) end},
         {tab2list, fun(T) -> ets:tab2list(T) end},
         {foldl, fun(T) -> ets:foldl(fun(O, A) -> [size(O) | A] end, [], T) end},
         {match, fun(T) -> ets:match(T, {'$2', '$1', '_'}) end},
         {match_key, fun(T) -> [ets:match(T, setelement(Position, {'$1', '$2', '$3'}, K)) || K <- Keys] end},
         {match_object, fun(T) -> [ets:match_object(T, Pattern)
                                   || Pattern <- [{'_', '_', '_'}, {'_', '_', '_', '_'}, '_' | objects()]] end},
         {select, fun(T) -> ets:select(T, [{{'$1', '$2', '$3'}, [{is_list, '$3'}], [{{'$2', '$3', {length, '$3'}}}]},
                                           {'$1', [{'>', {size, '$1'}, 3}], ['$_']}]) end},
         {select_limited, fun(T) -> chunks(ets:select(T, [{'$1', [], ['$1']}], 2)) end},
         {select_count, fun(T) -> ets:select_count(T, [{{'_', '_', '$1'}, [{is_map, '$1'}], [true]}]) end},
         {update_element, fun(T) -> [catch ets:update_element(T, K, {3, {new, "value", K}}) || K <- Keys] end},
         {after_update, fun(T) -> ets:tab2list(T) end},
         {update_to_small, fun(T) -> [catch ets:update_element(T, K, {3, 0}) || K <- Keys] end},
         {update_counter, fun(T) -> [catch ets:update_counter(T, K, Step)
                                     || K <- Keys, Step <- [{3, 1}, {3, 1 bsl 70}, [{3, -5}, {3, 1 bsl 71}], {4, 1}]]
                                     end},
         {counted, fun(T) -> ets:tab2list(T) end},
         {select_replace, fun(T) ->
             catch ets:select_replace(T,
             [{{'$1', '$2', '$3'}, [], [{{'$1', '$2', {const, "replaced by this text"}}}]}]) end},
         {replaced, fun(T) -> ets:tab2list(T) end},
         {insert_again, fun(T) -> [ets:insert(T, O) || O <- objects()], ets:insert(T, objects()), ets:tab2list(T) end},
         {insert_new, fun(T) -> [ets:insert_new(T, O) || O <- [{new, new, "new and newer and the newest"} | objects()]]
             end},
         {delete_object, fun(T) -> [ets:delete_object(T, O) || O <- lists:sublist(objects(), 4)], ets:tab2list(T) end},
         {take, fun(T) -> [ets:take(T, K) || K <- lists:nthtail(6, Keys)] end},
         {fixed, fun(T) -> ets:safe_fixtable(T, true), ets:delete(T, Key), ets:insert(T, hd(objects())),
                           ets:safe_fixtable(T, false), ets:tab2list(T) end},
         {match_delete, fun(T) -> ets:match_delete(T, {'_', '_', '_'}), ets:tab2list(T) end},
         {select_delete, fun(T) -> {ets:select_delete(T, [{'_', [], [true]}]), ets:info(T, size)} end}],
    [begin
         Found = catch Do(Packed),
         io:format("~p ~p ~p: ~p ~p~n", [Type, Position, Name, shown(Found) =:= shown(catch Do(Plain)),
             erlang:phash2(shown(Found))])
     end || {Name, Do} <- Operations],
    ets:delete(Plain),
    ets:delete(Packed).

%% Without what an exception says of the place.
shown({'EXIT', {Reason, _}}) -> Reason;
shown(List) when is_list(List), length(List) >= 0 -> [shown(Item) || Item <- List];
shown(Other) -> Other.

fill(T) ->
    [ets:insert(T, O) || O <- objects()],
    T.

walk(_, '$end_of_table') -> [];
walk(T, K) -> [K | walk(T, ets:next(T, K))].

chunks('$end_of_table') -> [];
chunks({Objects, Continuation}) -> Objects ++ chunks(ets:select(Continuation)).

%% A compressed table takes less where there is something to save, and as much as before when it is empty again.
memory() ->
    [begin
         Sizes = [begin
                      T = ets:new(t, [Type | Options]),
                      Empty = ets:info(T, memory),
                      ets:insert(T, [{I, lists:seq(1, 100), "a text of some length"} || I <- lists:seq(1, 100)]),
                      Full = ets:info(T, memory),
                      ets:delete_all_objects(T),
                      that({Type, empty_again}, fun() -> ets:info(T, memory) =:= Empty end),
                      Full
                  end || Options <- [[], [compressed]]],
         that({Type, smaller}, fun() -> [Plain, Packed] = Sizes, Plain > 5 * Packed end)
     end || Type <- [set, ordered_set, bag]].

%% Binaries are shared with the table, and given back.
binaries() ->
    T = ets:new(t, [compressed]),
    Binary = binary:copy(<<"0123456789">>, 100_000),
    <<_:7, Part:800/bits, _/bits>> = Binary,
    ets:insert(T, [{I, [Binary, "and", Part, I]} || I <- lists:seq(1, 500)]),
    that(shared, fun() -> erlang:memory(binary) < 100_000_000 end),
    that(kept, fun() -> lists:all(fun({I, [B, "and", P, I]}) -> B =:= Binary andalso P =:= Part end, ets:tab2list(T))
        end),
    that(hashed, fun() -> erlang:phash2(lists:sort(ets:tab2list(T))) end),
    ets:delete(T).

%% Terms of every shape, by a seed: what comes out is what went in.
random() ->
    rand:seed(exsss, {5, 5, 5}),
    T = ets:new(t, [compressed, {keypos, 2}]),
    Terms = [{term(4), I, term(6), term(2)} || I <- lists:seq(1, 400)],
    ets:insert(T, Terms),
    that(all_the_same, fun() -> [Wrong || Wrong <- Terms, ets:lookup(T, element(2, Wrong)) =/= [Wrong]] end),
    Keyed = ets:new(t, [compressed, ordered_set]),
    [ets:insert(Keyed, Term) || Term <- Terms],
    that(keys_in_order, fun() -> L = [K || {K, _, _, _} <- ets:tab2list(Keyed)], L =:= lists:usort(L) end),
    that(contents, fun() -> erlang:phash2(ets:tab2list(Keyed)) end).

term(Depth) ->
    case rand:uniform(if Depth > 0 -> 14; true -> 7 end) of
        1 -> rand:uniform(300) - 20;
        2 -> rand:uniform(1 bsl 62) - (1 bsl 61);
        3 -> lists:nth(rand:uniform(4), [a, 'another atom', [], true]);
        4 -> rand:uniform(1000) / 8;
        5 -> rand:uniform(1 bsl 59) bsl rand:uniform(300);
        6 -> rand:bytes(rand:uniform(100) - 1);
        7 -> <<(rand:uniform(1 bsl 20)):(rand:uniform(90))>>;
        8 -> [rand:uniform(256) - 1 || _ <- lists:seq(1, rand:uniform(40))];
        9 -> list_to_tuple(terms(Depth));
        10 -> terms(Depth) ++ term(Depth - 1);
        11 -> maps:from_list([{term(1), term(Depth - 1)} || _ <- lists:seq(1, rand:uniform(5))]);
        12 -> maps:from_list([{K, K} || K <- lists:seq(1, 30 + rand:uniform(100))]);
        _ -> terms(Depth)
    end.

terms(Depth) -> [term(Depth - 1) || _ <- lists:seq(1, rand:uniform(5))].

file() ->
    T = fill(ets:new(t, [compressed, public])),
    File = "compressed.table",
    that(saved, fun() -> ets:tab2file(T, File, [{extended_info, [object_count, md5sum]}]) end),
    {ok, Read} = ets:file2tab(File, [{verify, true}]),
    that(read, fun() -> {ets:info(Read, compressed), lists:sort(ets:tab2list(Read)) =:= lists:sort(ets:tab2list(T))}
        end),
    ok = file:delete(File).
