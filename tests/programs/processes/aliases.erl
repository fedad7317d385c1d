%% Process aliases: explicit, reply, with monitors; messages to one that is gone are dropped.
-module(aliases).
-export([main/0]).

main() ->
    A = alias(),
    see:value(is_ref, is_reference(A)),
    A ! one, see:value(sent, receive one -> got after 100 -> lost end),
    see:value(unalias, [unalias(A), unalias(A)]),
    A ! two, see:value(gone, receive two -> got after 10 -> lost end),
    B = alias([reply]),
    B ! first, B ! second,
    see:value(reply, [receive first -> got after 100 -> lost end, receive second -> got after 10 -> lost end]),
    see:value(after_reply, unalias(B)),
    see:value(from_other, begin C = alias(), Me = self(), spawn(fun() -> C ! {from, other}, Me ! sent end), receive sent -> ok end, receive {from, other} -> got after 100 -> lost end end),
    {P, R} = server(),
    see:value(monitor_alias, begin M = monitor(process, P, [{alias, demonitor}]), P ! {M, hello}, X = receive {M, Y} -> Y after 1000 -> lost end, demonitor(M), P ! {M, again}, {X, receive {M, Z} -> Z after 20 -> lost end} end),
    see:value(monitor_reply, begin M2 = monitor(process, P, [{alias, reply_demonitor}]), P ! {M2, hello}, X2 = receive {M2, Y2} -> Y2 after 1000 -> lost end, P ! {M2, again}, {X2, receive {M2, Z2} -> Z2 after 20 -> lost end, demonitor(M2, [info])} end),
    see:value(monitor_explicit, begin M3 = monitor(process, P, [{alias, explicit_unalias}]), demonitor(M3), P ! {M3, hello}, X3 = receive {M3, Y3} -> Y3 after 1000 -> lost end, {X3, unalias(M3)} end),
    P ! stop, receive {'DOWN', R, _, _, Reason} -> see:value(down, Reason) end,
    see:value(down_disables, begin {P4, R4} = server(), M4 = monitor(process, P4, [{alias, demonitor}]), P4 ! stop, receive {'DOWN', M4, _, _, _} -> ok end, receive {'DOWN', R4, _, _, _} -> ok end, M4 ! x, receive x -> got after 10 -> lost end end),
    see:value(spawn_monitor_alias, begin {P5, M5} = spawn_opt(fun() -> receive {go, To} -> To ! {To, answer} end end, [{monitor, [{alias, reply_demonitor}]}]), P5 ! {go, M5}, receive {M5, A5} -> A5 after 1000 -> lost end end),
    see:value(not_owner, begin A6 = alias(), Me6 = self(), spawn(fun() -> Me6 ! {unaliased, unalias(A6)} end), receive {unaliased, V} -> {V, unalias(A6)} end end),
    see:value(plain_ref, begin make_ref() ! nothing, dropped end),
    see:value(many, begin As = [alias() || _ <- lists:seq(1, 1000)], [X6 ! {n, N} || {X6, N} <- lists:zip(As, lists:seq(1, 1000))], S = lists:sum([receive {n, N} -> N end || _ <- As]), {S, lists:usort([unalias(X7) || X7 <- As])} end),
    see:value(ordered, begin A8 = alias(), A8 ! 1, self() ! 2, A8 ! 3, [receive N8 when is_integer(N8) -> N8 end || _ <- [1, 2, 3]] end).

server() -> spawn_monitor(fun() -> serve() end).
serve() -> receive {To, X} -> To ! {To, {echo, X}}, serve(); stop -> ok end.
