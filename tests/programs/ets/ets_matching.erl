%% match, select and match specifications, with all their functions and guards, with continuations.
-module(ets_matching).
-include_lib("stdlib/include/ms_transform.hrl").
-export([main/0]).

main() ->
    [run(T) || T <- [set, ordered_set, bag]],
    see:value(test_ms, [ets:test_ms(O, S) || {O, S} <- [{{1, 2}, [{{'$1', '$2'}, [], [{{'$2', '$1'}}]}]},
        {{1, 2}, [{{'$1', '$1'}, [], ['$1']}]}, {{1, a}, [{{'_', '$1'}, [{is_atom, '$1'}], ['$_', '$$']}]}]]),
    see:value(guards, [{G, ets:test_ms({5, 2.0, "ab", {x, y}, #{k => v}},
        [{{'$1', '$2', '$3', '$4', '$5'}, [G], [yes]}])} || G <- guards()]),
    see:value(bodies, [{B, ets:test_ms({5, [a, b], {x, y}, #{k => v}}, [{{'$1', '$2', '$3', '$4'}, [], [B]}])}
        || B <- bodies()]),
    see:value(compiled, begin C = ets:match_spec_compile([{{'$1', '$2'}, [{'>', '$2', 1}], ['$1']}]),
        {ets:is_compiled_ms(C), ets:match_spec_run([{a, 1}, {b, 2}, {c, 3}, d], C)} end),
    see:value(bad_specs, [try ets:match_spec_compile(S), ok catch error:R -> R end
        || S <- [[{{'$1'}, [{no_such, '$1'}], ['$1']}], [{{'$1'}, [], ['$2']}], x, [{a, b}], [{{'$1'}, [], []}]]]).

run(Type) ->
    T = ets:new(t, [Type]),
    ets:insert(T, [{N, N rem 5, integer_to_list(N), [N, N + 1]} || N <- lists:seq(1, 50)]),
    S = fun lists:sort/1,
    see:value({Type, match}, S(ets:match(T, {'$1', 3, '_', '_'}))),
    see:value({Type, match_key}, ets:match(T, {7, '$1', '$2', '_'})),
    see:before(26, {Type, match_twice}, fun() -> ets:match(T, {'$1', '$1', '_', '_'}) -- [] end),
    see:value({Type, match_object}, S(ets:match_object(T, {'_', 4, '_', ['$1' | '_']}))),
    see:value({Type, select},
        S(ets:select(T, [{{'$1', '$2', '_', '_'}, [{'>', '$1', 40}, {'=:=', '$2', 0}],
        [{{'$1', {'+', '$1', '$2'}}}]}]))),
    see:value({Type, select_two},
        S(ets:select(T, [{{'$1', 1, '_', '_'}, [{'<', '$1', 10}], [one]}, {{'$1', 2, '_', '_'}, [{'<', '$1', 10}],
        [{{two, '$1'}}]}]))),
    see:value({Type, fun2ms}, S(ets:select(T, ets:fun2ms(fun({K, M, Str, _}) when K > 45, M =/= 1 -> {K, Str} end)))),
    see:value({Type, count}, ets:select_count(T, [{{'$1', '_', '_', '_'}, [{'>', '$1', 25}], [true]}])),
    see:value({Type, chunks}, begin L = chunks(ets:select(T, [{{'$1', '_', '_', '_'}, [], ['$1']}], 7)),
        {length(L), S(lists:append(L)) =:= lists:seq(1, 50)} end),
    see:value({Type, match_chunks}, S(lists:append(lists:append(match_chunks(ets:match(T, {'$1', 2, '_', '_'}, 3)))))),
    see:value({Type, delete}, [ets:select_delete(T, [{{'$1', 0, '_', '_'}, [], [true]}]), ets:info(T, size)]),
    case Type of bag -> ok;
        _ -> see:value({Type, replace},
        [ets:select_replace(T, [{{'$1', 1, '$2', '$3'}, [], [{{'$1', replaced, '$2', '$3'}}]}]),
        length(ets:match(T, {'$1', replaced, '_', '_'}))]) end,
    see:value({Type, match_delete}, [ets:match_delete(T, {'_', 2, '_', '_'}), ets:info(T, size)]),
    case Type of
        ordered_set ->
            see:value(reverse, ets:select_reverse(T, [{{'$1', '_', '_', '_'}, [{'<', '$1', 20}], ['$1']}])),
            see:value(range, ets:select(T, [{{'$1', '_', '_', '_'}, [{'>=', '$1', 10}, {'=<', '$1', 15}], ['$1']}])),
            T2 = ets:new(t2, [ordered_set]), ets:insert(T2, [{{A, B}} || A <- [a, b, c], B <- [1, 2, 3]]),
            see:value(partial_key, ets:select(T2, [{{{b, '$1'}}, [], ['$1']}])),
            see:value(bound_prefix, ets:match(T2, {{c, '$1'}}));
        _ -> ok
    end,
    see:value({Type, empty}, [ets:select(T, [{{none, '_'}, [], ['$_']}]), ets:match(T, nothing),
        ets:select(T, [{{'$1', '_', '_', '_'}, [{'>', '$1', 1000}], ['$1']}], 5)]),
    see:value({Type, whole}, length(ets:select(T, [{'_', [], ['$_']}]))).

chunks('$end_of_table') -> [];
chunks({L, C}) -> [L | chunks(ets:select(C))].
match_chunks('$end_of_table') -> [];
match_chunks({L, C}) -> [L | match_chunks(ets:match(C))].

guards() ->
    [{'==', '$1', 5.0}, {'=:=', '$1', 5.0}, {'>', '$1', '$2'}, {is_integer, '$1'}, {is_float, '$1'}, {is_list, '$3'},
        {is_tuple, '$4'}, {is_map, '$5'}, {'andalso', {'>', '$1', 1}, {'<', '$1', 9}},
    {'orelse', false, {is_atom, '$1'}},
     {'and', true, true}, {'or', false, true}, {'not', false}, {'xor', true, true}, {'=:=', {'+', '$1', 1}, 6},
     {'=:=', {'-', '$1'}, -5}, {'=:=', {'*', '$1', 2}, 10}, {'=:=', {'div', '$1', 2}, 2}, {'=:=', {'rem', '$1', 2}, 1},
     {'=:=', {'band', '$1', 4}, 4}, {'=:=', {'bsl', '$1', 1}, 10}, {'=:=', {element, 1, '$4'}, x},
     {'=:=', {hd, '$3'}, $a}, {'=:=', {length, '$3'}, 2}, {'=:=', {tuple_size_is_size, '$4'}, 2},
     {'=:=', {size, '$4'}, 2}, {'=:=', {map_get, k, '$5'}, v},
     {is_map_key, k, '$5'}, {'=:=', {map_size, '$5'}, 1}, {'=:=', {abs, '$1'}, 5}, {'=:=', {trunc, '$2'}, 2},
     {'=:=', {round, '$2'}, 2}, {'=:=', '$4', {{x, y}}}, {'=:=', '$4', {const, {x, y}}}, {hd, '$1'},
     {'>', {hd, '$1'}, 1}, {is_record, '$4', x, 2}, {'=:=', {self}, {self}}, {'=:=', {node}, nonode@nohost}] -- [{'=:=',
         {tuple_size_is_size, '$4'}, 2}].

bodies() ->
    ['$1', '$_', '$$', {{'$1', '$3'}}, ['$1' | '$2'], {const, '$1'}, {'+', '$1', 1}, {element, 2, '$3'}, {hd, '$2'},
        {tl, '$2'}, {length, '$2'}, #{x => '$1'}, {map_size, '$4'}, "literal", {{}}, {'if_not', '$1'}, {hd, '$1'},
    {'=:=', '$1', 5}, {is_list, '$2'}] -- [{'if_not', '$1'}].
