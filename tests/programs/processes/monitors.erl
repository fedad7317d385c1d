%% Monitors: reasons, names, dead and missing targets, demonitor with its options.
-module(monitors).
-export([main/0]).

main() ->
    Reasons = [normal, shutdown, {shutdown, x}, kill, other, {a, [b]}],
    see:value(reasons, [begin {P, R} = spawn_monitor(fun() -> exit(X) end), receive {'DOWN', R, process, P, Y} -> Y end
        end || X <- Reasons]),
    see:value(dead, begin D = dead(), R1 = monitor(process, D), receive {'DOWN', R1, process, D, X1} -> X1 end end),
    see:value(no_name, begin R2 = monitor(process, no_such_name),
        receive {'DOWN', R2, process, {no_such_name, N2}, X2} -> {N2, X2} end end),
    see:value(no_name_node, begin R3 = monitor(process, {no_such_name, node()}),
        receive {'DOWN', R3, process, N3, X3} -> {N3, X3} end end),
    P4 = spawn(fun() -> receive stop -> exit(bye) end end), register(monitored, P4),
    R4 = monitor(process, monitored), R5 = monitor(process, {monitored, node()}), R6 = monitor(process, P4),
    P4 ! stop,
    see:value(by_name, [receive {'DOWN', R, process, O, X} -> {if is_pid(O) -> pid; true -> O end, X} end
        || R <- [R4, R5, R6]]),
    see:value(twice, begin P7 = waiting(), Ra = monitor(process, P7), Rb = monitor(process, P7), exit(P7, x),
        [receive {'DOWN', R, _, _, X} -> X end || R <- [Ra, Rb]] end),
    see:value(demonitor, begin P8 = waiting(), R8 = monitor(process, P8), true = demonitor(R8), kill(P8),
        receive {'DOWN', R8, _, _, _} -> got after 20 -> none end end),
    see:value(flush, begin P9 = waiting(), R9 = monitor(process, P9), kill(P9), true = demonitor(R9, [flush]),
        receive {'DOWN', R9, _, _, _} -> got after 0 -> none end end),
    see:value(no_flush, begin P10 = waiting(), R10 = monitor(process, P10), kill(P10), await_message(),
        true = demonitor(R10), receive {'DOWN', R10, _, _, X10} -> X10 after 0 -> none end end),
    see:value(info, begin P11 = waiting(), R11 = monitor(process, P11), A = demonitor(R11, [info]),
        B = demonitor(R11, [info]), kill(P11), {A, B} end),
    see:value(info_flush, begin R12 = monitor(process, dead()), await_message(),
        {demonitor(R12, [flush, info]), demonitor(R12, [flush, info])} end),
    see:value(self, begin R13 = monitor(process, self()), {is_reference(R13), demonitor(R13, [info])} end),
    see:value(unknown_ref, demonitor(make_ref())),
    see:value(unknown_ref_info, demonitor(make_ref(), [info])),
    see:value(not_mine, not_mine()),
    see:value(of_me, [of_me(Options) || Options <- [[], [flush], [info], [flush, info]]]),
    see:value(lists, begin P14 = waiting(), R14 = monitor(process, P14), {monitors, M} = process_info(self(), monitors),
        {monitored_by, By} = process_info(P14, monitored_by),
                           demonitor(R14), {M =:= [{process, P14}], By =:= [self()], process_info(self(), monitors)}
                           end),
    see:value(many, length(lists:usort([receive {'DOWN', R, _, _, X} -> X end
        || {_, R} <- [spawn_monitor(fun() -> exit(N) end) || N <- lists:seq(1, 1000)]]))),
    see:value(tag, begin R15 = monitor(process, dead(), [{tag, {my, tag}}]),
        receive {{my, tag}, R15, process, _, X15} -> X15 end end),
    see:value(time_offset, begin R16 = monitor(time_offset, clock_service), demonitor(R16) end),
    see:value(error_reason, begin {P17, R17} = spawn_monitor(fun() -> error(x) end),
        receive {'DOWN', R17, process, P17, {x, [_ | _]}} -> stack end end),
    see:fails([fun() -> monitor(process, see:id(1)) end, fun() -> monitor(see:id(thing), self()) end,
        fun() -> monitor(process, {a, b, c}) end,
               fun() -> demonitor(see:id(x)) end, fun() -> demonitor(make_ref(), [bad]) end,
                   fun() -> monitor(process, self(), [{tag}]) end]).

waiting() -> spawn(fun() -> receive after infinity -> ok end end).
dead() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, _, _, _} -> P end.
kill(P) -> R = monitor(process, P), exit(P, kill), receive {'DOWN', R, _, _, _} -> ok end.
await_message() -> case process_info(self(), message_queue_len) of {_, 0} -> receive after 1 -> await_message() end;
    _ -> ok end.

%% The watched process can't undo it.
of_me(Options) ->
    {Pid, Ref} = spawn_monitor(fun() -> receive {R, To} -> To ! {undone, catch demonitor(R, Options)} end, exit(bye)
        end),
    Pid ! {Ref, self()},
    [receive {undone, Result} -> Result end, receive {'DOWN', Ref, process, Pid, Reason} -> Reason end].

not_mine() ->
    Me = self(), T = waiting(),
    spawn(fun() -> R = monitor(process, T), Me ! {theirs, R}, receive {'DOWN', R, _, _, X} -> Me ! {they_saw, X} end
        end),
    receive {theirs, R} -> ok end,
    A = try demonitor(R) catch error:E -> E end,
    exit(T, bye),
    {A, receive {they_saw, X} -> X end}.
