%% Signals from one process to another arrive in the order they were sent, whatever their kinds.
-module(signal_order).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    see:value(message_then_down, lists:usort([message_then_down() || _ <- lists:seq(1, 500)])),
    see:value(message_then_exit, lists:usort([message_then_exit() || _ <- lists:seq(1, 500)])),
    see:value(exit2_then_message, lists:usort([exit2_then_message() || _ <- lists:seq(1, 200)])),
    see:value(link_then_exit, lists:usort([link_then_exit() || _ <- lists:seq(1, 200)])),
    see:value(info_after_messages, lists:usort([info_after_messages(N) || N <- lists:seq(1, 100)])),
    see:value(unlink_is_final, lists:usort([unlink_is_final() || _ <- lists:seq(1, 200)])),
    see:value(monitor_after_send, lists:usort([monitor_after_send() || _ <- lists:seq(1, 200)])),
    see:value(many_senders, many_senders(50, 200)).

message_then_down() ->
    Me = self(),
    {P, R} = spawn_monitor(fun() -> Me ! last_words, exit(done) end),
    [receive M -> tag(M, P, R) end || _ <- [1, 2]].

message_then_exit() ->
    Me = self(),
    P = spawn_link(fun() -> Me ! last_words, Me ! more, ok end),
    [receive M -> tag(M, P, none) end || _ <- [1, 2, 3]].

exit2_then_message() ->
    Me = self(),
    P = spawn(fun() -> process_flag(trap_exit, true), Me ! ready, A = receive X -> X end, B = receive Y -> Y end,
        Me ! {order, element(1, A), B} end),
    receive ready -> ok end,
    exit(P, first), P ! second,
    receive {order, A, B} -> {A, B} end.

link_then_exit() ->
    P = spawn(fun() -> receive after infinity -> ok end end),
    link(P), exit(P, x),
    receive {'EXIT', P, R} -> R end.

info_after_messages(N) ->
    P = spawn(fun() -> receive stop -> ok end end),
    [P ! I || I <- lists:seq(1, N)],
    {message_queue_len, Len} = process_info(P, message_queue_len),
    P ! stop,
    Len =:= N.

unlink_is_final() ->
    P = spawn_link(fun() -> receive go -> exit(boom) end end),
    P ! go, unlink(P),
    Early = receive {'EXIT', P, boom} -> ok after 0 -> ok end,
    erlang:yield(),
    {Early, receive {'EXIT', P, _} -> late after 1 -> none end}.

monitor_after_send() ->
    P = spawn(fun() -> receive {From, R} -> From ! {answer, R} end end),
    Ref = make_ref(),
    P ! {self(), Ref},
    M = monitor(process, P),
    A = receive {answer, Ref} -> answered end,
    {A, receive {'DOWN', M, _, _, X} when X =:= normal; X =:= noproc -> down end}.

many_senders(S, N) ->
    Me = self(),
    [spawn(fun() -> [Me ! {Id, I} || I <- lists:seq(1, N)] end) || Id <- lists:seq(1, S)],
    collect(S * N, #{}, true).
collect(0, Map, Ordered) -> {Ordered, lists:usort(maps:values(Map))};
collect(Left, Map, Ordered) ->
    receive {Id, I} -> Prev = maps:get(Id, Map, 0), collect(Left - 1, Map#{Id => I}, Ordered andalso I =:= Prev + 1)
        end.

tag({'DOWN', R, process, P, X}, P, R) -> {down, X};
tag({'EXIT', P, X}, P, _) -> {exit, X};
tag(M, _, _) -> M.
