%% Structures of a few million words, built, changed, sent, dropped.
%% timeout: 40
-module(large_heaps).
-export([main/0]).

main() ->
    see:value(list, begin L = lists:seq(1, 1000000), {length(L), lists:sum(L)} end),
    see:value(map, begin M = lists:foldl(fun(N, A) -> A#{N => {N}} end, #{}, lists:seq(1, 200000)),
        {map_size(M), element(1, maps:get(77777, M))} end),
    see:value(tree, count(tree(17))),
    see:value(tuple, begin T = list_to_tuple(lists:seq(1, 500000)), T2 = setelement(250000, T, x),
        {tuple_size(T2), element(250000, T2), element(250001, T2)} end),
    see:value(sent, begin Me = self(), spawn(fun() -> Me ! {big, tree(15)} end), receive {big, Tr} -> count(Tr) end
        end),
    see:value(exit_reason, begin {P, R} = spawn_monitor(fun() -> exit({big, lists:seq(1, 200000)}) end),
        receive {'DOWN', R, _, P, {big, L3}} -> length(L3) end end),
    see:value(sorted, begin S = lists:sort([(N * 7919) rem 1000003 || N <- lists:seq(1, 300000)]),
        {hd(S), lists:last(S), length(S)} end),
    see:value(strings, length(lists:append([integer_to_list(N) || N <- lists:seq(1, 100000)]))),
    see:value(freed, begin [begin {_, R4} = spawn_monitor(fun() -> tree(14) end),
        receive {'DOWN', R4, _, _, normal} -> ok end end || _ <- lists:seq(1, 10)], ok end),
    see:value(binaries, begin Bs = [binary:copy(<<N:32>>, 50) || N <- lists:seq(1, 50000)],
        lists:sum([byte_size(B) || B <- Bs]) end),
    see:value(deep_term, begin D = lists:foldl(fun(N, A) -> {N, A} end, nil, lists:seq(1, 500000)),
        {erlang:phash2(D), depth(D, 0), D =:= D, copy(D) =:= D} end),
    see:value(kept_small, begin erlang:garbage_collect(), {heap_size, H} = process_info(self(), heap_size), H < 5000000
        end).

tree(0) -> leaf;
tree(N) -> {node, tree(N - 1), N, tree(N - 1)}.
count(leaf) -> 1;
count({node, L, _, R}) -> count(L) + count(R).
depth(nil, N) -> N;
depth({_, A}, N) -> depth(A, N + 1).
copy(D) -> self() ! D, receive X -> X end.
