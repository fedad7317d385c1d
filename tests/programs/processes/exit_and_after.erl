%% What a process does last: after clauses run when it fails, not when it is killed.
-module(exit_and_after).
-export([main/0]).

main() ->
    [see:value(How, run(How)) || How <- [normal, throw, error, exit, killed, exit_signal, nested]],
    see:value(large_stack, large_stack()),
    see:value(dictionary_at_exit,
        begin Me = self(), {_, R} = spawn_monitor(fun() -> put(x, 1), try exit(a) after Me ! {dict, get(x)} end end),
        [receive {dict, D} -> D end, receive {'DOWN', R, _, _, X} -> X end] end).

run(How) ->
    Me = self(),
    {P, R} = spawn_monitor(fun() -> try Me ! started, body(How) after Me ! after_ran end end),
    receive started -> ok end,
    case How of killed -> exit(P, kill); exit_signal -> exit(P, signal); _ -> ok end,
    X = receive {'DOWN', R, _, _, {Why, [_ | _]}} -> Why; {'DOWN', R, _, _, Why} -> Why end,
    {X, receive after_ran -> ran after 0 -> not_run end}.

body(normal) -> ok;
body(throw) -> throw(t);
body(error) -> error(e);
body(exit) -> exit(x);
body(nested) -> try body(error) after body(throw) end;
body(_) -> receive after infinity -> ok end.

large_stack() ->
    {_, R} = spawn_monitor(fun() -> deep(100000) end),
    receive {'DOWN', R, _, _, {bottom, S}} -> length(S) end.
deep(0) -> error(bottom);
deep(N) -> try 1 + deep(N - 1) catch throw:_ -> no end.
