%% erts_debug and erts_internal: sizes and shapes of terms.
%% releases: 25
-module(insides).
-export([main/0]).

main() ->
    X = lists:seq(1, see:id(10)),
    Big = maps:from_list([{I, I} || I <- lists:seq(1, see:id(1000))]),
    Terms = [X, {X, X}, #{a => X, see:id(b) => X}, [X | X], see:id(1) bsl 70, see:id(1.5), <<1, 2, (see:id(3))>>,
        <<0:800, (see:id(3))>>, Big, fun() -> X end, list_to_tuple(X)],
    see:value(flat, [erts_debug:flat_size(T) || T <- Terms]),
    see:value(shared, [erts_debug:size_shared(T) || T <- Terms]),
    see:value(size, [erts_debug:size(T) || T <- Terms]),
    see:value(types, [erts_internal:term_type(T) || T <- Terms ++ [[], a, self(), make_ref(), 1, fun lists:map/2,
        tail(<<1, 2, 3, (see:id(4))>>)]]),
    see:value(info, [erts_debug:map_info(Big),
        erts_debug:map_info(maps:from_list([{I, I} || I <- lists:seq(1, see:id(40))]))]),
    see:value(same, [erts_debug:same(X, X), erts_debug:same({see:id(a)}, {see:id(a)}), erts_debug:same(a, a)]),
    see:value(copy, erts_debug:copy_shared(Terms) =:= Terms),
    see:value(cmp, [erts_internal:cmp_term(A, B) || {A, B} <- [{1, 1.0}, {1.0, 1}, {1, 2}, {a, a}, {[], {}},
        {#{1 => a}, #{1.0 => a}}]]),
    see:value(keys, [erts_internal:map_to_tuple_keys(#{b => 1, a => 2}),
        length(erts_internal:map_hashmap_children(Big))]),
    see:value(next, [erts_internal:map_next(0, #{b => 1, a => 2}, iterator),
        erts_internal:map_next(0, #{b => 1, a => 2}, [x])]),
    see:value(iterated, begin It = maps:iterator(Big),
        lists:sort(walk(maps:next(It))) =:= lists:sort(maps:to_list(Big)) end),
    see:value(order, {maps:to_list(Big) =:= walk(maps:next(maps:iterator(Big))), lists:sublist(maps:to_list(Big), 5),
        lists:sublist(maps:keys(Big), 5), lists:sublist(maps:values(Big), 5)}),
    see:value(ext, [erts_debug:dist_ext_to_term({a, b}, <<131, 97, 1>>),
        erts_debug:dist_ext_to_term({a, b}, <<131, 104, 2, 82, 0, 82, 1>>)]),
    see:value(dflags, erts_internal:get_dflags()),
    see:value(lcnt, [erts_debug:lcnt_clear(), erts_debug:lcnt_collect()]),
    see:value(misc, [erts_debug:disassemble({lists, map, 2}), erts_debug:interpreter_size(),
        is_list(erts_debug:instructions())]),
    see:fails([fun() -> erts_debug:get_internal_state(see:id(reds_left)) end, fun() -> erts_debug:map_info(see:id(a))
        end, fun() -> erts_debug:map_info(#{}) end, fun() -> erts_internal:map_next(see:id(5), #{a => 1}, iterator) end,
               fun() -> erts_internal:map_next(0, see:id(a), iterator) end,
                   fun() -> erts_internal:map_to_tuple_keys(Big) end,
               fun() -> erts_internal:map_to_tuple_keys(see:id(a)) end,
               fun() -> erts_internal:map_hashmap_children(#{}) end]).

walk(none) -> [];
walk({K, V, I}) -> [{K, V} | walk(maps:next(I))].

tail(<<_, T/binary>>) -> T.
