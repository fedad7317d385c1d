%% The answer of trace_delivered/1 comes after what is told of links, exits and messages that have reached the tracee
%% but that it has not handled yet.
%% differs: On stock the answer may overtake them: it waits for all schedulers, and not for the tracee.
-module(delivered_in_order).
-export([main/0]).

main() ->
    [see:value({What, Tracee}, lists:usort([told(What, Tracee) || _ <- lists:seq(1, 200)]))
     || What <- [link, unlink, exit, message, another], Tracee <- [itself, all]],
    see:value(gone, gone()),
    see:value(suspended, suspended()).

%% What the tracer, which does it, is told before the answer.
told(What, Which) ->
    Pid = tracee(),
    What =:= unlink andalso link(Pid),
    What =:= unlink andalso process_info(Pid, links),
    1 = erlang:trace(Pid, true, [procs, 'receive']),
    do(What, Pid),
    Told = before(erlang:trace_delivered(case Which of itself -> Pid; all -> all end), []),
    erlang:trace(Pid, false, [all]),
    unlink(Pid),
    exit(Pid, kill),
    [Tag || {trace, Of, Tag, _} <- Told, Of =:= Pid].

tracee() ->
    Self = self(),
    Pid = spawn(fun() -> process_flag(trap_exit, true), Self ! {self(), ready},
        (fun Loop() -> receive stop -> ok; _ -> Loop() end end)() end),
    receive {Pid, ready} -> Pid end.

do(link, Pid) -> link(Pid);
do(unlink, Pid) -> unlink(Pid);
do(exit, Pid) -> exit(Pid, foo);
do(message, Pid) -> Pid ! hello;
do(another, Pid) ->
    {_, Monitor} = spawn_monitor(fun() -> link(Pid), unlink(Pid) end),
    receive {'DOWN', Monitor, process, _, normal} -> ok end.

before(Reference, Events) ->
    receive
        {trace_delivered, _, Reference} -> lists:reverse(Events);
        Event when element(1, Event) =:= trace -> before(Reference, [Event | Events])
    end.

gone() ->
    {Pid, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    before(erlang:trace_delivered(Pid), []).

%% One that is suspended handles its signals all the same.
suspended() ->
    Pid = tracee(),
    true = erlang:suspend_process(Pid),
    1 = erlang:trace(Pid, true, [procs]),
    link(Pid),
    Told = before(erlang:trace_delivered(Pid), []),
    erlang:resume_process(Pid),
    unlink(Pid),
    exit(Pid, kill),
    [Tag || {trace, Of, Tag, _} <- Told, Of =:= Pid].
