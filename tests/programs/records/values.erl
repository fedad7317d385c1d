%% Native records as values: made by `records:create/4`, asked, updated, ordered, hashed, printed, copied and stored.
%% releases: 29
-module(values).
-compile(nowarn_deprecated_function).
-export([main/0]).

main() ->
    making(),
    asking(),
    updating(),
    tests_of_types(),
    order(),
    random_order(),
    hashes(),
    printed(),
    sizes(),
    external(),
    maps_and_tables(),
    match_specifications(),
    carried(),
    collected().

new(Fields) -> new(n, Fields, true).
new(Name, Fields, Exported) -> records:create(m, Name, Fields, #{is_exported => Exported}).

long(Count) -> [{list_to_atom("field" ++ integer_to_list(N)), N} || N <- lists:seq(1, Count)].

making() ->
    No = #{is_exported => false},
    Create = fun(M, N, F, O) -> {{M, N, F, O}, fun() -> records:create(see:id(M), N, F, O) end} end,
    see:all([Create(M, N, [{a, 1}], No) || M <- [m, 1, "m", {}], N <- [n, 1, []]]),
    see:all([Create(m, n, F, No) || F <- [[], foo, #{a => 1}, [{a, 1} | b], [a], [{a, 1, 2}], [{1, 1}],
        [{a, 1}, {a, 1}, {1, 1}],
                                          [{1, 1}, b], [b, {1, 1}], [{a, 1}, {b, 1}, {a, 1}], [{'', 1}, {'A b', 2}],
                                          [{X, X} || X <- [z, y, x, w]], long(20), long(40) ++ [{field3, x}],
                                          long(18) ++ [{field17, 1}]]]),
    see:all([Create(m, n, F, O) || O <- [x, [], #{}, #{is_exported => 1}, #{is_exported => true, a => 1},
        #{other => true}, #{is_exported => true}],
                                   F <- [[{a, 1}], [{1, 1}], foo]]),
    Large = maps:from_list([{is_exported, true} | [{X, X} || X <- lists:seq(1, 100)]]),
    see:value(many_options, try records:create(m, n, [], Large) catch error:R -> R end),
    see:value(created, length(records:get_field_names(new(long(1000))))).

asking() ->
    R = new([{z, 1}, {a, 2}, {'', 3}]),
    Terms = [R, new(n, [], false), {m, n}, 1, [], #{}, <<>>, m],
    see:all([{{F, T}, fun() -> records:F(see:id(T)) end} || F <- [get_field_names, get_module, get_name, is_exported],
        T <- Terms]),
    see:all([{{get, F, T}, fun() -> records:get(see:id(F), T) end} || F <- [z, a, '', q, 1], T <- Terms]),
    see:value(many, [records:get(F, new(long(50))) || {F, _} <- long(50)]).

updating() ->
    R = new([{z, 1}, {a, 2}, {'', 3}]),
    Update = fun(X, M, N, F) -> {{X, M, N, F}, fun() -> records:update(see:id(X), M, N, F) end} end,
    see:all([Update(R, m, n, F) || F <- [#{a => 5}, #{}, [], #{q => 1}, #{1 => 1}, #{z => a, a => z, '' => R}]]),
    see:all([Update(X, M, N, F) || X <- [R, {m, n}, n, #{}], M <- [m, o, 1], N <- [n, o, 1], F <- [#{a => 1}, x]]),
    see:all([Update(new(n, [{a, 1}], false), m, n, #{a => 2}), Update(new([]), m, n, #{a => 2})]),
    see:value(many, records:update(new(long(50)), m, n, maps:from_list([{F, -V} || {F, V} <- long(50)]))),
    Absent = [list_to_atom("absent" ++ integer_to_list(N)) || N <- lists:seq(1, 50)],
    see:all([Update(R, m, n, maps:from_list([{F, 1} || F <- Fields]))
        || Fields <- [Absent, [false | Absent], [z, 1 | Absent], lists:sublist(Absent, 30), [{1, F} || F <- Absent]]]),
    see:value(before, R).

tests_of_types() ->
    R = new([{a, 1}]),
    Tests = [is_atom, is_binary, is_bitstring, is_boolean, is_float, is_function, is_integer, is_list, is_map,
        is_number, is_pid, is_port,
             is_record, is_reference, is_tuple],
    see:value(tests, [{T, erlang:T(R)} || T <- Tests]),
    see:value(is_record, [erlang:is_record(see:id(T)) || T <- [R, {n, 1}, #{}, [], 1, a]]),
    see:value(named, [{N, [erlang:is_record(see:id(T), see:id(N)) || T <- [R, {n}, {n, 1}, {m, n}, 1, [], #{}]]}
        || N <- [n, m, a]]),
    Three = fun(T, A, B) -> {{T, A, B}, fun() -> erlang:is_record(see:id(T), see:id(A), see:id(B)) end} end,
    see:all([Three(T, A, B) || T <- [R, {n}, {n, 1}, {m, n}], A <- [m, n, 1],
        B <- [n, m, 1, 2, -1, 1 bsl 70, 1.0, []]]),
    see:all([{{two, N}, fun() -> erlang:is_record(R, see:id(N)) end} || N <- [1, "n", {m, n}]]),
    see:all([{element, fun() -> element(1, see:id(R)) end}, {tuple_size, fun() -> tuple_size(see:id(R)) end},
        {size, fun() -> size(see:id(R)) end},
             {map_size, fun() -> map_size(see:id(R)) end}, {hd, fun() -> hd(see:id(R)) end},
             {sum, fun() -> see:id(R) + 1 end},
             {call, fun() -> (see:id(R))() end}, {keys, fun() -> maps:keys(R) end},
             {tuple_to_list, fun() -> tuple_to_list(see:id(R)) end},
             {list_to_binary, fun() -> list_to_binary([R]) end}, {atom, fun() -> R:x() end}]),
    see:value(guards, [if T > {1, 2, 3}, T < #{}, T < [], T > self() -> between; true -> elsewhere end
        || T <- [R, new([]), {}, #{}]]).

order() ->
    Records = [new(n, F, E) || F <- [[], [{a, 1}], [{a, 1.0}], [{a, 2}], [{b, 0}], [{a, 1}, {b, 2}], [{b, 2}, {a, 1}],
        [{b, 1}, {a, 2}],
                                     [{a, []}], [{a, {}}], [{zz, 1}, {aa, 1}], [{aa, 1}, {zz, 1}]], E <- [true, false]]
        ++ [records:create(M, N, [], #{is_exported => true}) || M <- [a, m, z], N <- [a, n, z]],
    Terms = Records ++ [1, a, {}, {1, 2, 3}, {m, n}, #{}, #{a => 1}, [], [1], <<>>, <<"a">>, 1.5, fun lists:map/2],
    see:value(sorted, lists:sort(Terms)),
    see:value(unique, length(lists:usort(Terms))),
    Index = lists:zip(lists:seq(1, length(Terms)), Terms),
    see:value(less, [[B || {B, Y} <- Index, X < Y] || {_, X} <- Index]),
    see:value(equal, [{A, B} || {A, X} <- Index, {B, Y} <- Index, A < B, X == Y]),
    see:value(exactly, [{A, B} || {A, X} <- Index, {B, Y} <- Index, A < B, X =:= Y]),
    see:value(rebuilt, [A || {A, X} <- Index, not (binary_to_term(term_to_binary(X)) =:= X)]),
    Deep = fun(N) -> lists:foldl(fun(I, R) -> new([{a, I}, {b, R}]) end, x, lists:seq(1, N)) end,
    see:value(deep, [Deep(100000) == Deep(100000), Deep(100000) < new([{a, 100000}, {b, Deep(99998)}]),
        Deep(100000) =:= Deep(99999)]).

%% The order is that of tuples of module, name, whether it is exported, number of fields, their names, their values.
random_order() ->
    _ = rand:seed(exsss, {1, 2, 3}),
    Records = [random(2) || _ <- lists:seq(1, 1500)],
    Wrong = [{A, B} || {A, B} <- lists:zip(Records, lists:reverse(Records)),
                       ((key(A) < key(B)) =/= (A < B)) orelse ((key(A) == key(B)) =/= (A == B))
                           orelse ((key(A) =:= key(B)) =/= (A =:= B))],
    see:value(wrong, Wrong).

random(Depth) ->
    Names = [alpha, '', a, b, 'Q', ok, zeta, node],
    Fields = lists:sublist([A || {_, A} <- lists:sort([{rand:uniform(), A} || A <- Names])], rand:uniform(4) - 1),
    records:create(one_of([m, zeta]), one_of([n, alpha]), [{F, value(Depth)} || F <- Fields],
        #{is_exported => one_of([true, false])}).

value(0) -> one_of([1, 2, 1.0, a, b]);
value(Depth) ->
    case rand:uniform(3) of
        1 -> value(0);
        2 -> random(Depth - 1);
        3 -> {random(Depth - 1)}
    end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

key(Tuple) when is_tuple(Tuple) -> list_to_tuple([key(E) || E <- tuple_to_list(Tuple)]);
key(Term) ->
    case is_record(Term) of
        true ->
            Names = records:get_field_names(Term),
            {rec, records:get_module(Term), records:get_name(Term), records:is_exported(Term), length(Names), Names,
             [key(records:get(N, Term)) || N <- Names]};
        false -> Term
    end.

%% With more than one field, the hash depends on the order in which the node met the names of the fields.
hashes() ->
    Records = [new(N, F, E) || N <- [n, '', 'é', 'A b'], E <- [true, false],
                               F <- [[], [{a, 1}], [{a, 2}], [{b, 1}], [{a, "text"}], [{a, {1, <<"x">>}}], [{a, #{}}],
                                   [{a, []}], [{a, x}], [{a, 1 bsl 70}]]],
    Terms = Records ++ [[R] || R <- Records] ++ [{R, 1} || R <- Records] ++ [#{R => R} || R <- Records] ++
        [new([{a, R}]) || R <- Records],
    see:value(phash2, [erlang:phash2(T, 1 bsl 32) || T <- Terms]),
    see:value(phash, [erlang:phash(T, 1 bsl 32) || T <- Terms]),
    Fields = [{first_of_hashed, 1}, {second_of_hashed, "2"}, {third_of_hashed, {3}}, {true, 4}],
    Long = [new(F) || F <- [lists:reverse(Fields), Fields, [{N, x} || {N, _} <- Fields], long(40)]],
    Several = Long ++ [{R, R} || R <- Long] ++ [new([{a, R}]) || R <- Long],
    see:value(several, [erlang:phash2(T, 1 bsl 32) || T <- Several]),
    see:value(several_by_phash, [erlang:phash(T, 1 bsl 32) || T <- Several]).

printed() ->
    R = new([{a, 1}]),
    Odd = records:create('My Mod', 'Q r', [{'A b', R}], #{is_exported => false}),
    If = records:create('if', 'when', [{'end', "text"}], #{is_exported => false}),
    Terms = [R, new([]), Odd, If, new([{z, 1}, {a, [R, R]}, {'', #{R => Odd}}]), [R | R], {R},
             records:create('Ж', 'é', [{'日', <<"a">>}], #{is_exported => true})],
    [io:format("~p~n~w~n~tp~n~tw~n~P~n~W~n~0p~n~20p~n", [T, T, T, T, T, D, T, D, T, T]) || T <- Terms,
        D <- [1, 2, 3, 5, 9]],
    io:format("~p~n~30p~n", [new(long(30)), new(long(30))]),
    io:format("~ts~n", [[io_lib:format("~tp ", [T]) || T <- Terms]]),
    io:format("~p ~p~n", [new([{list, lists:seq(1, 60)}, {text, lists:duplicate(100, $a)}]),
        {new([{a, lists:duplicate(30, R)}])}]),
    [erlang:display(T) || T <- [R, new([]), Odd, If, [R | R], {R}]],
    see:value(limited, [{L, erts_internal:term_to_string(Odd, L)} || L <- lists:seq(10, 45)]),
    see:value(unlimited, erts_internal:term_to_string([If, Odd], undefined)).

sizes() ->
    Records = [new([]), new([{a, 1}]), new([{a, 1}, {b, 2}]), new(long(30)), new([{a, "abc"}])],
    see:value(flat, [{erts_debug:flat_size(R), erts_debug:flat_size({R, R})} || R <- Records]),
    see:value(shared, [{erts_debug:size_shared(R), erts_debug:size_shared([R, R])} || R <- Records]),
    R = new([{a, 1}, {b, 2}]),
    see:value(updated, erts_debug:size_shared([R, records:update(R, m, n, #{a => 2})])).

external() ->
    Records = [new([]), new([{a, 1}]), new(n, [{a, 1}], false), new([{z, 1}, {a, "text"}]), new([{a, new([{b, []}])}]),
        new(n, long(40), false),
               records:create('Ж', 'é', [{'日', <<"a">>}], #{is_exported => true})],
    [see:value(R, {term_to_binary(R), term_to_binary(R, [{minor_version, 1}, deterministic]),
        term_to_binary(R, [{minor_version, 0}]),
                   erlang:external_size(R), erlang:external_size(R, [{minor_version, 1}]),
                   iolist_size(term_to_iovec(R)),
                   binary_to_term(term_to_binary(R, [compressed])) =:= R}) || R <- Records],
    Atom = fun(A) -> T = atom_to_binary(A), [119, byte_size(T), T] end,
    Whole = fun(Count, Flags, Fields, Values) ->
        iolist_to_binary([131, $C, <<Count:32, Flags>>, Atom(m), Atom(n), [Atom(F) || F <- Fields], Values])
    end,
    One = [97, 1],
    Good = Whole(1, 1, [a], One),
    <<131, Bare/binary>> = Good,
    Bad = [{{flags, F}, Whole(1, F, [a], One)} || F <- [0, 1, 2, 3, 128, 129, 255]]
        ++ [{duplicate, Whole(2, 1, [a, a], [One, One])},
            {duplicate_of_many, Whole(41, 1, [F || {F, _} <- long(40)] ++ [field7], [One || _ <- lists:seq(1, 41)])},
            {values_missing, Whole(2, 1, [a, b], One)}, {names_missing, Whole(3, 1, [a], One)},
            {module, iolist_to_binary([131, $C, <<0:32, 0>>, One, Atom(n)])},
            {name, iolist_to_binary([131, $C, <<0:32, 0>>, Atom(n), One])},
            {field, iolist_to_binary([131, $C, <<1:32, 0>>, Atom(m), Atom(n), One, One])},
            {field_with_parts, iolist_to_binary([131, $C, <<1:32, 0>>, Atom(m), Atom(n), 104, 1, One, One])},
            {latin1, iolist_to_binary([131, $C, <<1:32, 0>>, [100, 0, 1, $m], [115, 1, $n], [118, 0, 1, $a], 106])},
            {claims, <<131, $C, 16#ffffffff:32, 0, 119, 1, $m, 119, 1, $n>>},
            {claims_few, <<131, $C, 1000:32, 0, 119, 1, $m, 119, 1, $n, 97, 1>>},
            {in_list, iolist_to_binary([131, 108, <<2:32>>, Bare, Bare, 106])},
            {in_tuple, iolist_to_binary([131, 104, 2, Bare, Bare])},
            {in_map, iolist_to_binary([131, 116, <<1:32>>, Bare, Bare])},
            {twice_in_map, iolist_to_binary([131, 116, <<2:32>>, Bare, One, Bare, One])},
            {nested, Whole(1, 0, [a], Bare)}, {more_behind, <<Good/binary, 1, 2, 3>>}],
    see:all([{L, fun() -> R = binary_to_term(B), {R, [records:is_exported(X) || X <- [R], is_record(X)]} end}
        || {L, B} <- Bad]),
    see:all([{{cut, N}, fun() -> binary_to_term(binary:part(Good, 0, N)) end} || N <- lists:seq(0, byte_size(Good))]),
    see:value(used, binary_to_term(<<Good/binary, 1, 2, 3>>, [used])),
    Unknown = fun(A) -> [119, byte_size(A), A] end,
    see:all([{{safe, N}, fun() -> binary_to_term(iolist_to_binary([131, $C, <<1:32, 0>>, Parts, One]), [safe]) end}
             || {N, Parts} <- [{known, [Atom(m), Atom(n), Atom(a)]},
                 {module, [Unknown(<<"never_1">>), Atom(n), Atom(a)]},
                               {name, [Atom(m), Unknown(<<"never_2">>), Atom(a)]},
                               {field, [Atom(m), Atom(n), Unknown(<<"never_3">>)]}]]),
    Many = [new([{a, X}, {b, {X}}]) || X <- lists:seq(1, 20000)],
    see:value(many, binary_to_term(term_to_binary(Many)) =:= Many).

maps_and_tables() ->
    Records = [new(n, [{a, X}], X rem 2 =:= 0) || X <- lists:seq(1, 100)],
    Map = maps:from_list([{R, X} || {X, R} <- lists:enumerate(Records)]),
    see:value(map, [X || {X, R} <- lists:enumerate(Records), maps:get(R, Map) =/= X]),
    R = new([{a, 1}, {b, '$1'}]), Float = records:update(R, m, n, #{a => 1.0}),
    Small = #{R => 1, Float => 2},
    see:value(small, {map_size(Small), maps:get(R, Small), maps:get(Float, Small), maps:is_key(new([]), Small)}),
    [begin
         T = ets:new(t, Options),
         true = ets:insert(T, [{R, 1}, {Float, R}, {new([]), 3}, {#{}, 4}, {{1, 2}, 5}, {{m}, R, R}]),
         see:value(Options, {ets:lookup(T, R), ets:lookup(T, Float), ets:lookup(T, new([])), ets:match(T, {R, '$2'}),
             ets:match(T, {'$1', R}),
                             lists:sort(ets:match_object(T, {'_', R})), lists:sort(ets:tab2list(T)),
                             ets:member(T, new([{a, 1}]))}),
         see:value(updated, {ets:update_element(T, R, {2, Float}), ets:lookup(T, R), ets:update_element(T, R, {2, R}),
             ets:lookup(T, R),
                             ets:delete(T, R), ets:lookup(T, R)}),
         true = ets:insert(T, [{{I, X}, X} || {I, X} <- lists:enumerate(Records)]),
         see:value(kept, [X || {I, X} <- lists:enumerate(Records), ets:lookup(T, {I, X}) =/= [{{I, X}, X}]]),
         see:value(deleted, ets:select_delete(T, [{{{'$1', '_'}, '_'}, [{'>', '$1', 50}], [true]}])),
         ets:delete(T)
     end || Options <- [[set], [ordered_set], [set, compressed], [ordered_set, compressed],
     [ordered_set, public, {write_concurrency, true}]]],
    Bag = ets:new(t, [bag]),
    true = ets:insert(Bag, [{1, R}, {1, Float}, {1, R}, {R, 1}]),
    see:value(bag, lists:sort(ets:tab2list(Bag))),
    Ordered = ets:new(t, [ordered_set]),
    true = ets:insert(Ordered, [{X} || X <- [R, Float, new([]), {1, 2}, #{}, [], 1, a | lists:sublist(Records, 20)]]),
    see:value(ordered, ets:tab2list(Ordered)).

match_specifications() ->
    R = new([{a, 1}, {b, '$1'}]), Other = new([{a, 2}, {b, '$1'}]),
    Terms = [{X} || X <- [R, Other, new([]), {n, 1}, {n}, 1, [], #{}]],
    Run = fun(Specification) ->
        {Specification, fun() -> ets:match_spec_run(Terms, ets:match_spec_compile(Specification)) end} end,
    Guard = fun(G) -> Run([{{'$1'}, [G], ['$1']}]) end,
    see:all([Guard(G) || G <- [{is_record, '$1'}, {is_record, '$1', n}, {is_record, '$1', m, n},
        {is_record, '$1', m, x}, {is_record, '$1', n, 2},
                               {is_record, '$1', 1, n}, {is_record, '$1', m, {element, 1, {{n, 2}}}}, {is_tuple, '$1'},
                               {is_map, '$1'},
                               {'=:=', '$1', {const, R}}, {'=:=', '$1', R}, {'>', '$1', R},
                               {'==', '$1', new([{a, 1.0}, {b, '$1'}])}]]),
    see:all([Run([{{R}, [], ['$_']}]), Run([{'$1', [], [R]}]), Run([{'$1', [], [{{R, '$1'}}]}]),
        Run([{{R}, [], [R]}, {{Other}, [], [{const, Other}]}]),
             Run([{{new([{a, '_'}, {b, '_'}])}, [], ['$_']}])]),
    see:value(test, ets:test_ms({R}, [{{'$1'}, [{is_record, '$1', m, n}], ['$1']}])).

carried() ->
    R = new([{a, 1}, {b, [x, {y, <<1:800>>}]}, {c, make_fun(7)}]),
    Echo = spawn_link(fun Loop() -> receive {From, T} -> From ! {self(), T}, Loop() end end),
    Ask = fun(T) -> Echo ! {self(), T}, receive {Echo, Answer} -> Answer end end,
    see:value(echoed, [Ask(T) =:= T || T <- [R, [R, R], {R}, #{R => R}, fun() -> R end, lists:duplicate(1000, R)]]),
    see:value(spawned, begin Me = self(), spawn(fun() -> Me ! {got, R} end), receive {got, X} -> X =:= R end end),
    self() ! other, self() ! {R, 1}, self() ! R,
    see:value(selected, receive R -> whole end),
    see:value(selected, receive {R, One} -> One end),
    see:value(exited, begin {P, M} = spawn_monitor(fun() -> exit(R) end),
        receive {'DOWN', M, process, P, Reason} -> Reason =:= R end end),
    persistent_term:put({?MODULE, R}, [R, R]),
    see:value(persistent, persistent_term:get({?MODULE, R}) =:= [R, R]),
    persistent_term:erase({?MODULE, R}),
    put(R, R), see:value(dictionary, {get(R) =:= R, erase(R) =:= R}),
    see:all([{error, fun() -> error(new([{a, 1}])) end}, {throw, fun() -> throw(new([])) end},
        {exit, fun() -> exit({new([]), x}) end},
             {badmatch, fun() -> {_} = see:id(new([])) end},
             {case_clause, fun() -> case see:id(new([{a, 1}])) of 1 -> ok end end}]),
    see:value(mapped, lists:keyfind(R, 2, [{1, new([])}, {2, R}]) =:= {2, R}),
    see:value(lists, {lists:member(R, [1, R]), [R, 1] -- [R], lists:keymember(new([]), 1, [{R}])}).

make_fun(X) -> fun(Y) -> X + Y end.

%% Records that survive collections, are changed in between and refer to each other.
collected() ->
    Final = lists:foldl(fun(N, Kept) ->
        R = new([{number, N}, {text, integer_to_list(N)}, {before, hd(Kept)}, {bytes, <<N:1000>>}]),
        _ = lists:seq(1, 20),
        [records:update(R, m, n, #{number => -N, before => none}) | lists:sublist(Kept, 50)]
    end, [none], lists:seq(1, 5000)),
    erlang:garbage_collect(),
    see:value(collected, [{records:get(number, R), records:get(text, R), byte_size(records:get(bytes, R))}
        || R <- lists:sublist(Final, 5)]),
    Chain = lists:foldl(fun(N, R) -> new([{a, N}, {b, R}]) end, nil, lists:seq(1, 100000)),
    erlang:garbage_collect(),
    see:value(chain, count(Chain, 0)).

count(nil, N) -> N;
count(R, N) -> count(records:get(b, R), N + 1).
