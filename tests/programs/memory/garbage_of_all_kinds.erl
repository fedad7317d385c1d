%% Live data of every kind kept through many collections of each sort.
-module(garbage_of_all_kinds).
-export([main/0]).

main() ->
    Live = live(),
    Hash = erlang:phash2(Live),
    see:value(churned, [begin churn(300, K), erlang:phash2(Live) =:= Hash end || K <- [lists, tuples, binaries, bigs,
        floats, maps, funs, mixed]]),
    see:value(collected, [begin true = C, erlang:phash2(Live) =:= Hash end || C <- [erlang:garbage_collect(),
        erlang:garbage_collect(self(), [{type, minor}]), erlang:garbage_collect(self(), [{type, major}])]]),
    see:value(in_process, [in_process(O, Live) =:= Hash || O <- [[], [{min_heap_size, 10}], [{fullsweep_after, 0}],
        [{min_heap_size, 100000}], [{min_bin_vheap_size, 1}]]]),
    see:value(grown_and_shrunk, grown_and_shrunk(5, Live, Hash)),
    see:value(old_to_new, old_to_new()),
    see:value(dictionary, begin put(live, Live), churn(200, mixed), erlang:phash2(get(live)) =:= Hash end),
    see:value(mailbox, begin [self() ! {m, N, Live} || N <- [1, 2, 3]], churn(200, mixed), erlang:garbage_collect(),
        [receive {m, N, L} -> erlang:phash2(L) =:= Hash end || N <- [3, 1, 2]] end),
    see:value(in_closure, begin F = fun() -> erlang:phash2(Live) end, churn(200, mixed), erlang:garbage_collect(),
        F() =:= Hash end),
    see:value(on_stack, on_stack(2000, Live) =:= Hash),
    see:value(while_matching, while_matching(binary:copy(<<1, 2, 3, 4>>, 500), 0)),
    see:value(while_building, while_building(300)),
    see:value(in_handler, try churn(100, mixed), throw({thrown, Live}) catch {thrown, L} -> churn(100, mixed),
        erlang:phash2(L) =:= Hash end),
    see:value(fresh, erlang:phash2(live()) =:= Hash).

live() ->
    [lists:seq(1, 200), {tuple, {with, [<<"nested">>, 1.5]}}, binary:copy(<<"large">>, 100), <<"small">>, 1 bsl 200,
        -(1 bsl 90), 2.5e10, #{a => 1, "b" => [2]},
     maps:from_list([{N, {N}} || N <- lists:seq(1, 100)]), "string", [a | b], binary:part(binary:copy(<<"sub">>, 100),
         7, 150), <<5:3>>, list_to_tuple(lists:seq(1, 100)), fun lists:map/2].

churn(0, _) -> ok;
churn(N, lists) -> _ = lists:seq(1, 300), churn(N - 1, lists);
churn(N, tuples) -> _ = list_to_tuple(lists:seq(1, 300)), churn(N - 1, tuples);
churn(N, binaries) -> _ = [<<X:100/unit:8>> || X <- lists:seq(1, 10)], _ = binary:copy(<<N>>, 1000),
    churn(N - 1, binaries);
churn(N, bigs) -> _ = lists:foldl(fun(X, A) -> A * X end, 1, lists:seq(1, 60)), churn(N - 1, bigs);
churn(N, floats) -> _ = [X * 1.5 || X <- lists:seq(1, 200)], churn(N - 1, floats);
churn(N, maps) -> _ = maps:from_list([{X, N} || X <- lists:seq(1, 60)]), churn(N - 1, maps);
churn(N, funs) -> _ = [F() || F <- [fun() -> {N, X} end || X <- lists:seq(1, 50)]], churn(N - 1, funs);
churn(N, mixed) -> _ = [{X, [X], <<X:64>>, X * 1.5, X bsl 70, #{X => N}} || X <- lists:seq(1, 50)], churn(N - 1, mixed).

in_process(O, Live) ->
    {P, R} = spawn_opt(fun() -> churn(200, mixed), exit(erlang:phash2(Live)) end, [monitor | O]),
    receive {'DOWN', R, _, P, X} -> X end.

grown_and_shrunk(0, Live, Hash) -> erlang:phash2(Live) =:= Hash;
grown_and_shrunk(N, Live, Hash) ->
    Big = lists:seq(1, 200000 div N), true = length(Big) =:= 200000 div N,
    erlang:garbage_collect(),
    true = lists:sum(Big) > 0,
    grown_and_shrunk(N - 1, Live, Hash).

%% Old data is never made to point at new data, but a process may hold both in any order.
old_to_new() ->
    L = lists:foldl(fun(N, A) -> (N rem 50 =:= 0) andalso erlang:garbage_collect(self(), [{type, minor}]),
        [{N, A, <<N:32>>} | lists:sublist(A, 5)] end, [], lists:seq(1, 500)),
    erlang:phash2(lists:map(fun(T) -> element(1, T) end, L)).

on_stack(0, Live) -> erlang:garbage_collect(), erlang:phash2(Live);
on_stack(N, Live) -> A = {N, Live}, B = [N], R = on_stack(N - 1, Live), {N, _} = A, [N] = B, R.

while_matching(<<A, B, Rest/binary>>, S) -> _ = lists:seq(1, 20), _ = binary:copy(Rest),
    while_matching(Rest, S + A * B);
while_matching(<<>>, S) -> S.

while_building(N) -> erlang:phash2(lists:foldl(fun(X, Acc) -> erlang:garbage_collect(),
    <<Acc/binary, X:16, (list_to_binary(lists:duplicate(3, X band 255)))/binary>> end, <<>>, lists:seq(1, N))).
