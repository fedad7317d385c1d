%% What a system tracer is told of sequences in which sensitive processes send, receive, spawn and end.
-module(sequences_of_sensitive).
-export([main/0]).

main() ->
    [see:value({Name, Sensitive}, told(Scene, Sensitive))
     || {Name, Scene} <- scenes(), Sensitive <- [none, first, second, both]].

%% Each is played by two processes, the first of which has a token. Both do what they get in funs.
scenes() ->
    [{message, fun(First, Second) ->
         do(First, fun() -> Second ! {hello, self()} end),
         do(Second, fun() -> receive {hello, Pid} -> Pid ! back end end),
         do(First, fun() -> receive back -> ok end end)
     end},
     {print, fun(First, Second) ->
         do(First, fun() -> seq_trace:print(printed), Second ! go end),
         do(Second, fun() -> receive go -> seq_trace:print(printed_too) end end)
     end},
     {normal_end, fun(First, Second) -> do(First, fun() -> link(Second) end), finish(First, normal) end},
     {end_for_a_reason, fun(First, Second) -> do(First, fun() -> link(Second) end), finish(First, reason) end},
     {end_is_trapped, fun(First, Second) ->
         do(Second, fun() -> process_flag(trap_exit, true) end),
         do(First, fun() -> link(Second) end),
         finish(First, reason),
         do(Second, fun() -> receive {'EXIT', First, reason} -> seq_trace:print(trapped) end end)
     end},
     {end_after_the_other, fun(First, Second) ->
         do(First, fun() -> link(Second) end),
         do(First, fun() -> process_flag(trap_exit, true) end),
         finish(Second, reason),
         finish(First, reason)
     end},
     {spawn, fun(First, _) ->
         do(First, fun() ->
             {Child, Monitor} = spawn_opt(fun() -> receive go -> seq_trace:print(spawned) end end, [monitor]),
             Child ! go,
             receive {'DOWN', Monitor, _, _, _} -> ok end
         end)
     end},
     {spawn_link, fun(First, _) ->
         do(First, fun() ->
             process_flag(trap_exit, true),
             Child = spawn_link(fun() -> ok end),
             receive {'EXIT', Child, normal} -> seq_trace:print(ended) end
         end)
     end},
     {exit_signal, fun(First, Second) ->
         do(Second, fun() -> process_flag(trap_exit, true) end),
         do(First, fun() -> exit(Second, reason) end),
         do(Second, fun() -> receive {'EXIT', First, reason} -> ok end end)
     end}].

told(Scene, Sensitive) ->
    Tracer = spawn(fun() -> collect([]) end),
    [First, Second] = [spawn(fun() -> act([]) end) || _ <- "12"],
    seq_trace:set_system_tracer(Tracer),
    do(First, fun() -> [seq_trace:set_token(Flag, true) || Flag <- [send, 'receive', print]] end),
    [do(Pid, fun() -> false = process_flag(sensitive, true) end)
     || {Pid, Which} <- [{First, first}, {Second, second}], Sensitive =:= Which orelse Sensitive =:= both],
    Scene(First, Second),
    [finish(Pid, kill) || Pid <- [First, Second]],
    Tracer ! {tell, self()},
    Events = receive {Tracer, All} -> All end,
    seq_trace:set_system_tracer(false),
    [event(Event, First, Second) || Event <- Events].

%% Shows processes as what they are.
event({seq_trace, _, {What, Numbers, From, To, Message}}, First, Second) ->
    Named = fun(Pid) when Pid =:= First -> first; (Pid) when Pid =:= Second -> second; (Pid) when is_pid(Pid) -> other;
        (Term) -> Term end,
    Shown = case Message of
        _ when is_tuple(Message) -> [Named(Part) || Part <- tuple_to_list(Message), not is_reference(Part),
            not is_list(Part)];
        _ -> Message
    end,
    {What, Numbers, Named(From), Named(To), Shown}.

collect(Events) ->
    receive
        {tell, Pid} -> Pid ! {self(), lists:reverse(Events)};
        Event -> collect([Event | Events])
    end.

%% Keeps its token from one task to the next: a message without one takes it away.
act(Token) ->
    receive
        {do, Pid, Monitor, Fun} ->
            seq_trace:set_token(Token),
            Fun(),
            After = seq_trace:set_token([]),
            Pid ! {done, Monitor},
            act(After)
    end.

do(Pid, Fun) ->
    Monitor = monitor(process, Pid),
    Pid ! {do, self(), Monitor, Fun},
    receive
        {done, Monitor} -> demonitor(Monitor, [flush]);
        {'DOWN', Monitor, process, Pid, Reason} -> {ended, Reason}
    end.

finish(Pid, kill) ->
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Monitor, process, Pid, _} -> ok end;
finish(Pid, Reason) ->
    do(Pid, fun() -> exit(Reason) end).
