%% trace and trace_pattern: calls, returns, messages, processes; seq_trace; system_profile.
-module(tracing).
-export([main/0, f/1, g/1]).

main() ->
    P = spawn(fun() -> loop() end),
    see:value(call, begin erlang:trace(P, true, [call]), erlang:trace_pattern({?MODULE, f, 1}, true, [local]),
        P ! {do, 1}, receive {trace, P, call, {M, F, A}} -> {M, F, A} after 2000 -> none end end),
    see:value(return, begin erlang:trace_pattern({?MODULE, f, 1}, [{'_', [], [{return_trace}]}], [local]), P ! {do, 2},
        [receive {trace, P, call, X} -> {call, X}; {trace, P, return_from, X, V} -> {return, X, V} after 2000 -> none
        end || _ <- [1, 2]] end),
    see:value(off, begin erlang:trace(P, false, [call]), P ! {do, 3},
        receive {trace, P, _, _} -> traced after 30 -> silent end end),
    see:value(messages, begin erlang:trace(P, true, ['receive']), P ! {do, 4},
        receive {trace, P, 'receive', Msg} -> Msg after 2000 -> none end end),
    see:value(exits, begin erlang:trace(P, false, ['receive']), erlang:trace(P, true, [procs]), P ! stop,
        receive {trace, P, exit, R} -> R after 2000 -> none end end),
    see:value(info, erlang:trace_info({?MODULE, f, 1}, traced)).

loop() -> receive {do, N} -> f(N), loop(); stop -> ok end.
f(N) -> g(N) + 1.
g(N) -> N * 2.
