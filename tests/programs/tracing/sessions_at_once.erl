%% Several trace sessions beside each other and beside erlang:trace/3: each has its own flags, patterns, tracer and
%% counters.
%% releases: 27 29
-module(sessions_at_once).
-export([main/0, outer/1, inner/1, fails/1, loop/0]).

main() ->
    calls(),
    ends_of_calls(),
    changed_by_specifications(),
    counters(),
    metas(),
    built_in(),
    messages(),
    children(),
    newcomers(),
    ports(),
    loaded(),
    gone(),
    see:value(left, trace:session_info(all)).

outer(X) -> inner(X) + 1.

inner(X) -> X * 2.

fails(X) -> inner(X), error(X).

%% One process, three sessions: what each is told, in which order, in which form.
calls() ->
    P = tracee(),
    [A, B] = Sessions = made([a, b]),
    1 = trace:process(A, P, true, [call]),
    1 = trace:process(B, P, true, [call, arity, strict_monotonic_timestamp]),
    1 = erlang:trace(P, true, [call, timestamp]),
    see:value(sessions, trace:session_info(P)),
    [1 = trace:function(S, {?MODULE, outer, 1}, [{'_', [], [{message, Name}]}], [local])
        || {S, Name} <- [{A, a}, {B, b}]],
    1 = erlang:trace_pattern({?MODULE, outer, 1}, [{[1], [], []}], [local]),
    does(calls, P, fun() -> outer(1), outer(2) end),
    see:value(of_function, {trace:session_info({?MODULE, outer, 1}), trace:session_info({?MODULE, inner, 1}),
        trace:session_info({?MODULE, none, 1})}),
    see:value(info, {[trace:info(S, {?MODULE, outer, 1}, all) || S <- Sessions],
        erlang:trace_info({?MODULE, outer, 1}, all)}),
    % By the full name in one session, wherever they come from in the others.
    1 = trace:function(B, {?MODULE, outer, 1}, true, [global]),
    does(global, P, fun() -> ?MODULE:outer(1), outer(1) end),
    see:value(of_function, {trace:session_info({?MODULE, outer, 1}),
        [trace:info(S, {?MODULE, outer, 1}, traced) || S <- Sessions]}),
    1 = trace:process(A, P, false, [call]),
    see:value(sessions, {trace:session_info(P), [trace:info(S, P, flags) || S <- Sessions],
        erlang:trace_info(P, flags)}),
    1 = trace:process(A, P, true, [call]),
    see:value(sessions, trace:session_info(P)),
    does(again, P, fun() -> ?MODULE:outer(1) end),
    % What ends in one session goes on in the others.
    1 = erlang:trace_pattern({?MODULE, outer, 1}, false, [local]),
    does(without_old, P, fun() -> ?MODULE:outer(1) end),
    true = trace:session_destroy(B),
    see:value(sessions, {trace:session_info(P), trace:session_info({?MODULE, outer, 1}), trace:session_info(all)}),
    does(without_b, P, fun() -> ?MODULE:outer(1) end),
    ended([A]),
    see:value(sessions, {trace:session_info(P), trace:session_info({?MODULE, outer, 1}), erlang:trace_info(P, flags)}),
    stopped(P).

ends_of_calls() ->
    P = tracee(),
    [A, B, C] = Sessions = made([a, b, c]),
    [1 = trace:process(S, P, true, [call | F]) || {S, F} <- [{A, [return_to]}, {B, [monotonic_timestamp]},
        {C, [return_to, arity]}]],
    [1 = trace:function(S, {?MODULE, F, 1}, [{'_', [], [{T}]}], [local])
     || {S, F, T} <- [{A, inner, return_trace}, {B, inner, exception_trace}, {B, outer, return_trace},
         {C, outer, exception_trace}, {A, fails, exception_trace},
                      {C, fails, return_trace}]],
    does(returns, P, fun() -> outer(1) end),
    does(exception, P, fun() -> catch outer(a) end),
    does(caught, P, fun() -> catch fails(1) end),
    does(deep, P, fun() -> lists:foldl(fun(_, X) -> _ = catch fails(X), outer(1), X end, 1, lists:seq(1, 3)) end),
    % A session that ends while its frames are on the stack.
    Self = self(),
    P ! {do, fun() -> waits(fun() -> Self ! waits, receive go -> ok end end) end, Self},
    [1 = trace:function(S, {?MODULE, inner, 1}, false, [local]) || S <- [A, B]],
    receive waits -> ok end,
    true = trace:session_destroy(C),
    P ! go,
    receive done -> ok end,
    see:value(ended_within, told(P)),
    does(after_that, P, fun() -> outer(1) end),
    ended(Sessions -- [C]),
    stopped(P).

waits(F) -> outer(begin F(), 1 end), F = F, ok.

changed_by_specifications() ->
    P = tracee(),
    Other = tracee(),
    [A, B] = Sessions = made([a, b]),
    [1 = trace:process(S, P, true, [call]) || S <- Sessions],
    1 = trace:function(A, {?MODULE, outer, 1}, [{[1], [], [{silent, true}]}, {[2], [], [{silent, false}]},
        {'_', [], []}], [local]),
    1 = trace:function(B, {?MODULE, outer, 1},
        [{[1], [], [{enable_trace, send}]}, {[2], [], [{trace, [send], [timestamp]}]}, {'_', [], []}], [local]),
    [begin does({silent, N}, P, fun() -> outer(N) end), see:value(flags, [trace:info(S, P, flags) || S <- Sessions])
        end || N <- [1, 3, 2, 3]],
    % What is not traced yet gets the tracer of the session.
    1 = trace:function(A, {?MODULE, inner, 1}, [{'_', [], [{trace, Other, [], ['receive']}]}], [meta]),
    does(of_other, P, fun() -> inner(1) end),
    see:value(of_other, {trace:session_info(Other), trace:info(A, Other, flags), trace:info(B, Other, flags),
        trace:info(A, Other, tracer) =:= {tracer, self()}}),
    does(other, Other, fun() -> ok end),
    ended(Sessions),
    see:value(other, {trace:session_info(Other), trace:session_info(P)}),
    stopped(P),
    stopped(Other).

counters() ->
    P = tracee(),
    [A, B] = Sessions = made([a, b]),
    F = {?MODULE, inner, 1},
    Ten = fun() -> [inner(X) || X <- lists:seq(1, 10)] end,
    Counts = fun() -> {[trace:info(S, F, call_count) || S <- Sessions], erlang:trace_info(F, call_count)} end,
    1 = trace:function(A, F, true, [call_count]),
    does(counts, P, Ten),
    see:value(counts, Counts()),
    1 = trace:function(B, F, true, [call_count]),
    1 = erlang:trace_pattern(F, true, [call_count]),
    does(counts, P, Ten),
    see:value(counts, Counts()),
    1 = trace:function(A, F, pause, [call_count]),
    1 = trace:function(B, F, restart, [call_count]),
    does(counts, P, Ten),
    see:value(counts, Counts()),
    1 = trace:function(B, F, true, [call_time]),
    Times = fun() -> [case trace:info(S, F, call_time) of {call_time, L} when is_list(L) -> [N || {_, N, _, _} <- L];
        Else -> Else end || S <- Sessions] end,
    does(times, P, Ten),
    1 = trace:process(B, P, true, [call]),
    does(times, P, fun() -> Ten(), outer(1) end),
    1 = trace:process(A, P, true, [call]),
    1 = trace:function(A, F, true, [call_time]),
    does(times, P, Ten),
    see:value(times, {Times(), Counts()}),
    true = trace:session_destroy(B),
    does(times, P, Ten),
    see:value(counts, {trace:info(A, F, call_count), erlang:trace_info(F, call_count)}),
    ended([A]),
    1 = erlang:trace_pattern(F, false, [call_count]),
    stopped(P).

metas() ->
    P = tracee(),
    [A, B] = Sessions = made([a, b]),
    F = {?MODULE, inner, 1},
    1 = trace:function(A, F, [{'_', [], [{message, {caller}}, {return_trace}]}], [meta]),
    1 = trace:function(B, F, [{'_', [], [{message, b}]}], [meta]),
    1 = erlang:trace_pattern(F, true, [meta]),
    does(metas, P, fun() -> outer(1) end),
    see:value(metas, [trace:info(S, F, meta_match_spec) || S <- Sessions]),
    1 = erlang:trace_pattern(F, false, [meta]),
    does(metas, P, fun() -> outer(1) end),
    ended(Sessions),
    does(metas, P, fun() -> outer(1) end),
    stopped(P).

built_in() ->
    P = tracee(),
    [A, B] = Sessions = made([a, b]),
    [1 = trace:process(S, P, true, [call]) || S <- Sessions],
    F = {erlang, atom_to_list, 1},
    1 = trace:function(A, F, [{'_', [], [{return_trace}]}], []),
    1 = trace:function(B, F, [{'_', [], [{message, b}, {return_trace}]}], [local]),
    does(built_in, P, fun() -> atom_to_list(see:id(name)) end),
    see:value(built_in, [trace:info(S, F, traced) || S <- Sessions]),
    1 = trace:function(A, F, false, []),
    does(built_in, P, fun() -> catch apply(erlang, see:id(atom_to_list), [1]) end),
    ended(Sessions),
    see:value(built_in, trace:session_info(F)),
    stopped(P).

messages() ->
    P = tracee(),
    [A, B] = Sessions = made([a, b]),
    [1 = trace:process(S, P, true, [send, 'receive']) || S <- Sessions],
    1 = erlang:trace(P, true, [send, monotonic_timestamp]),
    Self = self(),
    Hello = fun() -> Self ! {from, self()}, ok end,
    Came = fun(Name) -> does(Name, P, Hello), receive {from, P} -> ok end end,
    Came(all),
    1 = trace:send(A, [{['_', {from, '_'}], [], [{message, a}]}], []),
    1 = trace:recv(B, [{['_', '_', {do, '_', '_'}], [], [{message, b}]}], []),
    Came(chosen),
    see:value(patterns, {[trace:info(S, E, match_spec) || S <- Sessions, E <- [send, 'receive']],
        [erlang:trace_info(E, match_spec) || E <- [send, 'receive']]}),
    1 = trace:send(B, false, []),
    1 = trace:recv(A, false, []),
    Came(fewer),
    see:value(patterns, [trace:session_info(E) || E <- [send, 'receive']]),
    1 = erlang:trace_pattern(send, false, []),
    Came(fewer),
    see:value(patterns, trace:session_info(send)),
    1 = erlang:trace_pattern(send, true, []),
    ended(Sessions),
    Came(old),
    stopped(P).

children() ->
    P = tracee(),
    [A, B, C] = Sessions = made([a, b, c]),
    Child = fun(Spawn) ->
        Self = self(),
        P ! {do, fun() -> Self ! {child, Spawn(fun loop/0)} end, Self},
        receive done -> ok end,
        receive {child, Q} -> Q end
    end,
    1 = trace:process(A, P, true, [procs, set_on_spawn]),
    1 = trace:process(B, P, true, [procs, set_on_first_spawn, monotonic_timestamp]),
    1 = trace:process(C, P, true, [procs, set_on_link, running_procs]),
    1 = trace:process(C, P, false, [running_procs]),
    1 = erlang:trace(P, true, [set_on_spawn, call]),
    Flags = fun(Q) -> {trace:session_info(Q), [trace:info(S, Q, flags) || S <- Sessions], erlang:trace_info(Q, flags)}
        end,
    Q1 = Child(fun spawn/1),
    see:value(first, {Flags(P), Flags(Q1)}),
    Q2 = Child(fun spawn_link/1),
    see:value(second, {Flags(P), Flags(Q2)}),
    Q3 = tracee(),
    does(link, P, fun() -> link(Q3), unlink(Q3) end),
    _ = [told(X) || X <- [Q1, Q2, Q3]],
    see:value(linked, Flags(Q3)),
    1 = erlang:trace(P, false, [all]),
    does(register, P, fun() -> register(?MODULE, self()), unregister(?MODULE) end),
    ended(Sessions),
    see:value(ended, [trace:session_info(X) || X <- [P, Q1, Q2, Q3]]),
    [begin erlang:trace(X, false, [all]), stopped(X) end || X <- [Q1, Q2, Q3, P]].

newcomers() ->
    [A, B] = Sessions = made([a, b]),
    0 = trace:process(A, new, true, [call]),
    0 = trace:process(B, new_processes, true, [procs, timestamp]),
    0 = trace:port(B, new, true, [ports]),
    0 = erlang:trace(new_processes, true, ['receive']),
    P = tracee(),
    see:value(new, {[trace:session_info(N) || N <- [new, new_processes, new_ports]],
        [trace:info(S, N, flags) || S <- Sessions, N <- [new, new_ports]],
                    erlang:trace_info(new, flags), trace:session_info(P), [trace:info(S, P, flags) || S <- Sessions],
                    erlang:trace_info(P, flags)}),
    0 = trace:process(A, new, false, [all]),
    true = trace:session_destroy(B),
    Q = tracee(),
    see:value(new, {[trace:session_info(N) || N <- [new, new_ports]], trace:session_info(P), trace:session_info(Q)}),
    0 = erlang:trace(new_processes, false, ['receive']),
    ended([A]),
    [begin erlang:trace(X, false, [all]), stopped(X) end || X <- [P, Q]],
    flush().

ports() ->
    [A, B] = made([a, b]),
    Port = open_port({spawn, "cat"}, [binary]),
    1 = trace:port(A, Port, true, [ports, send, 'receive']),
    1 = trace:port(B, Port, true, ['receive', timestamp]),
    see:value(port, {trace:session_info(Port), [trace:info(S, Port, I) || S <- [A, B], I <- [flags]],
        erlang:trace_info(Port, flags)}),
    Port ! {self(), {command, <<"text">>}},
    receive {Port, {data, D}} -> see:value(data, D) end,
    see:value(told, told(Port)),
    true = trace:session_destroy(A),
    Port ! {self(), {command, <<"more">>}},
    receive {Port, {data, D2}} -> see:value(data, D2) end,
    see:value(told, {told(Port), trace:session_info(Port)}),
    see:value(wrong, [catch_badarg(fun() -> trace:port(B, P, true, O) end) || {P, O} <- [{self(), [ports]},
        {a, [ports]}, {Port, [other]}]]),
    port_close(Port),
    see:value(closed, {trace:session_info(Port), catch_badarg(fun() -> trace:port(B, Port, true, [ports]) end)}),
    ended([B]),
    flush().

%% A module that is loaded while sessions wait for that, and patterns of code that is replaced.
loaded() ->
    P = tracee(),
    [A, B] = Sessions = made([a, b]),
    [1 = trace:process(S, P, true, [call]) || S <- Sessions],
    Name = sessions_loaded,
    {ok, Name, Code} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, [{f, 1}]},
                                      {function, 1, f, 1, [{clause, 1, [{var, 1, 'X'}], [], [{var, 1, 'X'}]}]}]),
    Load = fun() -> {module, Name} = code:load_binary(Name, "none", Code), code:purge(Name) end,
    Load(),
    1 = trace:function(A, {Name, f, 1}, true, [local]),
    1 = trace:function(B, {Name, f, 1}, true, []),
    does(patterns, P, fun() -> Name:f(1) end),
    Load(),
    does(reloaded, P, fun() -> Name:f(1) end),
    see:value(reloaded, trace:session_info({Name, f, 1})),
    0 = trace:function(A, on_load, [{'_', [], [{message, a}]}], [local]),
    0 = trace:function(B, on_load, true, []),
    0 = erlang:trace_pattern(on_load, true, [call_count]),
    see:value(on_load, {trace:session_info(on_load), [trace:info(S, on_load, I) || S <- Sessions,
        I <- [all, call_count, call_time]], erlang:trace_info(on_load, all)}),
    Load(),
    does(on_load, P, fun() -> Name:f(1) end),
    see:value(on_load, {trace:session_info({Name, f, 1}), erlang:trace_info({Name, f, 1}, call_count)}),
    0 = erlang:trace_pattern(on_load, false, [call_count]),
    true = trace:session_destroy(A),
    Load(),
    does(on_load, P, fun() -> Name:f(1) end),
    see:value(on_load, {trace:session_info({Name, f, 1}), trace:session_info(on_load)}),
    ended([B]),
    code:delete(Name),
    code:purge(Name),
    stopped(P).

%% Tracees that exit, tracers that exit, sessions that nobody holds.
gone() ->
    P = tracee(),
    Self = self(),
    [A] = made([a]),
    Tracer = spawn(fun() -> receive stop -> ok end end),
    B = trace:session_create(b, Tracer, []),
    [1 = trace:process(S, P, true, [call, procs]) || S <- [A, B]],
    [1 = trace:function(S, {?MODULE, outer, 1}, true, [local]) || S <- [A, B]],
    Down = monitor(process, Tracer),
    Tracer ! stop,
    receive {'DOWN', Down, _, _, _} -> ok end,
    does(tracer_gone, P, fun() -> outer(1) end),
    see:value(tracer_gone, {trace:session_info(P), trace:info(B, P, flags), trace:session_info({?MODULE, outer, 1})}),
    Holder = spawn(fun() ->
        {_, Weak} = C = trace:session_create(held, Self, []),
        1 = trace:process(C, P, true, [call]),
        1 = trace:function(C, {?MODULE, outer, 1}, [{'_', [], [{message, held}]}], [local]),
        0 = trace:process(C, new, true, [call]),
        Self ! {weak, Weak},
        receive stop -> C end
    end),
    Weak = receive {weak, W} -> W end,
    does(held, P, fun() -> outer(1) end),
    1 = trace:process(Weak, P, true, [send]),
    see:value(held, {trace:session_info(P), trace:info(Weak, P, flags), trace:session_info(new)}),
    Holder ! stop,
    apart:wait(fun() -> {trace:session_info(new), [S || {held, _} = S <- trace:session_info({?MODULE, outer, 1})],
        [S || {held, _} = S <- trace:session_info(P)]} end, {[], [], []}, 400),
    see:value(not_held, catch_badarg(fun() -> trace:info(Weak, P, flags) end)),
    does(not_held, P, fun() -> outer(1) end),
    exit(P, kill),
    see:value(killed, [setelement(2, receive M when element(2, M) =:= P -> M end, tracee)]),
    see:value(killed, {trace:session_info(P), trace:info(A, P, flags),
        catch_badarg(fun() -> trace:process(A, P, true, [call]) end)}),
    ended([A, B]).

tracee() -> spawn(fun loop/0).

loop() ->
    receive
        {do, F, To} -> F(), To ! done, loop();
        stop -> ok
    end.

stopped(P) ->
    Monitor = monitor(process, P),
    P ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    flush().

made(Names) -> [trace:session_create(Name, self(), []) || Name <- Names].

ended(Sessions) -> [true = trace:session_destroy(S) || S <- Sessions], ok.

%% Has the tracee do something, and shows what was told of it.
does(Name, P, F) ->
    P ! {do, F, self()},
    receive done -> ok end,
    see:value(Name, told(P)).

told(P) ->
    case is_pid(P) of
        true -> Delivered = erlang:trace_delivered(P), receive {trace_delivered, P, Delivered} -> ok end;
        false -> ok
    end,
    told(P, []).

told(P, All) ->
    receive
        Message when element(1, Message) =:= trace, element(2, Message) =:= P -> told(P, [plain(Message, P) | All]);
        Message when element(1, Message) =:= trace_ts, element(2, Message) =:= P ->
            told(P, [plain(setelement(tuple_size(Message), Message, form(element(tuple_size(Message), Message))),
                P) | All])
    after 0 -> lists:reverse(All)
    end.

form({_, _, _}) -> wall;
form({_, _}) -> strict;
form(N) when is_integer(N) -> monotonic.

%% Without what changes from run to run.
plain(P, P) -> tracee;
plain(Pid, _) when is_pid(Pid) -> case Pid =:= self() of true -> main; false -> pid end;
plain(Port, _) when is_port(Port) -> port;
plain(F, _) when is_function(F) -> a_fun;
plain({?MODULE, Name, A}, _) when is_atom(Name) -> case hd(atom_to_list(Name)) of $- -> {?MODULE, in_a_fun, A};
    _ -> {?MODULE, Name, A} end;
plain(T, P) when is_tuple(T) -> list_to_tuple([plain(E, P) || E <- tuple_to_list(T)]);
plain([H | T], P) -> [plain(H, P) | plain(T, P)];
plain(Other, _) -> Other.

flush() -> receive M when element(1, M) =:= trace; element(1, M) =:= trace_ts -> flush() after 0 -> ok end.

catch_badarg(F) ->
    try F() catch error:badarg -> badarg end.
