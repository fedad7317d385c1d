%% What is left when processes end: names, monitors, links, timers, tables and aliases go.
-module(trap_and_cleanup).
-export([main/0]).

main() ->
    see:value(name, cleanup(fun(_) -> register(temporary, self()) end, fun(_) -> whereis(temporary) end)),
    see:value(table, cleanup(fun(_) -> ets:new(temporary, [named_table, public]) end, fun(_) -> ets:info(temporary)
        end)),
    see:value(timer, cleanup(fun(Me) -> erlang:send_after(1, self(), x), Me end,
        fun(_) -> receive M -> M after 5 -> none end end)),
    see:value(link, begin process_flag(trap_exit, true),
        R = cleanup(fun(Me) -> link(Me) end, fun(P) -> receive {'EXIT', P, X} -> X after 1000 -> none end end),
    process_flag(trap_exit, false), R end),
    see:value(monitored_by, begin T = spawn(fun() -> receive stop -> ok end end),
        R2 = cleanup(fun(_) -> monitor(process, T) end,
        fun(_) -> wait_for(fun() -> process_info(T, monitored_by) end, {monitored_by, []}) end), T ! stop, R2 end),
    see:value(alias, cleanup(fun(Me) -> Me ! {alias, alias()} end, fun(_) -> receive {alias, A} -> A ! lost, ok end
        end)),
    see:value(table_heir,
        begin P3 = spawn(fun() -> T3 = ets:new(inherited, [{heir, see:id(whereis(cleanup_main)), data}]),
        ets:insert(T3, {a, 1}) end), receive {'ETS-TRANSFER', T4, P3, D} -> {D, ets:tab2list(T4)} after 1000 -> none
        end end),
    see:value(links_empty, process_info(self(), links) =:= {links, []}).

cleanup(Do, Look) ->
    case whereis(cleanup_main) of undefined -> register(cleanup_main, self()); _ -> ok end,
    Me = self(),
    {P, R} = spawn_monitor(fun() -> Do(Me) end),
    receive {'DOWN', R, process, P, _} -> Look(P) end.

wait_for(F, X) -> wait_for(F, X, 1000).
wait_for(F, _, 0) -> F();
wait_for(F, X, N) -> case F() of X -> X; _ -> erlang:yield(), wait_for(F, X, N - 1) end.
