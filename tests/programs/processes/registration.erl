%% Registered names.
-module(registration).
-export([main/0]).

main() ->
    P = waiting(),
    see:value(register, [register(name_a, P), whereis(name_a) =:= P, process_info(P, registered_name),
        lists:member(name_a, registered())]),
    see:value(send, begin register(me, self()), me ! hello, receive hello -> got end end),
    see:value(send_node, begin {me, node()} ! hello2, receive hello2 -> got end end),
    see:value(send_opts, [erlang:send(me, a), erlang:send(me, b, [nosuspend]), erlang:send(me, c, [noconnect]),
        erlang:send_nosuspend(me, d), flush()]),
    see:value(unregistered_info, process_info(waiting(), registered_name)),
    see:value(ended, begin exit(P, kill), wait(P), [whereis(name_a), lists:member(name_a, registered())] end),
    see:value(again, begin Q = waiting(), register(name_a, Q), true = unregister(name_a),
        R = {whereis(name_a), is_process_alive(Q)}, exit(Q, kill), R end),
    see:value(reuse, begin Q2 = waiting(), register(name_b, Q2), exit(Q2, kill), wait(Q2), Q3 = waiting(),
        register(name_b, Q3) end),
    see:value(races, races(200)),
    see:value(to_missing_node, begin {no_such_name, node()} ! x, dropped end),
    see:fails([fun() -> register(name_b, self()) end, fun() -> register(other, self()) end,
        fun() -> register(undefined, waiting()) end, fun() -> register(see:id("str"), self()) end,
               fun() -> register(x, dead()) end, fun() -> unregister(nobody) end, fun() -> see:id(nobody) ! x end,
                   fun() -> erlang:send(nobody, x, [nosuspend]) end, fun() -> whereis(see:id(5)) end,
               fun() -> register(name_c, see:id(not_a_pid)) end]).

waiting() -> spawn(fun() -> receive after infinity -> ok end end).
dead() -> P = waiting(), exit(P, kill), wait(P), P.
wait(P) -> R = monitor(process, P), receive {'DOWN', R, _, _, _} -> ok end.
flush() -> receive M -> [M | flush()] after 0 -> [] end.

%% Of many that want a name, one has it at a time.
races(N) ->
    Me = self(),
    Ps = [spawn_monitor(fun() -> Got = try register(wanted, self()) catch error:badarg -> false end, Me ! {got, Got},
        receive stop -> ok end end) || _ <- lists:seq(1, N)],
    Got = length([x || _ <- Ps, true <- [receive {got, G} -> G end]]),
    [P ! stop || {P, _} <- Ps], [receive {'DOWN', R, _, _, _} -> ok end || {_, R} <- Ps],
    {Got, whereis(wanted)}.
