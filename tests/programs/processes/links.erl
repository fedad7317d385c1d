%% Links: made, broken, both ways, trapping or not, with each kind of reason.
-module(links).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Reasons = [normal, shutdown, {shutdown, x}, kill, killed, other, {complex, [1, "2", <<3>>]}],
    see:value(spawn_link, [begin P = spawn_link(fun() -> exit(R) end), receive {'EXIT', P, X} -> X end end
        || R <- Reasons]),
    see:value(signals, [{R, signal(R, false), signal(R, true)} || R <- Reasons]),
    see:value(link_dead, begin P1 = dead(), link(P1), receive {'EXIT', P1, R1} -> R1 after 1000 -> none end end),
    see:value(link_twice, begin P2 = spawn(fun() -> receive stop -> exit(bye) end end), link(P2), link(P2), P2 ! stop,
        [receive {'EXIT', P2, R2} -> R2 end, receive {'EXIT', P2, _} -> again after 30 -> once end] end),
    see:value(unlink, begin P3 = spawn_link(fun() -> receive stop -> exit(bye) end end), unlink(P3), wait_end(P3, stop),
        receive {'EXIT', P3, _} -> got after 30 -> none end end),
    see:value(link_self, link(self())),
    see:value(unlink_stranger, unlink(dead())),
    see:value(chain, chain(20)),
    see:value(two_sides, two_sides()),
    see:value(links_info, begin P4 = spawn_link(fun() -> receive stop -> ok end end),
        {links, L} = process_info(P4, links), Is = L =:= [self()], P4 ! stop, receive {'EXIT', P4, normal} -> Is end
        end),
    see:value(error_reason, begin P5 = spawn_link(fun() -> error(oops) end),
        receive {'EXIT', P5, {oops, S}} -> is_list(S) end end),
    see:value(throw_reason, begin P6 = spawn_link(fun() -> throw(oops) end),
        receive {'EXIT', P6, {{nocatch, oops}, S6}} -> is_list(S6) end end),
    see:value(many, begin Ps = [spawn_link(fun() -> receive go -> exit(N) end end) || N <- lists:seq(1, 500)],
        [P ! go || P <- Ps], lists:sum([receive {'EXIT', P, N} -> N end || P <- Ps]) end),
    see:value(exit_from_other, begin P7 = spawn_link(fun() -> receive after infinity -> ok end end), exit(P7, why),
        receive {'EXIT', P7, R7} -> R7 end end),
    see:value(exit_self_trapped, begin exit(self(), hello), receive {'EXIT', Me, R8} -> {Me =:= self(), R8} end end),
    see:value(trap_flag, [process_flag(trap_exit, false), process_flag(trap_exit, true)]),
    see:value(left, process_info(self(), [message_queue_len, links]) =:= [{message_queue_len, 0}, {links, []}]
        orelse process_info(self(), messages)).

dead() -> P = spawn(fun() -> ok end), R = monitor(process, P), receive {'DOWN', R, _, _, _} -> P end.

wait_end(P, M) -> R = monitor(process, P), P ! M, receive {'DOWN', R, _, _, X} -> X end.

%% What an exit signal with this reason does to a process, trapping exits or not.
signal(Reason, Trap) ->
    Me = self(),
    {P, Ref} = spawn_monitor(fun() -> process_flag(trap_exit, Trap), Me ! ready,
        receive {'EXIT', Me, R} -> exit({trapped, R}); stop -> exit(survived) end end),
    receive ready -> ok end,
    exit(P, Reason), P ! stop,
    receive {'DOWN', Ref, process, P, R} -> R end.

%% The last to die of a chain of links reports the first one's reason.
chain(N) ->
    Me = self(),
    spawn(fun() -> process_flag(trap_exit, true), P = link_up(N), receive {'EXIT', P, R} -> Me ! {chain, R} end end),
    receive {chain, R} -> R end.
link_up(0) -> spawn_link(fun() -> receive after 5 -> exit(end_of_chain) end end);
link_up(N) -> spawn_link(fun() -> link_up(N - 1), receive after infinity -> ok end end).

two_sides() ->
    Me = self(),
    A = spawn(fun() -> receive B -> link(B), Me ! linked, receive after infinity -> ok end end end),
    B = spawn(fun() -> process_flag(trap_exit, true), Me ! ready, receive {'EXIT', A, R} -> Me ! {b_saw, R} end end),
    receive ready -> ok end,
    A ! B, receive linked -> ok end,
    exit(A, kill),
    receive {b_saw, R} -> R end.
