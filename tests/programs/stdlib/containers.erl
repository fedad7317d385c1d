%% sets, ordsets, gb_sets, gb_trees, dict, orddict, queue, array, proplists, digraph, sofs.
-module(containers).
-export([main/0]).

main() ->
    [set(M) || M <- [sets, ordsets, gb_sets]],
    see:value(sets_v2, begin S = sets:from_list([1, 2, 3], [{version, 2}]), {sets:is_set(S), lists:sort(sets:to_list(sets:add_element(4, S)))} end),
    T = gb_trees:from_orddict([{N, N * N} || N <- lists:seq(1, 100)]),
    see:value(gb_trees, [gb_trees:size(T), gb_trees:lookup(7, T), gb_trees:lookup(0, T), gb_trees:smallest(T), gb_trees:largest(T), gb_trees:get(9, gb_trees:update(9, x, T)), gb_trees:is_defined(5, gb_trees:delete(5, T)), gb_trees:size(gb_trees:balance(T))]),
    see:value(gb_iter, begin {K, V, I} = gb_trees:next(gb_trees:iterator(T)), {K2, V2, _} = gb_trees:next(I), [{K, V}, {K2, V2}] end),
    D = dict:from_list([{N, [N]} || N <- lists:seq(1, 100)]),
    see:value(dict, [dict:size(D), dict:find(3, D), dict:find(x, D), dict:fetch(3, dict:append(3, y, D)), lists:sum(lists:append([V3 || {_, V3} <- dict:to_list(D)])), dict:fold(fun(K3, _, A) -> A + K3 end, 0, D), dict:is_key(5, dict:erase(5, D)), dict:fetch(7, dict:update_counter(7, 1, dict:new()))]),
    see:value(orddict, [orddict:from_list([{b, 1}, {a, 2}]), orddict:store(c, 3, [{a, 1}]), orddict:update_counter(a, 5, [{a, 1}])]),
    Q = lists:foldl(fun queue:in/2, queue:new(), lists:seq(1, 10)),
    see:value(queue, [queue:len(Q), queue:to_list(Q), element(1, queue:out(Q)), element(1, queue:out_r(Q)), queue:peek(Q), queue:head(Q), queue:to_list(queue:reverse(Q)), queue:to_list(queue:in_r(0, Q)), queue:is_empty(queue:new()), element(1, queue:out(queue:new())), queue:member(3, Q), queue:to_list(queue:filter(fun(X) -> X > 5 end, Q))]),
    A = array:from_list(lists:seq(0, 99)),
    see:value(array, [array:size(A), array:get(50, A), array:get(3, array:set(3, x, A)), array:foldl(fun(_, V4, S4) -> V4 + S4 end, 0, A), array:to_list(array:resize(3, A)), array:get(500, array:new({default, d})), array:sparse_to_orddict(array:set(5, v, array:new()))]),
    P = [a, {b, 1}, {c, 2}, {b, 3}],
    see:value(proplists, [proplists:get_value(b, P), proplists:get_value(a, P), proplists:get_value(z, P, none), proplists:get_all_values(b, P), proplists:is_defined(c, P), proplists:delete(b, P), proplists:unfold(P), proplists:compact([{a, true}]), proplists:get_bool(a, P), proplists:lookup(c, P), proplists:to_map([{x, 1}, y])]),
    G = digraph:new(), [digraph:add_vertex(G, V5) || V5 <- [a, b, c, d]], [digraph:add_edge(G, X, Y) || {X, Y} <- [{a, b}, {b, c}, {c, d}]],
    see:value(digraph, [digraph:get_path(G, a, d), digraph_utils:topsort(G), lists:sort(digraph:vertices(G)), digraph:no_edges(G), digraph_utils:is_acyclic(G)]),
    see:value(sofs, [sofs:to_external(sofs:union(sofs:set([1, 2]), sofs:set([2, 3]))), sofs:to_external(sofs:domain(sofs:relation([{a, 1}, {b, 2}])))]),
    see:value(gb_many, begin S5 = lists:foldl(fun(N, Acc) -> gb_sets:add(N * 7919 rem 10007, Acc) end, gb_sets:new(), lists:seq(1, 5000)), {gb_sets:size(S5), gb_sets:smallest(S5), gb_sets:largest(S5), lists:sum(gb_sets:to_list(S5))} end),
    see:value(ordsets, [ordsets:union([1, 3], [2, 3]), ordsets:subtract([1, 2, 3], [2]), ordsets:is_subset([1], [1, 2])]).

set(M) ->
    S = M:from_list([3, 1, 2, 3]), S2 = M:from_list([2, 3, 4]),
    L = fun(X) -> lists:sort(M:to_list(X)) end,
    see:value(M, [M:size(S), L(S), M:is_element(1, S), M:is_element(9, S), L(M:add_element(9, S)), L(M:del_element(1, S)), L(M:union(S, S2)), L(M:intersection(S, S2)), L(M:subtract(S, S2)), M:is_subset(M:from_list([1]), S), M:is_disjoint(S, M:from_list([7])), M:fold(fun(X, A) -> X + A end, 0, S), L(M:filter(fun(X) -> X > 1 end, S)), M:size(M:new())]).
