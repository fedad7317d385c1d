%% max_heap_size: the limit is compared with all that a collection will need, when it begins.
-module(heap_limit).
-export([main/0]).

main() ->
    Quiet = fun(Size) -> #{size => Size, kill => true, error_logger => false} end,
    see:value(far_below, [ends(Quiet(1000000), fun() -> grow(20000, []) end)]),
    %% 60,000 words live. They fit below the limit, but not twice.
    see:value(only_once, ends(Quiet(110000), fun() -> grow(30000, []) end)),
    see:value(twice, ends(Quiet(700000), fun() -> grow(30000, []) end)),
    see:value(far_above, ends(Quiet(50000), fun() -> grow(1000000, []) end)),
    see:value(for_ever, ends(Quiet(100000), fun() -> grow(infinity, []) end)),
    see:value(garbage, ends(Quiet(50000), fun() -> garbage(300000) end)),
    %% Stock itself crashes when it is the stack that passes the limit.
    see:value(a_tuple, ends(Quiet(50000), fun() -> T = erlang:make_tuple(see:id(100000), x), erlang:garbage_collect(),
        tuple_size(T) end)),
    see:value(binaries, ends(Quiet(50000), fun() -> [binary:copy(<<0>>, 10000) || _ <- lists:seq(1, 100)],
        byte_size(binary:copy(<<0>>, see:id(10000000))) end)),
    see:value(no_kill, ends(#{size => 50000, kill => false, error_logger => false}, fun() -> grow(200000, []) end)),
    see:value(no_limit, ends(0, fun() -> grow(200000, []) end)),
    see:value(flag, ends(0, fun() -> process_flag(max_heap_size, Quiet(50000)), grow(200000, []) end)),
    see:value(flag_off, ends(Quiet(50000), fun() -> process_flag(max_heap_size, 0), grow(200000, []) end)),
    see:value(messages, flooded(Quiet(50000), on_heap)),
    see:value(messages_off, flooded(Quiet(50000), off_heap)),
    see:value(linked, begin
                          process_flag(trap_exit, true),
                          P = spawn_opt(fun() -> grow(infinity, []) end, [link, {max_heap_size, Quiet(50000)}]),
                          receive {'EXIT', P, Why} -> Why end
                      end),
    see:value(trapping, ends(Quiet(50000),
        fun() -> process_flag(trap_exit, true), try grow(infinity, []) catch _:_ -> caught after self() ! x end end)),
    see:value(asked, begin
                         {Q, M} = spawn_opt(fun() -> L = grow_list(30000, []), receive go -> L end end,
                             [monitor, {max_heap_size, Quiet(300000)}]),
                         receive after 20 -> ok end,
                         true = erlang:garbage_collect(Q),
                         Q ! go,
                         receive {'DOWN', M, process, Q, Reason} -> Reason end
                     end).

ends(Limit, Fun) ->
    {P, M} = spawn_opt(fun() -> exit({done, Fun()}) end, [monitor, {max_heap_size, Limit}]),
    receive {'DOWN', M, process, P, Reason} -> Reason end.

grow(0, L) -> length(L);
grow(N, L) when is_integer(N) -> grow(N - 1, [N | L]);
grow(infinity, L) -> grow(infinity, [x | L]).

grow_list(0, L) -> L;
grow_list(N, L) -> grow_list(N - 1, [N | L]).

garbage(0) -> ok;
garbage(N) -> _ = see:id([N, N, N]), garbage(N - 1).

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).

%% Messages count when they are on the heap and the receiver collects.
flooded(Limit, Where) ->
    {P, M} = spawn_opt(fun() -> receive go -> garbage(300000), receive stop -> lived end end end,
                       [monitor, {max_heap_size, Limit}, {message_queue_data, Where}]),
    [P ! lists:seq(1, 100) || _ <- lists:seq(1, 1000)],
    P ! go, P ! stop,
    receive {'DOWN', M, process, P, Reason} -> Reason end.
