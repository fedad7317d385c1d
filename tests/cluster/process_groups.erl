%% pg on two nodes: groups seen from both, joined and left, in order, with the processes and the nodes that go; monitors
%% of groups.
%% args: -connect_all false
%% timeout: 20
-module(process_groups).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    {ok, _} = pg:start_link(scope),
    Its = cluster:on(B, fun() ->
              {ok, Pg} = pg:start(scope),
              _ = Pg,
              [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 3)]
          end),
    Own = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 2)],
    ok = pg:join(scope, before, hd(Own)),
    ok = cluster:on(B, fun() -> pg:join(scope, before, hd(Its)) end),
    pong = net_adm:ping(B),
    see:value("met", cluster:wait(fun() -> length(pg:get_members(scope, before)) end, 2)),
    see:value("there", cluster:on(B, fun() -> cluster:wait(fun() -> length(pg:get_members(scope, before)) end, 2) end)),
    see:value("joins", [pg:join(scope, group, Own), cluster:on(B, fun() -> pg:join(scope, group, Its) end)]),
    see:value("all", cluster:wait(fun() -> members(group) end, lists:sort(Own ++ Its)) =:= lists:sort(Own ++ Its)),
    see:value("local", [pg:get_local_members(scope, group) -- Own,
        cluster:on(B, fun() -> pg:get_local_members(scope, group) -- Its end)]),
    see:value("groups", cluster:on(B, fun() -> lists:sort(pg:which_groups(scope)) end)),
    cluster:that("of the other node", fun() -> pg:join(scope, group, hd(Its)) end),
    {Ref, Groups} = pg:monitor_scope(scope),
    see:value("monitored", lists:sort(maps:keys(Groups))),
    {Ref2, Members} = pg:monitor(scope, group),
    see:value("one", length(Members)),
    hd(Its) ! stop,
    see:value("left", lists:sort([event(cluster:next(), Ref, Ref2) || _ <- lists:seq(1, 3)])),
    ok = cluster:on(B, fun() -> pg:leave(scope, group, lists:last(Its)) end),
    see:value("leaves", lists:sort([event(cluster:next(), Ref, Ref2) || _ <- lists:seq(1, 2)])),
    cluster:disconnect(B),
    see:value("down", lists:sort([event(cluster:next(), Ref, Ref2) || _ <- lists:seq(1, 2)])),
    see:value("own stay", members(group) =:= lists:sort(Own)),
    pong = net_adm:ping(B),
    see:value("again", lists:sort([event(cluster:next(), Ref, Ref2) || _ <- lists:seq(1, 2)])),
    see:value("demonitor", [pg:demonitor(scope, Ref), pg:demonitor(scope, Ref2), pg:demonitor(scope, Ref2)]).

members(Group) -> lists:sort(pg:get_members(scope, Group)).

event({Ref, What, Group, Pids}, Ref, _) -> {scope, What, Group, cluster:plain(Pids)};
event({Ref, What, Group, Pids}, _, Ref) -> {group, What, Group, cluster:plain(Pids)}.
