%% Monitors between nodes: by pid and by name, with tags and aliases, demonitor with its options, the dead, the unknown,
%% the node
%% timeout: 15
%% that goes, and many at once.
%% args: -connect_all false
-module(monitors).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    [see:value("by pid", down(B, fun(Pid) -> monitor(process, Pid) end, Reason))
     || Reason <- [normal, bad, {some, [reason]}, lists:duplicate(70_000, $x)]],
    [see:value("by name", down(B, fun(_) -> monitor(process, {named, B}) end, Reason))
        || Reason <- [normal, {bad, 1.5}]],
    [see:value(Options, down(B, fun(Pid) -> monitor(process, Pid, Options) end, ended))
     || Options <- [[{tag, my_tag}], [{tag, {"any", [term]}}], [{alias, explicit_unalias}], [{alias, demonitor}],
                    [{alias, reply_demonitor}], [{alias, demonitor}, {tag, tagged}]]],
    see:value("by name, tagged", down(B, fun(_) -> monitor(process, {named, B}, [{tag, t}]) end, ended)),
    nobody(B),
    demonitored(B),
    of_here(B),
    many(B),
    node_goes(B),
    see:fails([fun() -> monitor(process, {"named", B}) end, fun() -> monitor(process, {named, "b"}) end,
               fun() -> monitor(process, {named, B}, [unknown]) end, fun() -> monitor(port, {named, B}) end,
               fun() -> monitor(port, cluster:on(B, fun() -> hd(erlang:ports()) end)) end,
               fun() -> monitor(time_offset, {clock, B}) end, fun() -> demonitor(cluster:on(B, fun erlang:make_ref/0))
                   end]).

%% What is told of a process there that ends.
down(B, Monitor, Reason) ->
    Pid = cluster:on(B, fun() ->
              New = spawn(fun() -> receive go -> exit(Reason) end end),
              register(named, New),
              New
          end),
    Reference = Monitor(Pid),
    Pid ! go,
    Message = cluster:next(),
    _ = cluster:gone(Pid),
    {element(2, Message) =:= Reference, told([Message])}.

told(Messages) -> [shown(Message) || Message <- Messages].

shown({Tag, Reference, process, What, Reason}) ->
    {Tag, is_reference(Reference), cluster:plain(What), short(Reason)}.

short(List) when length(List) > 100 -> {list, length(List)};
short(Other) -> Other.

nobody(B) ->
    Dead = cluster:on(B, fun() -> spawn(fun() -> ok end) end),
    _ = cluster:gone(Dead),
    [begin
        Reference = monitor(process, What),
        Message = cluster:next(),
        see:value("nobody", {element(2, Message) =:= Reference, told([Message])})
     end || What <- [Dead, {nobody, B}, {nobody, node()}, {nobody, 'nobody@localhost'}]].

demonitored(B) ->
    Pid = cluster:on(B, fun() -> spawn(fun() -> receive go -> exit(unseen) end end) end),
    [Infos, Flushes, _] = [[monitor(process, Pid) || _ <- lists:seq(1, 3)] || _ <- lists:seq(1, 3)],
    see:value("demonitor", [demonitor(Ref) || Ref <- Infos]),
    see:value("again", [demonitor(Ref, [info]) || Ref <- Infos]),
    see:value("flush", [demonitor(Ref, [flush, info]) || Ref <- Flushes]),
    Pid ! go,
    see:value("the others", length(cluster:take(3))),
    Late = monitor(process, {nobody, B}),
    ok = cluster:on(B, fun() -> ok end),
    see:value("flushed", {demonitor(Late, [flush, info]), cluster:rest(B)}).

%% A process here that is monitored from there, by its pid, its name and with an alias of theirs.
of_here(B) ->
    Here = node(),
    Self = self(),
    Results = [begin
        Pid = spawn(fun() -> register(one_here, self()), Self ! ready, receive {go, Reason} -> exit(Reason) end end),
        receive ready -> ok end,
        Watcher = cluster:on(B, fun() -> spawn(fun() ->
                      Reference = case How of
                                      pid -> monitor(process, Pid);
                                      name -> monitor(process, {one_here, Here});
                                      alias -> monitor(process, Pid, [{alias, demonitor}, {tag, theirs}])
                                  end,
                      Self ! {watching, self()},
                      Message = cluster:next(),
                      Self ! {told, element(2, Message) =:= Reference, shown(Message)}
                  end) end),
        receive {watching, Watcher} -> ok end,
        Pid ! {go, {ended, How}},
        cluster:next()
    end || How <- [pid, name, alias]],
    [see:value("from there", Result) || Result <- Results].

many(B) ->
    Pids = cluster:on(B, fun() -> [spawn(fun() -> receive {go, M} -> exit(M) end end) || _ <- lists:seq(1, 300)] end),
    References = [{monitor(process, Pid), N} || {Pid, N} <- lists:zip(Pids ++ Pids, lists:seq(1, 600))],
    [Pid ! {go, N} || {Pid, N} <- lists:zip(Pids, lists:seq(1, 300))],
    Downs = cluster:take(600),
    Wrong = [x || {'DOWN', Ref, process, _, N} <- Downs, not lists:member(proplists:get_value(Ref, References),
        [N, N + 300])],
    see:value("many", {length(Downs), length(Wrong)}).

node_goes(B) ->
    Pids = cluster:on(B, fun() -> [spawn(fun() -> receive after infinity -> ok end end) || _ <- lists:seq(1, 50)] end),
    [monitor(process, Pid) || Pid <- Pids],
    monitor(process, {cluster, B}, [{tag, tagged}]),
    Alias = monitor(process, hd(Pids), [{alias, demonitor}]),
    cluster:disconnect(B),
    see:value("noconnection", lists:usort([cluster:plain(setelement(4, Message, x)) || Message <- cluster:take(52)])),
    see:value("alias after", unalias(Alias)),
    cluster:on(B, fun() -> [exit(Pid, kill) || Pid <- Pids] end),
    see:value("nothing more", cluster:rest(B)).
