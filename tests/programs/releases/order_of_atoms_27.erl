%% The order of the keys of small maps, from OTP 26 on: atoms come as the node first met them, not by their text,
%% wherever a map is listed, printed or written. The order of terms does not change: there the keys of maps are compared
%% by text. What the libraries' modules bring is left out: they are loaded several at a time when the node boots, in no
%% fixed order.
%% releases: 27 29
-module(order_of_atoms_27).
-export([main/0, own/1]).

main() ->
    show(own, own(1)),
    show(literal, #{z_of_literal => 1, a_of_literal => 2, m_of_literal => #{y_inner => 1, b_inner => 2}}),
    show(known, maps:from_list([{Key, Key} || Key <- [value, key, id, name, true, false, undefined, error, ok, infinity,
        timeout, exit, '', 'EXIT', '_']])),
    show(of_preloaded_modules,
        maps:from_list([{Key, 1} || Key <- [init, erlang, prim_file, erts_internal, atomics, zlib, socket_registry,
        persistent_term, counters]])),
    made(),
    kinds(),
    changed(),
    compared(),
    sorted(),
    written(),
    missing(),
    large().

%% A map in every form in which its order shows.
show(Label, Map) ->
    io:format("~ts: ~0tp~n  ~w~n", [Label, Map, Map]),
    Pairs = maps:to_list(Map),
    io:format("  ~w ~w~n", [maps:keys(Map) =:= [K || {K, _} <- Pairs], maps:values(Map) =:= [V || {_, V} <- Pairs]]),
    io:format("  ~w~n", [[maps:fold(fun(K, _, All) -> All ++ [K] end, [], Map) =:= maps:keys(Map),
                          walk(maps:iterator(Map)) =:= Pairs, [{K, V} || K := V <- Map] =:= Pairs,
                          walk(maps:iterator(Map, ordered)) =:= lists:sort(Pairs),
                          binary_to_term(term_to_binary(Map)) =:= Map,
                          maps:keys(binary_to_term(term_to_binary(Map))) =:= maps:keys(Map)]]).

walk(Iterator) ->
    case maps:next(Iterator) of
        {Key, Value, Next} -> [{Key, Value} | walk(Next)];
        none -> []
    end.

%% Keys that only this module has, in the order of its table of atoms.
own(N) -> #{zebra_of_this => N, apple_of_this => N + 1, mango_of_this => N + 2, kiwi_of_this => N + 3}.

%% Keys made while it runs.
made() ->
    [list_to_atom(Name) || Name <- ["made_3", "made_1", "made_2"]],
    show(made, maps:from_list([{binary_to_atom(Name), Name} || Name <- [<<"made_1">>, <<"made_2">>, <<"made_3">>]])),
    External = <<131, $t, 2:32, $w, 6, "read_2", $a, 1, $w, 6, "read_1", $a, 2>>,
    show(read, binary_to_term(External)).

%% Atoms inside of keys are compared by text.
kinds() ->
    show(kinds, maps:from_list([{Key, 1} || Key <- [zebra_of_this, apple_of_this, {zebra_of_this}, {apple_of_this},
        [zebra_of_this], [apple_of_this],
                                                    1.0, 1, -1, 1 bsl 70, "text", <<"bits">>, [], #{zebra_of_this => 1},
                                                    #{apple_of_this => 1}, false, true]])).

changed() ->
    Own = own(1),
    show(put, Own#{aa_put => 1, zz_put => 2, apple_of_this => 3}),
    show(put_one, maps:put(a_put_alone, 1, Own)),
    show(removed, maps:remove(mango_of_this, Own)),
    show(merged, maps:merge(#{b_merged => 1, zebra_of_this => 0, a_merged => 1}, Own)),
    show(merged_other_way, maps:merge(Own, #{b_merged => 1, zebra_of_this => 0, a_merged => 1})),
    show(with, maps:with([kiwi_of_this, zebra_of_this, none], Own)),
    show(filtered, maps:filter(fun(_, V) -> V > 1 end, Own)),
    show(mapped, #{K => {V} || K := V <- Own}),
    show(from_keys, maps:from_keys([c_from, a_from, b_from], x)),
    show(each_alone, lists:foldl(fun(K, M) -> M#{K => 1} end, #{}, [third_put, second_put, first_put])).

%% Smaller, equal or greater: by size, then by keys in the order of terms, then by values in the order of keys.
compared() ->
    Maps = [#{}, own(1), own(2), (own(1))#{apple_of_this := 1}, (own(1))#{zebra_of_this := 2}, #{zebra_of_this => 1},
        #{apple_of_this => 1},
            #{apple_of_this => 2}, #{zebra_of_this => 1, apple_of_this => 2}, #{zebra_of_this => 2, apple_of_this => 1},
            #{zebra_of_this => 1.0, apple_of_this => 1}, #{kiwi_of_this => 1, apple_of_this => 1},
            #{kiwi_of_this => 1, zebra_of_this => 0},
            #{mango_of_this => #{zebra_of_this => 1, apple_of_this => 2}},
            #{mango_of_this => #{zebra_of_this => 2, apple_of_this => 1}},
            #{mango_of_this => 1, 1 => 2}, #{mango_of_this => 1, 1.0 => 2}, #{{zebra_of_this} => 1, zebra_of_this => 1},
            #{{apple_of_this} => 1, zebra_of_this => 2}],
    [io:format("compared: ~s~n", [[sign(A, B) || B <- Maps]]) || A <- Maps].

sign(A, B) when A < B -> $<;
sign(A, B) when A > B -> $>;
sign(A, B) when A =:= B -> $=;
sign(A, B) when A == B -> $~.

%% Random maps of atoms, in order.
sorted() ->
    rand:seed(exsss, {27, 1, 2}),
    Keys = [false, true, ok, error, zebra_of_this, apple_of_this, mango_of_this, kiwi_of_this, value, 1, 1.0, {ok}],
    Maps = [maps:from_list([{lists:nth(rand:uniform(length(Keys)), Keys), rand:uniform(2)}
        || _ <- lists:seq(1, rand:uniform(6))]) || _ <- lists:seq(1, 300)],
    Sorted = lists:sort([{M, #{x_nested => M, b_nested => 1}} || M <- Maps]),
    io:format("sorted: ~w~n", [erlang:phash2([lists:sort(maps:to_list(M)) || {M, _} <- Sorted])]),
    io:format("in order: ~w~n", [lists:all(fun({A, B}) -> A =< B end, lists:zip(lists:droplast(Sorted), tl(Sorted)))]).

written() ->
    Map = #{zebra_of_this => 1, apple_of_this => #{mango_of_this => 1, kiwi_of_this => 2}},
    [io:format("written: ~w~n", [term_to_binary(Map, Options)]) || Options <- [[], [deterministic],
        [{minor_version, 1}], [deterministic, local]] , not lists:member(local, Options)],
    io:format("hashes: ~w ~w~n", [erlang:phash2(Map), erlang:phash(Map, 1 bsl 32)]).

%% The first in the order of keys is named.
missing() ->
    Map = see:id(#{}),
    [io:format("missing: ~w~n", [try Update(Map) catch error:Reason -> Reason end])
     || Update <- [fun(M) -> M#{apple_of_this := 1, zebra_of_this := 2} end,
         fun(M) -> M#{zebra_of_this := 1, apple_of_this := 2} end,
                   fun(M) -> M#{apple_of_this := 1, 1 := 2, false := 3} end]].

%% One key fewer than a large map has.
large() ->
    Keys = [list_to_atom("large_" ++ integer_to_list(N)) || N <- lists:seq(33, 1, -1)],
    Large = maps:from_keys(Keys, x),
    show(made_small, maps:remove(large_20, Large)).
