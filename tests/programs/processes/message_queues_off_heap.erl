%% Queues kept off the heap behave as those on it, also when the flag changes on the way.
-module(message_queues_off_heap).
-export([main/0]).

main() ->
    [see:value(D, run(D)) || D <- [on_heap, off_heap]],
    see:value(switched, switched()),
    see:value(long, long(20000)).

run(D) ->
    Me = self(),
    {P, R} = spawn_opt(fun() -> receive start -> ok end, S = sum(0), erlang:garbage_collect(),
        Me ! {sum, S, element(2, process_info(self(), message_queue_len))}, receive last -> ok end end,
    [monitor, {message_queue_data, D}]),
    [P ! {n, N, <<N:1000>>, [N]} || N <- lists:seq(1, 1000)], P ! last, P ! start,
    X = receive {sum, S, L} -> {S, L} end,
    {X, receive {'DOWN', R, _, _, E} -> E end}.
sum(S) -> receive {n, N, <<N:1000>>, [N]} -> sum(S + N) after 0 -> S end.

switched() ->
    [self() ! {m, N, lists:seq(1, N)} || N <- lists:seq(1, 50)],
    process_flag(message_queue_data, off_heap),
    [self() ! {m, N, lists:seq(1, N)} || N <- lists:seq(51, 100)],
    erlang:garbage_collect(),
    process_flag(message_queue_data, on_heap),
    [receive {m, N, L} -> length(L) end || N <- lists:seq(1, 100)] =:= lists:seq(1, 100).

long(N) ->
    {P, R} = spawn_opt(fun() -> receive go -> exit(drain(0)) end end, [monitor, {message_queue_data, off_heap}]),
    [P ! {x, I} || I <- lists:seq(1, N)], P ! go,
    receive {'DOWN', R, _, _, X} -> X end.
drain(S) -> receive {x, I} -> drain(S + I) after 0 -> S end.
