%% How trace sessions are named, which tracer they have, and what is refused.
%% releases: 27 29
-module(sessions_named).
-export([main/0, f/1]).

main() ->
    names(),
    open_tracer(),
    refused(),
    asked(),
    ended().

f(X) -> X.

names() ->
    {Strong, Weak} = A = trace:session_create(a, self(), []),
    {Other, OtherWeak} = B = trace:session_create(b, self(), []),
    see:value(weak, {Weak, OtherWeak}),
    see:value(named, [catch_error(fun() -> trace:process(S, self(), true, [call]) end) || S <- [A, Weak, B]]),
    see:value(not_named, [catch_error(fun() -> trace:process(S, self(), true, [call]) end)
                          || S <- [Strong, {Strong, OtherWeak}, {Strong, x}, {Strong}, {Strong, Weak, x},
                              {make_ref(), Weak}, {Other, Strong}, {x, Weak}, {b, 0}, {a, 99}, {a, -1},
                                   {legacy, default}, {legacy, 0}, atomics:new(1, []), legacy, 17]]),
    see:value(same_name, begin {_, {a, N}} = C = trace:session_create(a, self(), []), {N > 1, trace:session_destroy(C)}
        end),
    see:value(destroyed, [catch_error(fun() -> trace:session_destroy(S) end) || S <- [B, B, OtherWeak, Strong, Weak,
        Weak, A, {legacy, default}, make_ref(), x]]),
    see:value(sessions, trace:session_info(all)).

%% A session may leave its tracer open.
open_tracer() ->
    S = trace:session_create(open, undefined, []),
    {_, _} = T = trace:session_create(has, self(), []),
    F = {?MODULE, f, 1},
    Tracer = spawn(fun() -> receive stop -> ok end end),
    Tracee = spawn(fun() -> receive stop -> ok end end),
    Is = fun(Whom) -> fun({_, W}) -> W =:= Whom end end,
    see:value(given, {trace:process(S, Tracee, true, [call, {tracer, Tracer}]),
        (Is(Tracer))(trace:info(S, Tracee, tracer))}),
    see:value(own, {trace:process(S, self(), true, [call]), (Is(self()))(trace:info(S, self(), tracer))}),
    see:value(off, [trace:process(S, P, false, [call]) || P <- [self(), Tracee]]),
    see:value(meta, [{trace:function(S, F, true, [M]), (Is(W))(trace:info(S, F, meta))} || {M, W} <- [{meta, self()},
        {{meta, Tracer}, Tracer}]]),
    see:value(meta, [catch_error(fun() -> trace:function(T, F, true, [M]) end) || M <- [meta, {meta, Tracer},
        {meta, self()}, {meta, erl_tracer, self()}]]),
    see:value(tracer, [catch_error(fun() -> trace:process(T, Tracee, H, [call, {tracer, Tracer}]) end)
        || H <- [true, false]]),
    Module = trace:session_create(module, {erl_tracer, self()}, []),
    1 = trace:process(Module, Tracee, true, [call]),
    see:value(module, (Is(self()))(trace:info(Module, Tracee, tracer))),
    [true = trace:session_destroy(X) || X <- [S, T, Module]],
    [P ! stop || P <- [Tracer, Tracee]].

refused() ->
    S = trace:session_create(s, self(), []),
    see:all([{{create, A}, fun() -> apply(trace, session_create, shown(A)) end}
        || A <- [["name", self, []], [n, other, []], [n, self, x], [n, self, [x]], [n, {no_such, 1}, []],
        [n, [], []]]]),
    see:all([{{process, A}, fun() -> apply(trace, process, [S | shown(A)]) end}
             || A <- [[a, true, []], [self, perhaps, []], [self, true, x], [self, true, [x]], [self, true, [call | x]],
                 [new_ports, true, [call]], [self, true, [cpu_timestamp]]]]),
    see:all([{{port, A}, fun() -> apply(trace, port, [S | shown(A)]) end} || A <- [[a, true, []], [self, true, []],
        [new_processes, true, [ports]], [all, perhaps, []], [all, true, [x]]]]),
    see:all([{{function, A}, fun() -> apply(trace, function, [S | A]) end}
             || A <- [[a, true, []], [{?MODULE, '_', '_'}, perhaps, []], [{?MODULE, f, 1}, true, x],
                 [{?MODULE, f, 1}, true, [x]], [{?MODULE, f, 1}, true, [local | meta]],
                      [{'_', f, 1}, true, []], [{?MODULE, f, 1}, [{['_'], [], []}], [call_count]],
                      [send, true, [local]], ['receive', pause, []]]]),
    see:all([{{F, A}, fun() -> apply(trace, F, [S | A]) end} || F <- [send, recv],
        A <- [[a, []], [true, x], [true, [x]], [restart, []], [[{['_'], [], []}], [local]]]]),
    true = trace:session_destroy(S).

shown(A) -> [case X of self -> self(); _ -> X end || X <- A].

asked() ->
    S = trace:session_create(s, self(), []),
    see:value(functions, [catch_error(fun() -> trace:info(S, F, I) end)
                          || F <- [{?MODULE, f, 1}, {?MODULE, g, 1}, {?MODULE, f, 300}],
                          I <- [all, traced, match_spec, meta, meta_match_spec, call_count, call_time, call_memory,
                              other]]),
    see:value(tracees, [catch_error(fun() -> trace:info(S, W, I) end) || W <- [self(), new, new_processes, new_ports,
        all, foo, 17, {a, b}], I <- [flags, tracer, all, session, other]]),
    see:value(events, [catch_error(fun() -> trace:info(S, W, I) end) || W <- [send, 'receive', on_load],
        I <- [match_spec, all, traced, flags, other]]),
    see:value(sessions, [catch_error(fun() -> trace:session_info(W) end)
                         || W <- [self(), new, new_processes, new_ports, on_load, send, 'receive', {?MODULE, f, 1},
                             {?MODULE, g, 1}, {?MODULE, f, '_'}, {a, b}, {1, f, 1}, foo, system, 17]]),
    see:value(internal, [catch_error(fun() -> erts_internal:trace_info(any, W, flags) end)
        || W <- [self(), send, any, {?MODULE, f, 1}]]),
    see:value(delivered, [begin R = trace:delivered(X, self()), receive {trace_delivered, P, R} -> P =:= self() end end
        || X <- [S, foo]]),
    true = trace:session_destroy(S).

%% Nothing can be done in a session that has ended.
ended() ->
    {_, Weak} = S = trace:session_create(s, self(), []),
    true = trace:session_destroy(S),
    see:fails([fun() -> F(X) end
               || X <- [S, Weak],
                  F <- [fun(Y) -> trace:process(Y, self(), true, [call]) end,
                      fun(Y) -> trace:port(Y, all, true, [ports]) end,
                  fun(Y) -> trace:function(Y, {?MODULE, f, 1}, true, []) end,
                        fun(Y) -> trace:function(Y, on_load, true, []) end, fun(Y) -> trace:send(Y, true, []) end,
                            fun(Y) -> trace:recv(Y, true, []) end, fun(Y) -> trace:info(Y, self(), flags) end,
                        fun(Y) -> trace:info(Y, {?MODULE, f, 1}, all) end, fun(Y) -> trace:info(Y, on_load, all) end,
                            fun(Y) -> trace:info(Y, send, match_spec) end]]),
    see:value(left, {trace:session_info({?MODULE, f, 1}), trace:session_info(self())}).

catch_error(F) -> try F() catch error:R -> R end.
