%% proc_lib, sys debugging, gen_event, logger with a handler of our own, error_logger reports.
-module(proc_lib_and_sys).
-export([main/0, init_it/1, log/2, started/2]).
-behaviour(gen_event).
-export([init/1, handle_event/2, handle_call/2, handle_info/2, terminate/2]).

main() ->
    process_flag(trap_exit, true),
    see:value(start_link, begin {ok, P} = proc_lib:start_link(?MODULE, init_it, [self()]), P ! stop,
        receive {'EXIT', P, R} -> R end end),
    see:value(start_fails, [begin X = proc_lib:start(?MODULE, started, [self(), K]), plain(X) end
        || K <- [{error, nope}, die]]), flush(),
    see:value(initial_call, begin Q = proc_lib:spawn(?MODULE, init_it, [none]), T = proc_lib:translate_initial_call(Q),
        exit(Q, kill), T end),
    see:value(ancestors, begin Me = self(),
        proc_lib:spawn(fun() -> Me ! {anc, [A =:= Me || A <- get('$ancestors'), is_pid(A)]} end),
    receive {anc, A2} -> hd(A2) end end),
    {ok, E} = gen_event:start_link(),
    see:value(gen_event, [gen_event:add_handler(E, ?MODULE, self()), gen_event:add_handler(E, {?MODULE, second},
        {self(), self()}), length(gen_event:which_handlers(E)), gen_event:notify(E, hello), receive {event, Ev} -> Ev
        end, receive {event, Ev2} -> Ev2 end, gen_event:sync_notify(E, sync), gen_event:call(E, ?MODULE, ask),
    gen_event:call(E, missing, ask), gen_event:delete_handler(E, ?MODULE, why), gen_event:which_handlers(E)]),
    flush(),
    see:value(gen_event_crash, begin gen_event:notify(E, crash), gen_event:sync_notify(E, x),
        gen_event:which_handlers(E) end),
    gen_event:stop(E), flush(),
    ok = logger:remove_handler(default),
    ok = logger:add_handler(mine, ?MODULE, #{level => all, config => #{to => self()}}),
    logger:set_primary_config(level, info),
    logger:log(error, "text ~p", [1]), logger:info(#{report => map}), logger:debug("not shown"),
    logger:warning("w", #{meta => data}),
    see:value(logged, [receive {log, L} -> L after 1000 -> none end || _ <- [1, 2, 3]]),
    see:value(crash_report, begin C = proc_lib:spawn(fun() -> error(crashed_here) end),
        receive {log, {error, {report, Rep}}} -> {maps:get(label, Rep), is_pid(C)} after 1000 -> none end end),
    see:value(plain_crash, begin spawn(fun() -> error(plain_crash) end),
        receive {log, {error, Txt}} -> crash_text(Txt) after 1000 -> none end end),
    logger:remove_handler(mine), logger:set_primary_config(level, none),
    see:value(sys_log, begin {ok, G} = gen_event:start_link(), sys:log(G, true), gen_event:sync_notify(G, a),
        {ok, Lg} = sys:log(G, get), gen_event:stop(G), is_list(Lg) end),
    see:value(hibernate, begin H = proc_lib:spawn(fun() -> proc_lib:hibernate(?MODULE, init_it, [Me]) end), H ! wake,
        exit(H, kill), ok end).

init_it(none) -> receive stop -> ok end;
init_it(Parent) -> proc_lib:init_ack(Parent, {ok, self()}), receive stop -> exit(stopped) end.
started(Parent, {error, R}) -> proc_lib:init_ack(Parent, {error, R}), exit(normal);
started(_, die) -> exit(died).

plain({error, {R, [{_, _, _, _} | _]}}) -> {error, R};
plain(X) -> X.
flush() -> receive {'EXIT', _, _} -> flush(); {event, _} -> flush(); {ended, _} -> flush() after 5 -> ok end.

init({To, _}) -> {ok, To};
init(To) -> {ok, To}.
handle_event(crash, _) -> error(handler_crash);
handle_event(E, To) -> To ! {event, E}, {ok, To}.
handle_call(ask, To) -> {ok, answer, To}.
handle_info(_, To) -> {ok, To}.
terminate(R, To) when is_pid(To) -> To ! {ended, R}, done;
terminate(_, _) -> done.

log(#{level := L, msg := {report, R}}, #{config := #{to := T}}) -> T ! {log, {L, {report, R}}};
log(#{level := L, msg := {string, S}}, #{config := #{to := T}}) -> T ! {log, {L, S}};
log(#{level := L, msg := {F, A}}, #{config := #{to := T}}) ->
    T ! {log, {L, unicode:characters_to_list(io_lib:format(F, [plain_pid(X) || X <- A]))}}.
plain_pid(P) when is_pid(P) -> a_pid;
plain_pid(X) -> X.

crash_text(T) when is_list(T) -> string:slice(T, 0, 40);
crash_text(T) -> T.
