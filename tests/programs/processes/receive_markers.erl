%% Waiting for a fresh reference with many older messages in the queue, in the shapes the
%% compiler knows, and in shapes where the reference escapes first.
-module(receive_markers).
-export([main/0, call/2]).

main() ->
    Server = spawn(fun() -> server(0) end),
    [self() ! {old, I} || I <- lists:seq(1, 20000)],
    see:value(calls, lists:sum([call(Server, I) || I <- lists:seq(1, 2000)])),
    see:value(monitors, lists:usort([watch() || _ <- lists:seq(1, 1000)])),
    see:value(loops, loop(Server, 100, 0)),
    see:value(two_refs, two_refs(Server)),
    see:value(escaped, escaped(Server)),
    see:value(by_helper, by_helper(Server)),
    see:value(conditional, [conditional(Server, B) || B <- [true, false]]),
    see:value(timeout, begin R = make_ref(), receive {R, _} -> no after 10 -> timeout end end),
    see:value(gen_call, [begin gen_server:reply({self(), R0}, N), receive {R0, X} -> X end end || N <- [1, 2],
        R0 <- [make_ref()]]),
    see:value(left, element(2, process_info(self(), message_queue_len))),
    Server ! stop.

call(Server, X) ->
    Ref = make_ref(),
    Server ! {self(), Ref, X},
    receive {Ref, Y} -> Y end.

watch() ->
    {Pid, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, process, Pid, Reason} -> Reason end.

loop(_, 0, Sum) -> Sum;
loop(Server, N, Sum) ->
    Ref = monitor(process, Server),
    Server ! {self(), Ref, N},
    receive
        {Ref, Y} -> demonitor(Ref, [flush]), loop(Server, N - 1, Sum + Y);
        {'DOWN', Ref, _, _, R} -> R
    end.

two_refs(Server) ->
    R1 = make_ref(), R2 = make_ref(),
    Server ! {self(), R2, 2}, Server ! {self(), R1, 1},
    A = receive {R1, X} -> X end,
    B = receive {R2, Y} -> Y end,
    {A, B}.

escaped(Server) ->
    Ref = make_ref(),
    self() ! {Ref, mine},
    Server ! {self(), Ref, 5},
    {receive {Ref, A} -> A end, receive {Ref, B} -> B end}.

by_helper(Server) -> Ref = new(), Server ! {self(), Ref, 9}, receive {Ref, Y} -> Y end.
new() -> make_ref().

conditional(Server, B) ->
    Ref = make_ref(),
    if B -> Server ! {self(), Ref, 1}; true -> self() ! {Ref, direct} end,
    receive {Ref, Y} -> Y end.

server(N) ->
    receive
        {From, Ref, X} -> From ! {Ref, X + 1}, server(N + 1);
        stop -> ok
    end.
