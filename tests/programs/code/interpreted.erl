%% The interpreting debugger, driven as its windows drive it: modules, calls and exceptions, breakpoints, stepping.
%% A receive that waits is not here: the interpreter has the process traced for it.
%% timeout: 60
%% needs: debugger
-module(interpreted).
-export([main/0, is_three/1, next/1, attach/2, died/2]).

-define(D, debugged).

main() ->
    see:value(interpretable, [int:interpretable(X) || X <- [?D, see, lists, no_such_module, "no_such_file"]]),
    compiled_and_interpreted(),
    modules(),
    breakpoints(),
    stepping(),
    conditions(),
    frames(),
    messages(),
    attaching(),
    ending(),
    int:stop().

%% --- The same answers, by code and by the interpreter ------------------------------------------------------------

calls() ->
    [{fact, [10]}, {sum, [[1, 2, 3]]}, {steps, [3]}, {steps, [9]},
     {shapes, [{circle, 2}]}, {shapes, [[{square, 1}, x]]}, {shapes, ["text"]}, {shapes, [<<"bin">>]},
     {shapes, [#{kind => k}]}, {shapes, [atom]}, {shapes, [1.5]}, {shapes, [{circle, x}]},
     {named, [4]}, {binaries, [<<1, 2, 3, 4, 5, 6>>]}, {binaries, [<<1>>]}, {maps, [#{old => 1}, 2]}, {maps, [x, 2]},
     {polls_itself, []}, {to_stock, [[3, 1, 2]]},
     {guards, [2, 1]}, {guards, [{a, 1}, a]}, {guards, [k, #{k => 2}]}, {guards, [1, 1.0]},
     {guards, [{point, 1, 2, 3}, x]},
     {guards, [x, y]}, {strings, ["prefix rest here"]}, {strings, ["other"]}, {comprehensions, [[1, 2, 3]]},
     {records, [{point, 1, 2, 3}]}, {records, [x]}, {begins, [1]}, {begins, [7]}, {begins, [0]}, {odd_even, [9]},
     {undef, []}, {links, []}, {legacy, [1]}, {legacy, [x]}, {legacy, [[a]]},
     {stacks, [fun() -> lists:sum([1, 2]) end]}, {back, [3, fun(_) -> done end]}, {no_such_function, []}]
        ++ [{F, [What]} || F <- [raises, caught, catches], What <- whats()]
        ++ [{after_all, [What, self()]} || What <- [throw, error, exit]].

whats() ->
    [badmatch, badarith, function_clause, case_clause, if_clause, try_clause, badarg, undef, undef_local, badfun,
     badarity, badmap, badkey, badrecord, throw, exit, error, error_2, raise, deep, in_stock, badgenerator, badfilter,
     nif,
     nothing_of_these].

call({polls_itself, []}) ->
    self() ! {second, 2}, self() ! there,
    ?D:polls(self());
call({F, As}) -> apply(?D, F, As).

compiled_and_interpreted() ->
    see:value(interpret, int:i(?D)),
    see:value(interpreted, {int:interpreted(), filename:basename(int:file(?D)), is_list(int:file(lists))}),
    [see:that(F, fun() -> strip(call({F, As})) end) || {F, As} <- calls()],
    see:value(messages, flush()),
    see:that(funs, fun() -> {L, [F]} = lists:split(7, ?D:funs(5)), {L, F(1), erlang:fun_info(F, arity)} end),
    [see:value({stack, What, Flag}, begin int:stack_trace(Flag), stack(What) end)
     || Flag <- [all, no_tail, false], What <- [badmatch, function_clause, deep, in_stock, undef, badarith]],
    int:stack_trace(all),
    see:value(stack_trace, int:stack_trace()).

stack(What) ->
    try ?D:raises(What)
    catch _:_:S -> [frame(F) || {M, _, _, _} = F <- S, M =:= ?D orelse M =:= lists orelse M =:= erlang]
    end.

frame({M, F, A, L}) when is_list(A) -> {M, F, [strip(X) || X <- A], proplists:get_value(line, L)};
frame({M, F, A, L}) -> {M, F, A, proplists:get_value(line, L)}.

%% Funs are printed by nothing that is the same twice.
strip(X) when is_function(X); is_pid(X); is_reference(X) -> term;
strip(L) when is_list(L) -> try [strip(X) || X <- L] catch error:_ -> L end;
strip(T) when is_tuple(T) -> list_to_tuple(strip(tuple_to_list(T)));
strip(X) -> X.

%% The next message, for code that is interpreted.
next(Match) -> receive X when element(1, X) =:= Match -> X end.

flush() -> receive X -> [X | flush()] after 0 -> [] end.

%% --- Modules -----------------------------------------------------------------------------------------------------

modules() ->
    see:value(functions, lists:sort(int:functions(?D))),
    see:value(n, [int:n(?D), settle(), int:interpreted(), ?D:fact(5)]),
    see:value(not_interpreted, [int:file(?D), int:i([see, no_such_module]), int:interpreted()]),
    see:value(stdlib, [int:interpretable(lists), int:i(lists)]),
    see:value(ni, [int:ni(?D), int:interpreted(), ?D:fact(6), int:nn(?D), settle(), int:interpreted()]),
    File = source(),
    see:value(by_file, [int:i(File), int:interpretable(File), int:interpreted(), int:i([?D])]),
    see:value(contents, lists:sublist(int:contents(?D, any), 14)),
    see:value(reload, [begin code:purge(?D), code:load_file(?D) end, ?D:fact(4), int:interpreted()]),
    see:value(again, [int:i(?D), ?D:fact(3)]).

source() -> proplists:get_value(source, ?D:module_info(compile)).

%% What was cast to the interpreter's server has been done.
settle() -> int:interpreted(), ok.

line(Text) ->
    {ok, Bin} = file:read_file(int:file(?D)),
    Lines = binary:split(Bin, <<"\n">>, [global]),
    line(list_to_binary(Text), Lines, 1).

line(Text, [Line | Rest], N) ->
    case binary:match(Line, Text) of
        nomatch -> line(Text, Rest, N + 1);
        _ -> N
    end.

%% --- Breakpoints ------------------------------------------------------------------------------------------------

breakpoints() ->
    Line = line("A = X + 1"),
    see:value(break, [int:break(?D, Line), int:break(?D, Line), int:break(not_interpreted, 3)]),
    see:value(break_in, [int:break_in(?D, callee, 1), int:break_in(?D, fact, 1), int:break_in(?D, fact, 7)]),
    see:value(all, breaks(int:all_breaks())),
    see:value(options, [int:disable_break(?D, Line), int:action_at_break(?D, line("fact(0) ->"), delete),
                        int:test_at_break(?D, line("Z = Y * 2"), {?MODULE, is_three}), settle()]),
    see:value(changed, breaks(int:all_breaks(?D))),
    see:value(bad, [failing(fun() -> int:action_at_break(?D, 1, other) end), failing(fun() -> int:break(?D, x) end),
                    failing(fun() -> int:test_at_break(?D, 1, x) end)]),
    see:value(deleted, [int:delete_break(?D, Line), int:enable_break(?D, 1), int:del_break_in(?D, fact, 1),
                        int:del_break_in(?D, fact, 3), breaks(int:all_breaks())]),
    see:value(none, [int:no_break(?D), int:all_breaks(), int:no_break(), int:all_breaks(not_interpreted)]).

failing(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

breaks(All) -> lists:sort([{L - line("-module("), O} || {{_, L}, O} <- All]).

%% --- Stepping ---------------------------------------------------------------------------------------------------

%% Starts a call in a process of its own, waits until it stands at a breakpoint, and attaches to it.
begin_call(F, As) ->
    Me = self(),
    Pid = spawn(fun() -> Me ! {ended, self(), catch apply(?D, F, As)} end),
    at_break(Pid),
    {ok, Meta} = int:attached(Pid),
    {Pid, Meta}.

at_break(Pid) ->
    case [S || {P, _, S, _} <- int:snapshot(), P =:= Pid] of
        [break] -> ok;
        _ -> erlang:yield(), at_break(Pid)
    end.

%% What the process that is debugged tells, until it stands still or is done.
told(Meta) ->
    receive
        {Meta, {break_at, M, L, Level}} -> [{break_at, M, L - line("-module("), Level}];
        {Meta, {wait_at, M, L, Level}} -> [{wait_at, M, L - line("-module("), Level}];
        {Meta, {wait_after_at, M, L, Level}} -> [{wait_after_at, M, L - line("-module("), Level}];
        {Meta, idle} -> [idle];
        {Meta, {exit_at, {M, L}, R, Level}} -> [{exit_at, {M, L - line("-module(")}, R, Level}];
        {Meta, {exit_at, null, R, Level}} -> [{exit_at, null, R, Level}];
        {Meta, {attached, M, L, Trace}} -> [{attached, M, L > 0, Trace} | told(Meta)];
        {Meta, {trace_output, Text}} -> [{output, strip_pids(lists:flatten(Text("~tp")))} | told(Meta)];
        {Meta, Other} -> [Other | told(Meta)]
    end.

strip_pids(Text) -> re:replace(Text, "<[0-9.]+>", "PID", [global, {return, list}]).

ended(Pid) -> receive {ended, Pid, X} -> X end.

stepping() ->
    int:break(?D, line("A = X + 1")),
    {Pid, Meta} = begin_call(steps, [3]),
    see:value(at_first, told(Meta)),
    see:value(bindings, int:meta(Meta, bindings, nostack)),
    int:meta(Meta, step), see:value(step, told(Meta)),
    int:meta(Meta, step), see:value(step_into, told(Meta)),
    see:value(bindings, int:meta(Meta, bindings, nostack)),
    see:value(backtrace, [{L, F} || {L, F} <- int:meta(Meta, backtrace, all)]),
    see:value(frame, [int:meta(Meta, stack_frame, {up, int_level(Meta)})]),
    int:meta(Meta, finish), see:value(finish, told(Meta)),
    int:meta(Meta, next), see:value(next, told(Meta)),
    int:meta(Meta, eval, {?D, "A + B."}), see:value(eval, evaluated(Meta)),
    int:meta(Meta, eval, {?D, "{A, B, self() =:= self(), callee(5)}."}), see:value(eval_call, evaluated(Meta)),
    int:meta(Meta, eval, {?D, "nothing + 1."}), see:value(eval_error, evaluated(Meta)),
    int:meta(Meta, eval, {?D, "no syntax here."}), see:value(eval_syntax, evaluated(Meta)),
    int:meta(Meta, eval, {?D, "New = 77."}), see:value(eval_binds, evaluated(Meta)),
    see:value(bindings, int:meta(Meta, bindings, nostack)),
    int:meta(Meta, continue), see:value(continue, told(Meta)),
    see:value(ended, ended(Pid)),
    see:value(idle_gone, gone(Pid, Meta)),
    {Pid2, Meta2} = begin_call(steps, [4]),
    told(Meta2),
    int:meta(Meta2, skip), see:value(skip, told(Meta2)),
    see:value(refused, int:attached(Pid2)),
    int:meta(Meta2, trace, true),
    int:meta(Meta2, next), see:value(traced, told(Meta2)),
    see:value(unbound, ended(Pid2)),
    {Pid3, Meta3} = begin_call(steps, [6]),
    told(Meta3),
    int:meta(Meta3, trace, true),
    int:meta(Meta3, next), see:value(traced, told(Meta3)),
    int:meta(Meta3, next), see:value(traced, told(Meta3)),
    int:meta(Meta3, continue), see:value(traced, told(Meta3)),
    see:value(ended, ended(Pid3)),
    int:no_break(?D).

int_level(Meta) -> [{Level, _} | _] = int:meta(Meta, backtrace, all), Level.

evaluated(Meta) ->
    receive
        {Meta, {eval_rsp, X}} ->
            %% Whatever it told before it answers this is here.
            int:meta(Meta, bindings, nostack),
            {strip(X), [Y || {M, Y} <- flush(), M =:= Meta]}
    end.

%% The process has ended, and with it who interprets for it; what that told last.
gone(Pid, Meta) ->
    Refs = [monitor(process, P) || P <- [Pid, Meta]],
    [receive {'DOWN', R, _, _, _} -> ok end || R <- Refs],
    [X || {M, X} <- flush(), M =:= Meta].

%% --- Conditions ------------------------------------------------------------------------------------------------

is_three(Bindings) ->
    case int:get_binding('Y', Bindings) of
        {value, 3} -> true;
        _ -> false
    end.

conditions() ->
    Line = line("Z = Y * 2"),
    int:break(?D, Line),
    int:test_at_break(?D, Line, {?MODULE, is_three}),
    int:action_at_break(?D, Line, disable),
    see:value(not_met, ?D:callee(2)),
    {Pid, Meta} = begin_call(callee, [3]),
    see:value(met, told(Meta)),
    see:value(disabled, breaks(int:all_breaks())),
    int:meta(Meta, continue),
    see:value(ended, {told(Meta), ended(Pid)}),
    see:value(not_again, ?D:callee(3)),
    int:enable_break(?D, Line), int:action_at_break(?D, Line, delete), settle(),
    {Pid2, Meta2} = begin_call(steps, [2]),
    see:value(met_inside, told(Meta2)),
    see:value(deleted, int:all_breaks()),
    see:value(continue, [int:continue(Pid2), told(Meta2), ended(Pid2), int:continue(self())]),
    see:value(no_such, int:get_binding('Q', [{'Y', 1}])).

%% --- Frames -----------------------------------------------------------------------------------------------------

frames() ->
    int:break(?D, line("deep(0) ->")),
    {Pid, Meta} = begin_call(caught, [deep]),
    see:value(deep, told(Meta)),
    see:value(backtrace, int:meta(Meta, backtrace, all)),
    see:value(two, int:meta(Meta, backtrace, 2)),
    see:value(up, walk(Meta, up, int_level(Meta) + 1)),
    int:meta(Meta, finish), see:value(finish, told(Meta)),
    int:meta(Meta, continue), see:value(ended, {told(Meta), ended(Pid)}),
    int:no_break(?D).

walk(Meta, Way, Level) ->
    case int:meta(Meta, stack_frame, {Way, Level}) of
        {Next, {M, L}, Bs} -> [{Next, M, L - line("-module("), strip(Bs)} | walk(Meta, Way, Next)];
        Other -> [Other]
    end.

%% --- Messages ---------------------------------------------------------------------------------------------------

%% What waits for messages needs them traced; what does not wait works.
messages() ->
    int:break(?D, line("A = receive there")),
    {Pid, Meta} = begin_call(polls, [self()]),
    see:value(at, told(Meta)),
    Pid ! there, Pid ! {other, 1},
    see:value(queue, int:meta(Meta, messages)),
    int:meta(Meta, next), see:value(received, told(Meta)),
    see:value(bindings, strip(int:meta(Meta, bindings, nostack))),
    int:meta(Meta, continue),
    see:value(ended, {told(Meta), ended(Pid)}),
    int:no_break(?D).

%% --- Attaching by itself -----------------------------------------------------------------------------------------

attaching() ->
    see:value(none, int:auto_attach()),
    int:auto_attach([init], {?MODULE, attach, [self()]}),
    see:value(auto, strip(int:auto_attach())),
    Me = self(),
    Pid = spawn(fun() -> Me ! {ended, self(), ?D:sum([1, 2])} end),
    receive {was_attached, Told} -> see:value(init, Told) end,
    see:value(ended, ended(Pid)),
    see:value(bad_flags, failing(fun() -> int:auto_attach([other], {?MODULE, attach}) end)),
    int:auto_attach([exit], {?MODULE, died, [self()]}),
    spawn(fun() -> ?D:raises(exit) end),
    receive {has_died, Seen} -> see:value(died, Seen) end,
    see:value(off, [int:auto_attach(false), int:auto_attach()]).

%% Called by the debugger, in a process of its own, for one that begins to be interpreted.
attach(Pid, To) ->
    {ok, Meta} = int:attached(Pid),
    Told = told(Meta),
    int:meta(Meta, step),
    Told2 = told(Meta),
    int:meta(Meta, continue),
    To ! {was_attached, [Told, Told2, told(Meta)]}.

%% As above, for one that has ended.
died(Pid, To) ->
    {ok, Meta} = int:attached(Pid),
    Told = told(Meta),
    To ! {has_died, {Told, int:meta(Meta, backtrace, all), strip(int:meta(Meta, bindings, nostack))}}.

%% --- Ends -------------------------------------------------------------------------------------------------------

ending() ->
    Me = self(),
    {Pid, Ref} = spawn_monitor(fun() -> ?D:cleans(Me) end),
    receive begun -> ok end,
    receive {'DOWN', Ref, _, _, R} -> see:value(killed, {Pid =/= Me, R}) end,
    {Pid2, Ref2} = spawn_monitor(fun() -> ?D:raises(error) end),
    receive {'DOWN', Ref2, _, _, {R2, [_ | _]}} -> see:value(failed, R2) end,
    Snapshot = until(fun() -> [{F, S, I} || {P, F, S, I} <- int:snapshot(), P =:= Pid2, S =:= exit] end),
    see:value(snapshot, [{F, S, {R3, is_list(St)}} || {F, S, {R3, St}} <- Snapshot]),
    see:value(clear, [int:clear(), [S || {_, _, exit, _} = S <- int:snapshot()]]),
    %% By the process that interprets, which does not hurry.
    see:value(never, receive never -> flush(), true after 5000 -> false end).

until(F) ->
    case F() of
        [] -> erlang:yield(), until(F);
        X -> X
    end.
