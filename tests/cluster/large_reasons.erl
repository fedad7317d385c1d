%% A process that another node is linked with and monitors many times ends with a large reason while that node reads
%% nothing: it is gone at once, what it has to tell takes the memory of few reasons, and nobody waits for it. When the
%% other node reads again, all is told, after what the process had sent before. If the connection ends instead, the
%% memory is free again.
%% args: -connect_all false +zdbbl 1024
%% timeout: 60
-module(large_reasons).
-export([main/1]).

-define(MONITORS, 100).

main([B]) ->
    cluster:quiet(),
    cluster:connect(B),
    told(B),
    {Peer, C} = cluster:start(large_reasons_c),
    cluster:connect(C),
    Before = erlang:memory(total),
    {Stopped, Dying, _} = watched(C, Peer),
    ended(Dying, Before),
    {stopped, Os} = Stopped,
    Monitor = monitor(process, Peer),
    os:cmd("kill -KILL " ++ Os),
    receive {'DOWN', Monitor, process, Peer, _} -> ok end,
    see:value("disconnected", cluster:wait(fun() -> lists:member(C, nodes(connected)) end, false)),
    see:value("freed", cluster:wait(fun() -> little(Before) end)).

told(B) ->
    Before = erlang:memory(total),
    {Stopped, Dying, Watcher} = watched(B, none),
    ended(Dying, Before),
    see:value("the node is attended", lists:sum([spawned(N) || N <- lists:seq(1, 100)])),
    cluster:go_on(Stopped),
    Watcher ! {report, self()},
    see:value("told", receive {told, Exit, Downs} -> {Exit, Downs} after 30_000 -> nothing end),
    see:value("freed", cluster:wait(fun() -> little(Before) end)).

%% Stops a node of which many watch a process that is about to end.
watched(Node, Peer) ->
    Self = self(),
    Dying = spawn(fun() ->
                receive {go, Watcher} -> ok end,
                Watcher ! {last_words, self()},
                exit({large, lists:duplicate(1_000_000, 100)})
        end),
    Watcher = cluster:on(Node, fun() -> spawn(fun() -> watch(Dying, Self) end) end),
    receive watching -> ok end,
    Stopped = case Peer of
                  none -> stop(cluster:on(Node, fun os:getpid/0));
                  _ -> cluster:stop(Peer)
              end,
    Dying ! {go, Watcher},
    {Stopped, Dying, Watcher}.

stop(Os) ->
    os:cmd("kill -STOP " ++ Os),
    {stopped, Os}.

ended(Dying, Before) ->
    see:value("ended", cluster:wait(fun() -> is_process_alive(Dying) end, false)),
    see:value("found", {process_info(Dying), lists:member(Dying, processes())}),
    receive after 300 -> ok end,
    see:value("little", little(Before)).

%% The reason has 16 MB here, and 2 MB on its way.
little(Before) ->
    case erlang:memory(total) - Before of
        More when More < 64_000_000 -> true;
        More -> {more, More}
    end.

spawned(N) ->
    {_, Monitor} = spawn_monitor(fun() -> exit(N) end),
    receive {'DOWN', Monitor, process, _, Reason} -> Reason end.

watch(Dying, From) ->
    process_flag(trap_exit, true),
    link(Dying),
    [monitor(process, Dying) || _ <- lists:seq(1, ?MONITORS)],
    From ! watching,
    receive {report, To} -> ok end,
    receive {last_words, Dying} -> ok end,
    Exit = receive {'EXIT', Dying, Reason} -> sum(Reason) end,
    To ! {told, Exit, lists:usort([down(Dying) || _ <- lists:seq(1, ?MONITORS)])}.

down(Dying) -> receive {'DOWN', _, process, Dying, Reason} -> sum(Reason) end.

sum({large, List}) -> {length(List), lists:usort(List)}.
