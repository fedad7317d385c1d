%% What a traced process passes on by link/1, which it does from OTP 27 on: to whom, once or always, and to whom not.
%% releases: 27 29
-module(linked_27).
-export([main/0]).

main() ->
    [passed_on(Flags) || Flags <- [[set_on_link], [set_on_first_link], [set_on_link, set_on_first_link], []]].

passed_on(Flags) ->
    Tracer = spawn(fun forget/0),
    [Pid, A, B, C, D] = [spawn(fun told/0) || _ <- [1, 2, 3, 4, 5]],
    1 = erlang:trace(Pid, true, [procs, call, {tracer, Tracer} | Flags]),
    1 = erlang:trace(C, true, ['receive']),
    does(Pid, fun() -> link(A), link(A) end),
    see:value(Flags, {flags(A), flags(Pid), erlang:trace_info(A, tracer) =:= {tracer, Tracer}}),
    does(Pid, fun() -> link(B) end),
    see:value(second, {flags(B), flags(Pid)}),
    does(Pid, fun() -> link(C) end),
    see:value(of_another_tracer, {flags(C), erlang:trace_info(C, tracer) =:= {tracer, self()}}),
    1 = erlang:trace(Pid, true, [set_on_link, {tracer, Tracer}]),
    does(D, fun() -> link(Pid) end),
    see:value(links_it, flags(D)),
    does(Pid, fun() -> link(D) end),
    see:value(linked_already, flags(D)),
    does(Pid, fun() -> unlink(A) end),
    _ = flags(A),
    erlang:trace(A, false, [all]),
    does(Pid, fun() -> link(A) end),
    see:value(linked_again, flags(A)),
    does(Pid, fun() -> link(self()), catch link(list_to_pid("<0.99999.0>")) end),
    see:value(others, flags(Pid)),
    [begin unlink(P), exit(P, kill) end || P <- [Pid, A, B, C, D, Tracer]].

forget() -> receive _ -> forget() end.

told() -> receive {does, From, Fun} -> Fun(), From ! done, told() end.

does(Pid, Fun) ->
    Pid ! {does, self(), Fun},
    receive done -> ok end.

%% What was sent to the process before is handled.
flags(Pid) ->
    does(Pid, fun() -> ok end),
    {flags, Flags} = erlang:trace_info(Pid, flags),
    lists:sort(Flags).
