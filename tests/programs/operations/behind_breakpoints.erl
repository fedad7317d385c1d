%% A function with a breakpoint goes on with its first instruction in another way than one without: every operation,
%% most of them as the first one of a function, with breakpoints that count and with breakpoints that tell a tracer.
%% timeout: 120
%% releases: 25 27
-module(behind_breakpoints).
-export([main/0]).

main() ->
    Tracer = spawn_link(fun forget/0),
    erlang:trace(self(), true, [call, {tracer, Tracer}]),
    [families(Flags) || Flags <- [[call_count], [local]]].

families(Flags) ->
    io:format("~n~w~n", [Flags]),
    Prepare = fun(Module) -> true = erlang:trace_pattern({Module, '_', '_'}, true, Flags) > 0 end,
    [operations:run(Family, Prepare) || Family <- operations:families()].

forget() ->
    receive _ -> forget() end.
