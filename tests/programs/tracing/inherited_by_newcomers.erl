%% A traced process spawns another while newcomers are traced as well: what the child has of both. From OTP 27 on that
%% of its parent replaces what newcomers get.
-module(inherited_by_newcomers).
-export([main/0]).

main() ->
    Flags = [[set_on_link], [set_on_spawn], [set_on_link, send], [send], [set_on_spawn, procs],
        [set_on_first_link, procs], [set_on_first_spawn, arity],
             [set_on_spawn, set_on_first_link, call]],
    [see:value({Name, Of, New}, child(Spawn, Of, New))
     || {Name, Spawn} <- [{spawn, fun(Fun) -> spawn(Fun) end}, {spawn_link, fun(Fun) -> spawn_link(Fun) end}],
        Of <- Flags, New <- [[], ['receive', procs], [send], [set_on_spawn, garbage_collection]]].

child(Spawn, Of, New) ->
    Me = self(),
    [Tracer, Other] = [spawn(fun forget/0) || _ <- [1, 2]],
    Parent = spawn(fun() -> receive go -> Me ! {child, Spawn(fun forget/0)}, forget() end end),
    1 = erlang:trace(Parent, true, [{tracer, Tracer} | Of]),
    _ = erlang:trace(new, true, [{tracer, Other} | New]),
    Parent ! go,
    Child = receive {child, Pid} -> Pid end,
    _ = erlang:trace(new, false, [all]),
    Whose = case erlang:trace_info(Child, tracer) of
        {tracer, Tracer} -> tracer;
        {tracer, Other} -> other;
        {tracer, []} -> none
    end,
    Seen = {flags(Child), flags(Parent), Whose},
    [exit(Each, kill) || Each <- [Child, Parent, Tracer, Other]],
    Seen.

forget() -> receive _ -> forget() end.

flags(Pid) ->
    {flags, Flags} = erlang:trace_info(Pid, flags),
    lists:sort(Flags).
