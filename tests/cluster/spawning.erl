%% spawn, spawn_link, spawn_monitor and spawn_opt on the other node, with funs and with module, function and arguments;
%% options;
%% timeout: 15
%% what does not exist; nodes that cannot be reached.
%% args: -connect_all false
-module(spawning).
-export([main/1, report/2]).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    Self = self(),
    see:value("spawn/2", began(spawn(B, fun() -> report(Self, here) end))),
    see:value("spawn/4", began(spawn(B, ?MODULE, report, [Self, {with, <<"binary">>}]))),
    see:value("spawn_link/2", began(spawn_link(B, fun() -> report(Self, here) end))),
    see:value("spawn_link/4", began(spawn_link(B, ?MODULE, report, [Self, linked]))),
    see:value("spawn_monitor/2", began(spawn_monitor(B, fun() -> report(Self, here) end))),
    see:value("spawn_monitor/4", began(spawn_monitor(B, ?MODULE, report, [Self, monitored]))),
    [see:value({spawn_opt, Options}, began(spawn_opt(B, fun() -> report(Self, Options) end, Options)))
        || Options <- options()],
    see:value("spawn_opt/5", began(spawn_opt(B, ?MODULE, report, [Self, five], [link, monitor]))),
    see:value("large", began(spawn(B, ?MODULE, report, [Self, binary:copy(<<1>>, 500_000)]))),
    see:value("no module", ended(spawn_monitor(B, not_there, f, [1]))),
    see:value("no function", ended(spawn_monitor(B, ?MODULE, not_there, [Self]))),
    see:value("error", ended(spawn_monitor(B, erlang, error, [reason]))),
    see:value("link and end", linked_end(spawn_link(B, erlang, exit, [over]))),
    see:value("spawn_link, no function", linked_end(spawn_link(B, ?MODULE, not_there, []))),
    group_leader_of(B),
    see:value("own node", began(spawn(node(), ?MODULE, report, [Self, own]))),
    unreachable(),
    bad(B),
    many(B).

options() ->
    [[], [link], [monitor], [link, monitor], [{priority, high}], [{min_heap_size, 5_000}], [{fullsweep_after, 3}],
     [{message_queue_data, off_heap}], [{monitor, [{tag, tagged}]}], [{monitor, [{alias, demonitor}]}],
     [{max_heap_size, 1_000_000}], [{min_bin_vheap_size, 100_000}], [link, {priority, low}, {fullsweep_after, 7}]].

%% A spawned process tells what it finds, and ends.
report(To, What) ->
    Info = [process_info(self(), Item) || Item <- [priority, message_queue_data, initial_call]],
    [{_, Collection}] = process_info(self(), [garbage_collection]),
    To ! {report, self(), node(), What, Info, proplists:get_value(fullsweep_after, Collection) < 100,
          lists:member(To, element(2, process_info(self(), links))),
          element(2, process_info(self(), monitored_by)) =:= [To]},
    exit(told).

began({Pid, Reference}) ->
    Reported = began(Pid),
    receive
        {Tag, Reference, process, Pid, Reason} -> {Reported, Tag, Reason}
    end;
began(Pid) ->
    receive {report, Pid, Node, What, Info, Sweep, Linked, Monitored} ->
        Exit = case Linked of
                   true -> receive {'EXIT', Pid, Reason} -> Reason end;
                   false -> none
               end,
        {node(Pid) =:= Node, short(What), Info, Sweep, Linked, Monitored, Exit}
    end.

short(Binary) when is_binary(Binary) -> byte_size(Binary);
short(Other) -> Other.

ended({Pid, Reference}) ->
    receive {'DOWN', Reference, process, Pid, Reason} -> without_stack(Reason) end.

linked_end(Pid) ->
    receive {'EXIT', Pid, Reason} -> without_stack(Reason) end.

without_stack({Reason, [{M, F, A, _} | _]}) -> {Reason, {M, F, cluster:plain(A)}};
without_stack(Reason) -> Reason.

%% The leader of a process is that of who spawned it, also there.
group_leader_of(B) ->
    Self = self(),
    Leader = group_leader(),
    spawn(B, fun() -> Self ! {leader, group_leader() =:= Leader, node(group_leader())} end),
    see:value("group leader", cluster:next()).

unreachable() ->
    Nobody = 'nobody@localhost',
    see:value("unreachable", begin Pid = spawn(Nobody, erlang, self, []), {is_pid(Pid), node(Pid)} end),
    see:value("unreachable, linked", linked_end(spawn_link(Nobody, erlang, self, []))),
    see:value("unreachable, monitored", ended(spawn_monitor(Nobody, erlang, self, []))),
    see:value("unreachable, both", begin {Both, _} = Spawned = spawn_opt(Nobody, erlang, self, [], [link, monitor]),
                                         {ended(Spawned), linked_end(Both)} end).

bad(B) ->
    see:fails([fun() -> spawn("b", erlang, self, []) end, fun() -> spawn(B, "erlang", self, []) end,
               fun() -> spawn(B, erlang, self, x) end, fun() -> spawn(B, erlang, self, [a | b]) end,
               fun() -> spawn(B, not_a_fun) end, fun() -> cluster:plain(spawn(B, see:id(fun(X) -> X end))) end,
               fun() -> spawn_opt(B, erlang, self, [], [unknown]) end, fun() -> spawn_opt(B, erlang, self, [], x) end,
               fun() -> spawn_opt(B, erlang, self, [], [{priority, none}]) end,
               fun() -> spawn_opt(B, erlang, self, [], [{min_heap_size, x}, link]) end]).

many(B) ->
    Self = self(),
    Pids = [spawn_link(B, fun() -> Self ! {self(), N} end) || N <- lists:seq(1, 500)],
    Numbers = [receive {Pid, N} -> N end || Pid <- Pids],
    Ends = [receive {'EXIT', Pid, Reason} -> Reason end || Pid <- Pids],
    see:value("many", {Numbers =:= lists:seq(1, 500), lists:usort(Ends), cluster:rest()}).
