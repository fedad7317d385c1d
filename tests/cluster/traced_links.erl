%% What is reported of a traced process's links with processes of another node.
-module(traced_links).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    Tracer = tracelog:start(),
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> process_flag(trap_exit, true), serve(Me) end),
    1 = erlang:trace(Pid, true, [procs, {tracer, Tracer}]),
    Other = spawn(B, fun() -> obey() end),
    ask(Pid, fun() -> link(Other) end),
    see(linked, Tracer, Pid, #{Other => other}),
    ask(Pid, fun() -> unlink(Other) end),
    see(unlinked, Tracer, Pid, #{Other => other}),
    tell(Other, fun() -> link(Pid) end),
    see(getting_linked, Tracer, Pid, #{Other => other}),
    tell(Other, fun() -> unlink(Pid) end),
    see(getting_unlinked, Tracer, Pid, #{Other => other}),
    Child = ask(Pid, fun() -> spawn_link(B, fun() -> receive stop -> exit(stopped) end end) end),
    see(child, Tracer, Pid, #{Child => child}),
    Child ! stop,
    Pid ! {next, Me},
    receive {next, {'EXIT', Child, stopped}} -> ok end,
    see(exit, Tracer, Pid, #{Child => child}),
    ask(Pid, fun() -> link(Other), process_flag(trap_exit, false) end),
    Other ! {Me, fun() -> exit(bad) end},
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value(reason, Reason) end,
    see(ended, Tracer, Pid, #{Other => other}).

serve(Me) ->
    receive
        {ask, Fun} -> Me ! {answer, Fun()}, serve(Me);
        {next, Me} -> receive {'EXIT', _, _} = Exit -> Me ! {next, Exit} end, serve(Me)
    end.

ask(Pid, Fun) -> Pid ! {ask, Fun}, receive {answer, Answer} -> Answer end.

obey() -> receive {From, Fun} -> Fun(), From ! done, obey() end.

tell(Other, Fun) -> Other ! {self(), Fun}, receive done -> ok end.

%% What has been told; the signal of a link reaches the process before the answer to the next question.
see(Label, Tracer, Pid, Names) ->
    catch ask_if_alive(Pid),
    tracelog:show(Label, tracelog:events(Tracer, [Pid]), Names#{Pid => tracee, self() => main}).

ask_if_alive(Pid) ->
    true = is_process_alive(Pid),
    ask(Pid, fun() -> ok end).
