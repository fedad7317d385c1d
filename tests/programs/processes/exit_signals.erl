%% exit/2: to self, others, the dead, with kill, in order with messages.
-module(exit_signals).
-export([main/0]).

main() ->
    see:value(returns, [exit(dead(), x), exit(spawn(fun() -> receive after infinity -> ok end end), kill)]),
    see:value(after_messages, begin P = spawn_monitored(fun(Me) -> loop(Me, []) end), [P ! {n, N} || N <- [1, 2, 3]],
        exit(P, stop), P ! {n, 4}, {down(P), lists:sort(flush())} end),
    see:value(kill_trapping,
        begin P2 = spawn_monitored(fun(Me) -> process_flag(trap_exit, true), Me ! up, receive after infinity -> ok end
        end), receive up -> ok end, exit(P2, kill), down(P2) end),
    see:value(killed_linked,
        begin process_flag(trap_exit, true), P3 = spawn_link(fun() -> receive after infinity -> ok end end),
        exit(P3, kill), R3 = receive {'EXIT', P3, X3} -> X3 end, process_flag(trap_exit, false), R3 end),
    see:value(exit_kill_linked, begin process_flag(trap_exit, true), P4 = spawn_link(fun() -> exit(kill) end),
        R4 = receive {'EXIT', P4, X4} -> X4 end, process_flag(trap_exit, false), R4 end),
    see:value(kill_through_link, through(kill)), see:value(killed_through_link, through(killed)),
    see:value(normal_through_link, through(normal)), see:value(shutdown_through_link, through(shutdown)),
    see:value(self_normal, begin P5 = spawn_monitored(fun(_) -> exit(self(), normal), exit(survived) end), down(P5)
        end),
    see:value(self_normal_trapping,
        begin P6 = spawn_monitored(fun(_) -> process_flag(trap_exit, true), exit(self(), normal),
        receive {'EXIT', _, R} -> exit({trapped, R}) end end), down(P6) end),
    see:value(self_kill_trapping,
        begin P7 = spawn_monitored(fun(_) -> process_flag(trap_exit, true), exit(self(), kill),
        receive after infinity -> ok end end), down(P7) end),
    see:value(running, begin P8 = spawn_monitored(fun(_) -> spin(0) end), exit(P8, enough), down(P8) end),
    see:value(deep, begin P9 = spawn_monitored(fun(_) -> deep(0) end), receive after 5 -> ok end, exit(P9, too_deep),
        down(P9) end),
    see:value(before_start, begin P10 = spawn_monitored(fun(_) -> receive after infinity -> ok end end),
        exit(P10, early), down(P10) end),
    see:value(many, begin Ps = [spawn_monitored(fun(_) -> receive after infinity -> ok end end)
        || _ <- lists:seq(1, 1000)], [exit(P, N) || {P, N} <- lists:zip(Ps, lists:seq(1, 1000))],
    [down(P) || P <- Ps] =:= lists:seq(1, 1000) end),
    see:value(large_reason,
        begin Big = lists:seq(1, 10000), P11 = spawn_monitored(fun(_) -> receive after infinity -> ok end end),
        exit(P11, {big, Big}), down(P11) =:= {big, Big} end),
    see:value(catch_does_not_stop,
        begin P12 = spawn_monitored(fun(_) -> try receive after infinity -> ok end catch _:_ -> exit(caught) end end),
        receive after 5 -> ok end, exit(P12, real), down(P12) end),
    see:fails([fun() -> exit(see:id(x), y) end, fun() -> exit(see:id(1), y) end]).

dead() -> P = spawn_monitored(fun(_) -> ok end), down(P), P.
spawn_monitored(F) -> Me = self(), {P, R} = spawn_monitor(fun() -> F(Me) end), put(P, R), P.
down(P) -> R = erase(P), receive {'DOWN', R, process, P, X} -> X after 5000 -> still_there end.
loop(To, Seen) -> receive {n, N} -> To ! {seen, N}, loop(To, [N | Seen]) end.
flush() -> receive M -> [M | flush()] after 0 -> [] end.
spin(N) -> spin(N + 1).
deep(N) when N < 1000000 -> [deep(N + 1)];
deep(N) -> receive after infinity -> N end.

%% A waits for nothing, linked to B; B gets the signal. What does A end with?
through(Reason) ->
    Me = self(),
    A = spawn_monitored(fun(_) -> B = spawn_link(fun() -> receive {end_with, R} -> exit(R) end end), Me ! {b, B},
        receive after infinity -> ok end end),
    receive {b, B} -> B ! {end_with, Reason} end,
    receive after 10 -> ok end,
    exit(A, not_taken_along),
    down(A).
