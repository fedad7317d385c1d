%% Thousands of links and monitors across one connection: all are answered when it ends, on both sides, once.
%% args: -connect_all false
%% timeout: 60
-module(many_relations).
-export([main/1]).

-define(COUNT, 3_000).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    Self = self(),
    Pids = cluster:on(B, fun() ->
        [spawn(fun() -> process_flag(trap_exit, true), watch(Self, []) end) || _ <- lists:seq(1, ?COUNT)]
    end),
    [begin link(Pid), monitor(process, Pid), Pid ! {watch, Self} end || Pid <- Pids],
    [receive {watching, Pid} -> ok end || Pid <- Pids],
    Own = process_info(self(), [links, monitors, monitored_by]),
    see:value("here", [length([One || One <- Relations, node(pid(One)) =:= B]) || {_, Relations} <- Own]),
    cluster:disconnect(B),
    Told = cluster:take(2 * ?COUNT),
    see:value("told", {length(Told), lists:usort([{element(1, One), lists:last(tuple_to_list(One))} || One <- Told])}),
    see:value("left", [length([One || One <- Relations, node(pid(One)) =:= B]) || {_, Relations} <- process_info(self(),
        [links, monitors, monitored_by])]),
    see:value("there", lists:usort([told(Pid) || Pid <- Pids])),
    locally(B).

pid({process, Pid}) -> Pid;
pid(Port) when is_port(Port) -> self();
pid(Pid) -> Pid.

watch(Other, Told) ->
    receive
        {watch, Other} -> monitor(process, Other), Other ! {watching, self()}, watch(Other, Told);
        {tell, To} -> To ! {told, self(), lists:sort(Told)};
        {'EXIT', Other, Reason} -> watch(Other, [{exit, Reason} | Told]);
        {'DOWN', _, process, Other, Reason} -> watch(Other, [{down, Reason} | Told])
    end.

told(Pid) ->
    Pid ! {tell, self()},
    receive {told, Pid, Told} -> Told end.

%% One process there with many watchers here.
locally(B) ->
    Pid = cluster:on(B, fun() -> spawn(fun() -> receive stop -> exit(stopped) end end) end),
    Self = self(),
    Watchers = [spawn(fun() ->
                    Ref = monitor(process, Pid),
                    Self ! {ready, self()},
                    receive {'DOWN', Ref, process, Pid, Reason} -> Self ! {self(), Reason} end
                end) || _ <- lists:seq(1, ?COUNT)],
    [receive {ready, Watcher} -> ok end || Watcher <- Watchers],
    Pid ! stop,
    see:value("watchers", lists:usort([receive {Watcher, Reason} -> Reason end || Watcher <- Watchers])).
