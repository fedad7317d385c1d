%% What is reported of processes that send, receive, spawn, link, register and end.
%% args: +S 1:1
-module(process_events).
-export([main/0, forever/0, child/1, quits/1]).

main() ->
    Names = #{self() => main},
    logger:set_primary_config(level, none),
    traced(messages, [send, 'receive'], fun messages/1, Names),
    traced(to_the_dead, [send], fun to_the_dead/1, Names),
    traced(timeouts, ['receive'], fun timeouts/1, Names),
    traced(procs, [procs], fun procs/1, Names),
    traced(links, [procs], fun links/1, Names),
    traced(exits, [procs, 'receive'], fun exits/1, Names),
    traced(names, [procs], fun names/1, Names),
    traced(monitors, [procs, 'receive', send], fun monitors/1, Names),
    traced(spawn, [procs, set_on_spawn], fun spawns/1, Names),
    traced(first_spawn, [procs, set_on_first_spawn], fun spawns/1, Names),
    traced(on_link, [procs, set_on_link], fun linking/1, Names),
    traced(on_first_link, [procs, set_on_first_link], fun linking/1, Names),
    traced(everything, [all], fun everything/1, Names, fun without_scheduling/1),
    traced(sensitive, [send, 'receive', procs], fun sensitive/1, Names),
    killed(),
    ok.

%% Runs a fun in a process that is traced from its start on.
traced(Label, Flags, Fun, Names) -> traced(Label, Flags, Fun, Names, fun(Events) -> Events end).

traced(Label, Flags, Fun, Names, Choose) ->
    Tracer = tracelog:start(),
    Main = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> receive start -> Fun(Main) end end),
    Other = spawn(?MODULE, forever, []),
    1 = erlang:trace(Pid, true, [{tracer, Tracer} | Flags]),
    Pid ! {other, Other},
    Pid ! start,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    More = gathered([]),
    Events = tracelog:events(Tracer, [Pid | More]),
    All = lists:foldl(fun({P, N}, Map) -> Map#{P => N} end, Names#{Pid => tracee, Tracer => tracer, Other => other},
                      lists:zip(More, lists:sublist([one, two, three, four, five, six], length(More)))),
    tracelog:show(Label, order(Choose(Events)), All),
    exit(Other, kill),
    tracelog:stop(Tracer).

%% Events of one process are in order; those of several come in any.
order(Events) -> lists:append([[E || E <- Events, element(2, E) =:= P] || P <- first_seen(Events)]).

first_seen(Events) -> lists:reverse(lists:foldl(fun(E, Seen) ->
    case lists:member(element(2, E), Seen) of true -> Seen; false -> [element(2, E) | Seen] end end, [], Events)).

gathered(Pids) -> receive {also, Pid} -> gathered([Pid | Pids]) after 0 -> lists:reverse(Pids) end.

other() -> receive {other, Other} -> Other end.

forever() -> receive {ask, From, X} -> From ! {answer, X}, forever(); {link, P} -> link(P), P ! linked, forever();
                     {unlink, P} -> unlink(P), P ! unlinked, forever() end.

messages(_) ->
    Other = other(),
    Other ! {ask, self(), 1},
    receive {answer, 1} -> ok end,
    erlang:send(Other, {ask, self(), {deep, [<<"binary">>, 1.5, #{a => b}]}}),
    receive {answer, _} -> ok end,
    self() ! to_myself,
    receive to_myself -> ok end,
    A = alias([reply]),
    Other ! {ask, A, 2},
    receive {answer, 2} -> ok end,
    register(process_events_here, self()),
    process_events_here ! by_name,
    {process_events_here, node()} ! by_name_and_node,
    receive by_name -> ok end,
    receive by_name_and_node -> ok end,
    catch (nobody_here ! lost),
    {nobody_here, node()} ! lost,
    erlang:send(Other, ignored, [nosuspend]),
    erlang:send(Other, ignored, [noconnect]),
    erlang:send_nosuspend(Other, ignored),
    catch erlang:send({a, b, c}, x),
    catch erlang:send(1, x).

to_the_dead(Main) ->
    {Pid, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    Main ! {also, Pid},
    Pid ! too_late,
    erlang:send(Pid, too_late).

timeouts(_) ->
    receive nothing -> ok after 1 -> ok end,
    receive nothing -> ok after 0 -> ok end,
    self() ! something,
    receive something -> ok after 10000 -> ok end,
    erlang:send_after(1, self(), later),
    receive later -> ok end.

procs(Main) ->
    Other = other(),
    link(Other), link(Other), unlink(Other), unlink(Other),
    link(self()), unlink(self()),
    Pid = spawn_link(?MODULE, child, [Main]),
    Main ! {also, Pid},
    Pid2 = spawn(?MODULE, child, [Main]),
    Main ! {also, Pid2},
    {Pid3, _} = spawn_opt(?MODULE, child, [Main], [link, monitor]),
    Main ! {also, Pid3},
    register(process_events_here, self()),
    catch register(process_events_here, self()),
    unregister(process_events_here),
    catch unregister(process_events_here),
    register(process_events_again, self()),
    exit({a, reason}).

child(_) -> receive stop -> ok end.

links(_) ->
    Other = other(),
    process_flag(trap_exit, true),
    Other ! {link, self()}, receive linked -> ok end,
    Other ! {unlink, self()}, receive unlinked -> ok end,
    Other ! {link, self()}, receive linked -> ok end,
    exit(Other, stop),
    receive {'EXIT', Other, _} -> ok end.

exits(Main) ->
    process_flag(trap_exit, true),
    Pid = spawn_link(?MODULE, quits, [reason]),
    Main ! {also, Pid},
    receive {'EXIT', Pid, reason} -> ok end,
    self() ! go_on,
    receive go_on -> ok end,
    throw(uncaught).

quits(Reason) -> exit(Reason).

names(Main) ->
    Me = self(),
    Pid = spawn(?MODULE, child, [Main]),
    Main ! {also, Pid},
    register(process_events_child, Pid),
    unregister(process_events_child),
    register(process_events_me, Me),
    spawn(fun() -> unregister(process_events_me), Me ! done end),
    receive done -> ok end,
    spawn(fun() -> register(process_events_me, Me), Me ! done end),
    receive done -> ok end,
    exit(normal).

monitors(Main) ->
    {Pid, Monitor} = spawn_monitor(?MODULE, quits, [reason]),
    Main ! {also, Pid},
    receive {'DOWN', Monitor, process, Pid, reason} -> ok end,
    Request = spawn_request(?MODULE, quits, [reason]),
    receive {spawn_reply, Request, ok, Pid2} -> Main ! {also, Pid2} end,
    Monitor3 = monitor(process, Pid),
    receive {'DOWN', Monitor3, process, Pid, noproc} -> ok end.

spawns(Main) ->
    Me = self(),
    Run = fun() -> Grandchild = spawn(?MODULE, quits, [inner]), Main ! {also, self()}, Main ! {also, Grandchild},
                   wait(Grandchild), Me ! done end,
    Child = spawn(Run),
    wait(Child),
    Child2 = spawn_link(Run),
    wait(Child2).

wait(Pid) -> Monitor = monitor(process, Pid), receive {'DOWN', Monitor, _, _, _} -> ok end.

linking(Main) ->
    Other = other(),
    Other2 = spawn(?MODULE, forever, []),
    Main ! {also, Other}, Main ! {also, Other2},
    link(Other),
    wait_for_link(Other),
    link(Other2),
    wait_for_link(Other2),
    Child = spawn_link(?MODULE, quits, [normal]),
    Main ! {also, Child},
    wait(Child),
    unlink(Other), unlink(Other2),
    Other ! {ask, self(), 1}, Other2 ! {ask, self(), 1},
    receive {answer, 1} -> ok end, receive {answer, 1} -> ok end,
    exit(Other2, kill),
    wait(Other2).

wait_for_link(Other) -> Other ! {ask, self(), linked}, receive {answer, linked} -> ok end.

everything(Main) ->
    messages(Main),
    exit({shutdown, done}).

%% The number of the scheduler is 1: see the arguments.
without_scheduling(Events) ->
    unstamped([E || E <- Events, not lists:member(element(3, E), [in, out, out_exited, out_exiting, in_exiting,
        gc_minor_start, gc_minor_end, gc_major_start, gc_major_end])]).

unstamped(Events) -> [setelement(size(E), E, time) || E <- Events, is_tuple(element(size(E), E))].

sensitive(_) ->
    Other = other(),
    Other ! {ask, self(), 1},
    receive {answer, 1} -> ok end,
    process_flag(sensitive, true),
    Other ! {ask, self(), 2},
    receive {answer, 2} -> ok end,
    link(Other),
    process_flag(sensitive, false),
    Other ! {ask, self(), 3},
    receive {answer, 3} -> ok end,
    unlink(Other),
    exit(done).

killed() ->
    Tracer = tracelog:start(),
    {Pid, Monitor} = spawn_monitor(?MODULE, forever, []),
    1 = erlang:trace(Pid, true, [{tracer, Tracer}, procs, 'receive', running, exiting]),
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, killed} -> ok end,
    Events = tracelog:events(Tracer, [Pid]),
    see:value(killed, [{element(3, E), element(4, E)} || E <- Events, lists:member(element(3, E), [exit, out_exited])]),
    tracelog:stop(Tracer).
