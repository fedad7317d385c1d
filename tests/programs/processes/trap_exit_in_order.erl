%% An exit signal is judged by the flag trap_exit as it was when the signal arrived.
%% differs: stock changes the flag at once, so that it depends on the slices of the two processes which value a signal
%% is judged by that arrived before (and always the new one for a signal that a process sends to itself).
-module(trap_exit_in_order).
-export([main/0]).

main() ->
    see:value(turned_on, ends(fun() -> erlang:exit_signal(self(), told), process_flag(trap_exit, true), seen() end)),
    see:value(turned_off,
        ends(fun() -> process_flag(trap_exit, true), exit(self(), told), process_flag(trap_exit, false), seen() end)),
    see:value(turned_on_by_side_effect, lists:usort([from_another(false) || _ <- lists:seq(1, 500)])),
    see:value(turned_off_by_side_effect, lists:usort([from_another(true) || _ <- lists:seq(1, 500)])).

%% The receiver changes the flag when it knows, other than by a message, that the signal was sent.
from_another(Before) ->
    Steps = atomics:new(2, []),
    {P, R} = spawn_monitor(fun() -> process_flag(trap_exit, Before), atomics:put(Steps, 1, 1), await(Steps, 2),
        process_flag(trap_exit, not Before), exit({result, seen()}) end),
    await(Steps, 1),
    exit(P, told),
    atomics:put(Steps, 2, 1),
    receive {'DOWN', R, process, P, Reason} -> Reason end.

await(Steps, Step) ->
    case atomics:get(Steps, Step) of
        1 -> ok;
        0 -> await(Steps, Step)
    end.

seen() -> receive {'EXIT', _, told} -> message after 0 -> nothing end.
ends(Fun) -> {P, R} = spawn_monitor(fun() -> exit({result, Fun()}) end),
    receive {'DOWN', R, process, P, Reason} -> Reason end.
