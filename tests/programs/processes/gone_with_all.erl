%% Who learns that a process is gone finds nothing of it any more: no name, no table. However its end is learned, its
%% names are free for the next, as name servers and pools rely on. It owns so many tables that its end takes a while.
-module(gone_with_all).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Names = [list_to_atom("taken_" ++ integer_to_list(N)) || N <- lists:seq(1, 300)],
    see:all([{How, fun() -> lists:usort(lists:append([turn(How, Names) || _ <- lists:seq(1, 40)])) end}
        || How <- [monitor, alive]]).

turn(How, Names) ->
    Me = self(),
    P = spawn(fun() -> register(taken, self()), [ets:new(Name, [named_table]) || Name <- Names], Me ! {ready, self()},
        receive go -> ok end end),
    receive {ready, P} -> ok end,
    P ! go,
    await(How, P),
    [whereis(taken) | [ets:whereis(Name) || Name <- lists:reverse(Names)]].

%% Returns when the process was found to be gone, without having been told.
await(How, P) ->
    case gone(How, P) of
        true -> ok;
        false -> erlang:yield(), await(How, P)
    end.

gone(monitor, P) ->
    R = monitor(process, P),
    receive
        {'DOWN', R, process, P, _} -> true
    after 1 -> demonitor(R, [flush]), false
    end;
gone(alive, P) -> not is_process_alive(P).
