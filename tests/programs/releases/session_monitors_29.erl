%% The system monitor in trace sessions: trace:system/3, and what it calls.
%% releases: 29
-module(session_monitors_29).
-export([main/0]).

main() ->
    options(),
    without_tracer(),
    told(),
    see:value(left, {trace:session_info(all), erlang:system_monitor()}).

options() ->
    S = trace:session_create(s, self(), []),
    T = trace:session_create(t, self(), []),
    Open = trace:session_create(open, undefined, []),
    All = fun(X) -> trace:info(X, system, all) end,
    see:value(none, All(S)),
    see:value(set, [begin R = trace:system(S, E, V), {R, All(S)} end
                    || {E, V} <- [{long_gc, 1000}, {large_heap, 100000000}, {long_schedule, 10000}, {busy_port, true},
                        {busy_dist_port, true}, {long_gc, 0}, {large_heap, 1}, {busy_port, false},
                                  {long_schedule, false}]]),
    see:value(other, {All(T), erlang:system_monitor(), trace:system(T, busy_port, true), All(T)}),
    see:all([{{E, V}, fun() -> trace:system(S, E, V) end} || {E, V} <- [{long_gc, true}, {long_gc, -1}, {long_gc, a},
        {busy_port, 1}, {busy_port, a}, {other, true}, {1, true}, {long_gc, 1 bsl 70}]]),
    see:all([{{session, X}, fun() -> trace:system(X, busy_port, true) end} || X <- [{a, 99}, foo, {legacy, default}]]),
    see:fails([fun() -> trace:system(Open, busy_port, true) end, fun() -> trace:info(S, system, flags) end,
        fun() -> trace:session_info(system) end,
               fun() -> trace:info({legacy, default}, system, all) end]),
    see:value(open, All(Open)),
    see:value(internal, [catch_error(fun() -> erts_internal:system_monitor(S, W, L) end)
        || {W, L} <- [{self(), [busy_port]}, {session, [busy_port, {long_gc, 7}]}, {session, []}, {session, x}]]),
    see:value(now, {All(S), begin {P, L} = erts_internal:system_monitor(S), {P =:= self(), L} end}),
    see:value(old, [case X of {P2, L2} when is_pid(P2) -> {P2 =:= self(), L2}; _ -> X end
                    || X <- [erlang:system_monitor(self(), [{large_heap, 50000000}, {busy_port, true}]),
                        erts_internal:system_monitor(legacy), erlang:system_monitor(undefined)]]),
    see:value(still, {All(S), All(T)}),
    see:value(ended, {trace:session_destroy(S), catch_error(fun() -> All(S) end),
        catch_error(fun() -> trace:system(S, busy_port, true) end), All(T)}),
    true = trace:session_destroy(Open),
    true = trace:session_destroy(T).

%% A session without a tracer is given a process, as erlang:system_monitor/2.
without_tracer() ->
    S = trace:session_create(open, undefined, []),
    Own = self(),
    Other = spawn(fun() -> receive stop -> ok end end),
    Named = fun({P, L}) when P =:= Own -> {own, L}; ({P, L}) when P =:= Other -> {other, L}; (X) -> X end,
    Try = fun(Session, P, L) ->
        Result = catch_error(fun() -> erts_internal:system_monitor(Session, P, L) end),
        {L, Named(Result), Named(erts_internal:system_monitor(Session))}
    end,
    see:value(without_tracer, [Try(S, P, L)
        || {P, L} <- [{Own, [{long_gc, 10}]}, {Own, [busy_port]}, {Other, [busy_dist_port]}, {undefined, []},
                      {undefined, [{long_gc, 10}]}, {undefined, foo}, {Other, [{large_heap, 5}]}, {Other, []},
                      {Own, [{large_heap, 20000}, {large_heap, false}]}, {Own, [foo]}, {undefined, [foo]}, {foo, []},
                      {foo, [busy_port]}, {Own, foo}, {session, [busy_port]}, {Own, [busy_port]}, {session, []},
                      {Own, [{busy_port, false}, {long_gc, 8}, {busy_port, true}]}, {Other, [busy_port]}]]),
    see:value(others, {Named(erlang:system_monitor()), [Try(legacy, P, L)
        || {P, L} <- [{session, [busy_port]}, {undefined, foo}, {Own, [busy_port]}, {undefined, [foo]}]]}),
    exit(Other, kill),
    see:value(gone, apart:wait(fun() -> erts_internal:system_monitor(S) end, undefined, 400)),
    true = trace:session_destroy(S),
    see:fails([fun() -> erts_internal:system_monitor(S, Own, [busy_port]) end]).

%% Each monitor is told by its own limits.
told() ->
    [One, Two, Three] = [collector() || _ <- [1, 2, 3]],
    [S, T] = [trace:session_create(N, P, []) || {N, P} <- [{one, One}, {two, Two}]],
    ok = trace:system(S, large_heap, 200000),
    ok = trace:system(T, large_heap, 100000000),
    undefined = erlang:system_monitor(Three, [{large_heap, 20000}]),
    Grow = fun(Words) -> apart:run(fun() -> L = lists:seq(1, Words div 2), erlang:garbage_collect(), length(L) end,
        60000) end,
    Grow(60000),
    see:value(small, {apart:wait(fun() -> kinds(Three) end, [large_heap], 400), kinds(One), kinds(Two)}),
    Grow(1000000),
    see:value(large, {apart:wait(fun() -> kinds(One) end, [large_heap], 400), kinds(Two)}),
    _ = erlang:system_monitor(undefined),
    true = trace:session_destroy(S),
    true = trace:session_destroy(T),
    [P ! stop || P <- [One, Two, Three]].

collector() -> spawn(fun() -> collect([]) end).

collect(Kinds) ->
    receive
        {monitor, _, Kind, _} -> collect(lists:usort([Kind | Kinds]));
        {kinds, To} -> To ! {kinds, Kinds}, collect(Kinds);
        stop -> ok
    end.

kinds(P) -> P ! {kinds, self()}, receive {kinds, Kinds} -> Kinds end.

catch_error(F) -> try F() catch error:R -> R end.
