%% Processes that link, monitor, unlink and kill each other by seed while messages fly; in the end
%% every death was seen exactly as often as it was watched.
%% timeout: 60
-module(link_storm).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    see:value(groups, lists:usort([group(Seed) || Seed <- lists:seq(1, 100)])),
    see:value(watchers, watchers(200, 20)),
    see:value(mutual_kill, lists:usort([mutual_kill() || _ <- lists:seq(1, 500)])),
    see:value(link_unlink, lists:usort([link_unlink(N) || N <- lists:seq(1, 500)])),
    see:value(monitor_demonitor, lists:usort([monitor_demonitor(N) || N <- lists:seq(1, 500)])),
    see:value(kill_senders, kill_senders(50)),
    see:value(supervised, supervised(300)),
    see:value(left, receive X -> X after 50 -> nothing end).

%% Ten linked processes; one dies; all die with its reason.
group(Seed) ->
    Me = self(),
    Ps = [spawn(fun() -> member(Me) end) || _ <- lists:seq(1, 10)],
    Rs = [{P, monitor(process, P)} || P <- Ps],
    [A ! {link, B} || {A, B} <- lists:zip(Ps, tl(Ps) ++ [hd(Ps)])],
    [receive {linked, P} -> ok end || P <- Ps],
    exit(lists:nth(Seed rem 10 + 1, Ps), {die, Seed}),
    lists:usort([receive {'DOWN', R, process, P, {die, Seed}} -> same; {'DOWN', R, process, P, Other} -> Other
        after 5000 -> lives end || {P, R} <- Rs]).
member(Me) -> receive {link, P} -> link(P), Me ! {linked, self()}, member(Me) end.

%% Many watch many; each watcher counts each death once.
watchers(Targets, Watchers) ->
    Me = self(),
    Ts = [spawn(fun() -> receive go -> exit(N) end end) || N <- lists:seq(1, Targets)],
    [spawn(fun() -> Rs = [monitor(process, T) || T <- Ts], Me ! ready,
        Me ! {sum, lists:sum([receive {'DOWN', R, _, _, N} -> N end || R <- Rs]), receive _ -> extra after 20 -> none
        end} end) || _ <- lists:seq(1, Watchers)],
    [receive ready -> ok end || _ <- lists:seq(1, Watchers)],
    [T ! go || T <- Ts],
    lists:usort([receive {sum, S, E} -> {S, E} end || _ <- lists:seq(1, Watchers)]).

%% Two that kill each other at the same time: at least one dies, nobody waits for ever.
mutual_kill() ->
    [A, B] = [spawn(fun() -> receive {kill, P} -> exit(P, kill), receive stop -> exit(stopped) end end end)
        || _ <- [a, b]],
    Ra = monitor(process, A), Rb = monitor(process, B),
    A ! {kill, B}, B ! {kill, A}, A ! stop, B ! stop,
    X = [receive {'DOWN', R, _, _, Why} -> Why after 5000 -> stuck end || R <- [Ra, Rb]],
    lists:all(fun(W) -> W =:= killed orelse W =:= stopped end, X).

link_unlink(N) ->
    P = spawn(fun() -> receive after N rem 2 -> exit(bye) end end),
    link(P), unlink(P),
    receive {'EXIT', P, R} when R =:= bye; R =:= noproc -> ok after 0 -> ok end,
    receive {'EXIT', P, _} -> late after 2 -> fine end.

monitor_demonitor(N) ->
    P = spawn(fun() -> receive after N rem 2 -> ok end end),
    R = monitor(process, P),
    case N rem 3 of 0 -> erlang:yield(); 1 -> ok; 2 -> receive after 1 -> ok end end,
    demonitor(R, [flush]),
    receive {'DOWN', R, _, _, _} -> late after 1 -> fine end.

%% Processes are killed while they send; what arrives is whole and in order.
kill_senders(N) ->
    Me = self(),
    Ps = [spawn(fun() -> pour(Me, Id, 1) end) || Id <- lists:seq(1, N)],
    under_way(),
    Rs = [monitor(process, P) || P <- Ps],
    [exit(P, kill) || P <- Ps],
    [receive {'DOWN', R, _, _, killed} -> ok end || R <- Rs],
    {Ordered, Total} = poured(#{}, true, 0),
    {Ordered, Total > 0}.
%% Not more than a slow reader can look through.
pour(_, _, 3000) -> receive never -> ok end;
pour(To, Id, N) -> To ! {drop, Id, N, [N, {Id, <<N:800>>}]}, (N rem 50 =:= 0) andalso receive after 1 -> ok end,
    pour(To, Id, N + 1).
under_way() ->
    case process_info(self(), message_queue_len) of
        {message_queue_len, Waiting} when Waiting > 1000 -> ok;
        _ -> receive after 1 -> under_way() end
    end.
poured(M, Ok, T) ->
    receive {drop, Id, N, [N, {Id, <<N:800>>}]} -> poured(M#{Id => N}, Ok andalso N =:= maps:get(Id, M, 0) + 1, T + 1)
        after 0 -> {Ok, T} end.

%% Children that die at random under one that restarts them.
supervised(Deaths) -> supervise(Deaths, #{}, 1).
supervise(0, Children, _) -> [begin unlink(P), exit(P, kill), receive {'EXIT', P, _} -> ok after 0 -> ok end
    end || P <- maps:keys(Children)], done;
supervise(Left, Children, Seed) when map_size(Children) < 10 ->
    P = spawn_link(fun() -> receive after Seed rem 4 -> exit({died, Seed}) end end),
    supervise(Left, Children#{P => Seed}, Seed + 1);
supervise(Left, Children, Seed) ->
    receive {'EXIT', P, {died, S}} when map_get(P, Children) =:= S -> supervise(Left - 1, maps:remove(P, Children),
        Seed) end.
