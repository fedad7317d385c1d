%% A debugger of lines, by `erl_debugger' on a node with +D: breakpoints where they can be and where not, a process that
%% stops at each line, what is on its stack and in its registers meanwhile, many live registers, recursion, exceptions,
%% the debugger itself, and code that was loaded without.
%% releases: 29
%% needs: compiler
%% args: +D
-module(debugger_29).
-export([main/0]).

main() ->
    see:value(supported, {erl_debugger:supported(), erl_debugger:instrumentations()}),
    sessions(),
    refused(),
    instrumented(),
    lines(),
    stops(),
    stacks(),
    many(),
    deep(),
    preempted(),
    not_stopped(),
    without(),
    replaced().

%% What follows is compiled for debuggers, from line 1 on.
source() ->
    ["-module(stopped).\n",
     "-export([fact/1, caught/2, many/20, deep/1, big/1, loop/2, kinds/3, fails/1, tail/1, spin/2]).\n",
     "\n",
     "fact(0) ->\n",
     "    1;\n",
     "fact(N) when N > 0 ->\n",
     "    M = N - 1,\n",
     "    F = fact(M),\n",
     "    N * F.\n",
     "\n",
     "caught(A, B) ->\n",
     "    X = 42, Name = stop, Text = \"text\", Big = 1 bsl 100,\n",
     "    R = try\n",
     "        fails({A, X, Name, Text, Big})\n",
     "    catch\n",
     "        throw:T ->\n",
     "            {T, B}\n",
     "    end,\n",
     "    {R, (catch fails(B)), A}.\n",
     "\n",
     "fails(X) ->\n",
     "    throw(X).\n",
     "\n",
     "many(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T) ->\n",
     "    U = A + T,\n",
     "    {U, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T}.\n",
     "\n",
     "deep(0) ->\n",
     "    [];\n",
     "deep(N) ->\n",
     "    [N | deep(N - 1)].\n",
     "\n",
     "big(Binary) ->\n",
     "    Fun = fun(X) ->\n",
     "        Y = X + 1,\n",
     "        Y * 2\n",
     "    end,\n",
     "    <<A, B:16, Rest/binary>> = Binary,\n",
     "    Map = #{a => A, b => B, rest => Rest},\n",
     "    Fun(maps:get(a, Map)).\n",
     "\n",
     "loop(0, Sum) ->\n",
     "    Sum;\n",
     "loop(N, Sum) ->\n",
     "    loop(N - 1, Sum + N).\n",
     "\n",
     "kinds(Pid, Float, List) ->\n",
     "    Half = Float / 2 + 1.5,\n",
     "    Pid ! {half, Half},\n",
     "    Sum = lists:sum([E || E <- List, E > 2]),\n",
     "    receive go -> Sum after 10 -> {Sum, late} end.\n",
     "\n",
     "tail(X) ->\n",
     "    Y = X * 2, Z = Y + 1,\n",
     "    lists:max([Y, Z]).\n",
     "\n",
     "spin(X, Y) ->\n",
     "    spin(Y, X).\n"].

compiled(Options) ->
    Forms = forms(lists:flatten(source()), {1, 1}),
    {ok, stopped, Code} = compile:forms([{attribute, 1, file, {"stopped.erl", 1}} | Forms], [binary | Options]),
    Code.

forms(Text, At) ->
    case erl_scan:tokens([], Text, At) of
        {done, {ok, Tokens, Next}, Rest} ->
            {ok, Form} = erl_parse:parse_form(Tokens),
            [Form | forms(Rest, Next)];
        {more, _} ->
            [];
        {done, {eof, _}, _} ->
            []
    end.

load() ->
    {module, stopped} = code:load_binary(stopped, "stopped.beam", compiled([beam_debug_info])),
    ok.

sessions() ->
    Self = self(),
    undefined = erl_debugger:whereis(),
    {ok, One} = erl_debugger:register(Self),
    Self = erl_debugger:whereis(),
    see:value(again, erl_debugger:register(Self)),
    see:value(small, is_integer(One)),
    see:value(other_session, (catch element(1, element(2, catch erl_debugger:unregister(Self, One + 1))))),
    see:value(negative, element(1, element(2, catch erl_debugger:unregister(Self, -1)))),
    see:value(other_pid, erl_debugger:unregister(spawn(fun() -> ok end), One)),
    ok = erl_debugger:unregister(Self, One),
    see:value(twice, erl_debugger:unregister(Self, One)),
    {Dead, Ref} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Ref, _, _, _} -> ok end,
    {ok, Two} = erl_debugger:register(Dead),
    see:value(dead, erl_debugger:whereis()),
    {ok, Three} = erl_debugger:register(Self),
    see:value(sessions, length(lists:usort([One, Two, Three]))),
    ok = erl_debugger:unregister(Self, Three),
    undefined = erl_debugger:whereis(),
    ok.

refused() ->
    Self = self(),
    Other = spawn(fun() -> receive after infinity -> ok end end),
    [see:value({F, A}, catch_of(F, A)) ||
        {F, A} <- [{toggle_instrumentations, [[]]}, {toggle_instrumentations, [#{line_breakpoint => 1}]},
                   {toggle_instrumentations, [#{other => true}]},
                   {toggle_instrumentations, [#{line_breakpoint => true, other => true}]},
                   {toggle_instrumentations, [#{}]},
                   {register, [a]}, {unregister, [a, 1]}, {breakpoint, ["m", 1, true]},
                   {breakpoint, [lists, 0, true]}, {breakpoint, [lists, -1, true]},
                   {breakpoint, [lists, 1 bsl 70, true]},
                   {breakpoint, [lists, 1, 1]}, {breakpoint, [no_such_module, 1, true]}, {breakpoint, [lists, 1, true]},
                   {breakpoints, [1]}, {breakpoints, [no_such_module]}, {breakpoints, [no_such_module, f, 1]},
                   {breakpoints, [lists, reverse, a]}, {breakpoints, [lists, reverse, -1]},
                   {breakpoints, [lists, no, 1]},
                   {breakpoints, [lists, reverse, 1]}]],
    [see:value({F, length(A)}, catch_of(F, A)) ||
        {F, A} <- [{unregister, [Self, a]}, {stack_frames, [a, 1]}, {stack_frames, [Self, 1]},
            {stack_frames, [Other, -1]},
                   {stack_frames, [Other, a]}, {stack_frames, [Other, 1]}, {peek_stack_frame_slot, [Other, 0, 0, 0]},
                   {peek_stack_frame_slot, [Other, -1, 0, 0]}, {peek_stack_frame_slot, [Other, 0, -1, 0]},
                   {peek_stack_frame_slot, [Self, 0, 0, 0]}, {xregs_count, [Other]}, {xregs_count, [Self]},
                   {xregs_count, [1]},
                   {peek_xreg, [Other, 0, 0]}, {peek_xreg, [Other, -1, 0]}, {peek_xreg, [Other, a, 0]},
                   {peek_xreg, [Self, 0, 0]}]],
    exit(Other, kill),
    see:value(gone, [catch_of(F, A) || {F, A} <- [{stack_frames, [Other, 1]}, {xregs_count, [Other]}]]),
    see:value(debug_info, [debug_info(M) || M <- [lists, no_such_module, 17]]).

catch_of(F, A) ->
    try apply(erl_debugger, F, A)
    catch error:Reason -> Reason
    end.

debug_info(M) ->
    try code:get_debug_info(M)
    catch error:Reason -> Reason
    end.

instrumented() ->
    ok = erl_debugger:toggle_instrumentations(#{line_breakpoint => false}),
    see:value(off, erl_debugger:instrumentations()),
    ok = load(),
    see:value(loaded_without, {erl_debugger:breakpoint(stopped, 8, true), code:get_debug_info(stopped),
                               erl_debugger:breakpoints(stopped, fact, 1)}),
    ok = erl_debugger:toggle_instrumentations(#{line_breakpoint => true}),
    see:value(still, erl_debugger:breakpoint(stopped, 8, true)),
    code:delete(stopped),
    see:value(deleted, erl_debugger:breakpoint(stopped, 8, true)),
    code:purge(stopped),
    ok = load().

lines() ->
    see:value(info, code:get_debug_info(stopped)),
    {ok, All} = erl_debugger:breakpoints(stopped),
    see:value(all, lists:sort(maps:to_list(All))),
    [see:value(Line, {erl_debugger:breakpoint(stopped, Line, true), erl_debugger:breakpoint(stopped, Line, false)}) ||
        Line <- lists:seq(1, 59) ++ [100000]],
    ok = erl_debugger:breakpoint(stopped, 8, true),
    ok = erl_debugger:breakpoint(stopped, 8, true),
    see:value(one, erl_debugger:breakpoints(stopped, fact, 1)),
    ok = erl_debugger:breakpoint(stopped, 8, false),
    see:value(none, erl_debugger:breakpoints(stopped, fact, 1)).

set(IsSet) ->
    {ok, All} = erl_debugger:breakpoints(stopped),
    [ok = erl_debugger:breakpoint(stopped, Line, IsSet) || Lines <- maps:values(All), Line <- maps:keys(Lines)],
    ok.

%% Runs a function in a process that stops at each line; what is seen at each.
watched(F, See) ->
    Self = self(),
    {ok, Session} = erl_debugger:register(Self),
    {Pid, Ref} = spawn_monitor(fun() -> exit({result, F()}) end),
    watch(Session, Pid, Ref, See),
    ok = erl_debugger:unregister(Self, Session).

watch(Session, Pid, Ref, See) ->
    receive
        {debugger_event, Session, {breakpoint, Pid, Function, Line, Resume}} ->
            See(Pid, Function, Line),
            ok = Resume(),
            watch(Session, Pid, Ref, See);
        {'DOWN', Ref, process, Pid, Reason} ->
            see:value(ended, Reason)
    after 10000 ->
        see:value(nothing_comes, process_info(Pid, current_stacktrace))
    end.

stops() ->
    set(true),
    See = fun(_, Function, Line) -> see:value(Function, Line) end,
    watched(fun() -> stopped:fact(3) end, See),
    watched(fun() -> stopped:caught(1, {b}) end, See),
    watched(fun() -> stopped:big(<<1, 2, 3, "abc">>) end, See),
    watched(fun() -> stopped:loop(3, 0) end, See),
    watched(fun() -> stopped:kinds(self(), 2.5, [1, 2, 3, 4]) end, See),
    watched(fun() -> stopped:fails(x) end, See),
    watched(fun() -> [apply(stopped, tail, [X]) || X <- [1, 2]] end, See).

stacks() ->
    See =
        fun(Pid, Function, Line) ->
            true = erlang:suspend_process(Pid),
            Frames = erl_debugger:stack_frames(Pid, 12),
            true = lists:all(fun({_, _, #{code := Code}}) -> is_integer(Code) andalso Code > 0 end, Frames),
            %% What the process waits for is a reference.
            [{_, #{function := {erts_internal, breakpoint, 4}}, _} | Below] = Frames,
            see:value({Function, Line}, [{Number, Where, hidden(Where, Line, maps:get(slots, About))}
                || {Number, Where, About} <- Below]),
            [Slot = erl_debugger:peek_stack_frame_slot(Pid, Number, Place, Most) ||
                Most <- [0, 2, 100],
                {Number, _, #{slots := Slots}} <- erl_debugger:stack_frames(Pid, Most),
                {Place, Slot} <- lists:enumerate(0, Slots)],
            see:value(beyond, {erl_debugger:peek_stack_frame_slot(Pid, length(Frames), 0, 1),
                               erl_debugger:peek_stack_frame_slot(Pid, 0, 0, 1),
                               erl_debugger:peek_stack_frame_slot(Pid, 1, 100, 1)}),
            see:value(registers, {erl_debugger:xregs_count(Pid), erl_debugger:peek_xreg(Pid, 0, 10)}),
            {current_stacktrace, Trace} = process_info(Pid, current_stacktrace),
            see:value(trace, Trace),
            garbage_collect(Pid, [{async, collected}]),
            true = erlang:resume_process(Pid),
            receive {garbage_collect, collected, Done} -> see:value(collected, Done) after 5000 ->
                see:value(collected, late) end
        end,
    watched(fun() -> stopped:fact(2) end, See),
    watched(fun() -> stopped:caught("a list", {b}) end, See),
    watched(fun() -> stopped:big(<<1, 2, 3, "abc">>) end, See),
    %% One that is suspended before it has begun, and one that hibernates.
    Starting = spawn(fun() -> receive after infinity -> ok end end),
    receive after 50 -> ok end,
    Sleeping = spawn(fun() -> erlang:hibernate(lists, reverse, [[1, 2, 3]]) end),
    receive after 50 -> ok end,
    true = erlang:suspend_process(Starting),
    true = erlang:suspend_process(Sleeping),
    [see:value(waiting, {[{N, W, maps:get(slots, A)} || {N, W, A} <- erl_debugger:stack_frames(P, 10)],
        erl_debugger:xregs_count(P),
                         [erl_debugger:peek_xreg(P, R, Most) || R <- lists:seq(0, 4), Most <- [0, 5, 6, 100]]}) ||
        P <- [Starting, Sleeping]],
    [exit(P, kill) || P <- [Starting, Sleeping]],
    ok.

%% Where an exception has been caught, the first register is a trace in a form of the machine's own.
hidden('<breakpoint>', 17, [_Trace | Slots]) ->
    [trace | Slots];
hidden(_, _, Slots) ->
    [case Slot of
         {value, Pid} when is_pid(Pid) -> pid;
         {value, Fun} when is_function(Fun) -> 'fun';
         _ -> Slot
     end || Slot <- Slots].

many() ->
    See =
        fun(Pid, {_, Function, _}, Line) ->
            true = erlang:suspend_process(Pid),
            [_, {_, Where, #{slots := Slots}} | _] = erl_debugger:stack_frames(Pid, 10),
            see:value({Function, Line}, {Where, Slots}),
            true = erlang:resume_process(Pid)
        end,
    watched(fun() -> apply(stopped, many, lists:seq(1, 20)) end, See).

%% A stack that must grow again and again, in a process with a small heap.
deep() ->
    set(false),
    ok = erl_debugger:breakpoint(stopped, 31, true),
    Counter = counters:new(1, []),
    Self = self(),
    {ok, Session} = erl_debugger:register(Self),
    {Pid, Ref} = spawn_monitor(fun() -> exit({result, length(stopped:deep(20000))}) end),
    watch(Session, Pid, Ref, fun(_, _, _) -> counters:add(Counter, 1, 1) end),
    ok = erl_debugger:unregister(Self, Session),
    see:value(deep, counters:get(Counter, 1)).

%% A process whose slice is over is at the entry of a function, where the line is that of its head.
preempted() ->
    set(false),
    Pid = spawn(stopped, spin, [a, a]),
    Seen = [begin
                true = erlang:suspend_process(Pid),
                [{1, Where, #{slots := Slots}}, _] = erl_debugger:stack_frames(Pid, 10),
                Count = erl_debugger:xregs_count(Pid),
                Registers = [erl_debugger:peek_xreg(Pid, Register, 0) || Register <- lists:seq(0, Count)],
                true = erlang:resume_process(Pid),
                {Where, Slots, Registers}
            end || _ <- lists:seq(1, 50)],
    see:value(preempted, lists:usort(Seen)),
    exit(Pid, kill).

%% Without a debugger, and in the debugger itself, the code runs on.
not_stopped() ->
    set(true),
    see:value(no_debugger, stopped:fact(5)),
    {ok, Session} = erl_debugger:register(self()),
    see:value(itself, {stopped:fact(5), stopped:loop(100, 0), stopped:caught(1, 2)}),
    receive Message -> see:value(told, Message) after 0 -> ok end,
    ok = erl_debugger:unregister(self(), Session),
    %% The debugger ends while a process waits.
    {Debugger, Monitor} = spawn_monitor(fun() -> receive {debugger_event, _, {breakpoint, _, F, L, _}} -> exit({F, L})
        end end),
    {ok, _} = erl_debugger:register(Debugger),
    Pid = spawn(stopped, fact, [2]),
    receive {'DOWN', Monitor, process, Debugger, Reason} -> see:value(debugger, Reason) end,
    receive after 50 -> ok end,
    see:value(waits, {is_process_alive(Pid), process_info(Pid, [current_function, status])}),
    exit(Pid, kill),
    see:value(none, erl_debugger:whereis()).

%% Code that was not compiled for debuggers.
without() ->
    code:purge(stopped),
    {module, stopped} = code:load_binary(stopped, "stopped.beam", compiled([])),
    see:value(plain, {code:get_debug_info(stopped), erl_debugger:breakpoints(stopped, fact, 1),
                      [erl_debugger:breakpoint(stopped, Line, true) || Line <- [1, 4, 7, 8, 9, 100]], stopped:fact(3)}).

%% A process stops in code that is replaced meanwhile, and ends when that is purged; breakpoints of the new code are its
%% own.
replaced() ->
    code:purge(stopped),
    ok = load(),
    ok = erl_debugger:breakpoint(stopped, 8, true),
    {ok, Session} = erl_debugger:register(self()),
    {One, Ref} = spawn_monitor(stopped, fact, [2]),
    Resume = receive {debugger_event, Session, {breakpoint, One, _, 8, R}} -> R end,
    code:purge(stopped),
    ok = load(),
    see:value(new, erl_debugger:breakpoints(stopped, fact, 1)),
    see:value(uses_old, erlang:check_process_code(One, stopped)),
    ok = Resume(),
    %% It calls itself in the old code, where the breakpoint is.
    Last = receive {debugger_event, Session, {breakpoint, One, _, 8, R2}} -> R2 end,
    see:value(soft, code:soft_purge(stopped)),
    ok = Last(),
    receive {'DOWN', Ref, process, One, Why} -> see:value(done, Why) end,
    {Two, Ref2} = spawn_monitor(fun() -> stopped:fact(1) end),
    receive {'DOWN', Ref2, process, Two, Why2} -> see:value(not_stopped, Why2) end,
    ok = erl_debugger:breakpoint(stopped, 8, true),
    {Three, Ref3} = spawn_monitor(stopped, fact, [1]),
    receive {debugger_event, Session, {breakpoint, Three, _, 8, _}} -> ok end,
    code:purge(stopped),
    ok = load(),
    code:purge(stopped),
    receive {'DOWN', Ref3, process, Three, Why3} -> see:value(purged, Why3) end,
    ok = erl_debugger:unregister(self(), Session).
