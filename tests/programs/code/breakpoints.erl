%% Breakpoints of the debugger's kind: calls that go to the error handler instead, local ones as well as others.
-module(breakpoints).
-export([main/0, breakpoint/3, undefined_function/3]).

-define(M, stopped_at).

breakpoint(M, F, A) ->
    see:value(stopped, {M, F, A}),
    {stopped, F, length(A)}.

undefined_function(M, F, A) -> error_handler:undefined_function(M, F, A).

main() ->
    {module, ?M} = code:ensure_loaded(?M),
    %% A handler that is not loaded is the end of stock's machine.
    {module, _} = code:ensure_loaded(quiet_handler),
    process_flag(error_handler, ?MODULE),
    see:value(before, calls()),
    see:value(set_all, set({?M, '_', '_'}, true)),
    see:value(all, calls()),
    see:value(set_again, set({?M, '_', '_'}, true)),
    see:value(once, ?M:one(1)),
    see:value(module_info, ?M:module_info(module)),
    see:value(clear_some, [set({?M, one, '_'}, false), set({?M, calls, 1}, false), set({?M, calls, 2}, false)]),
    see:value(some, calls()),
    see:value(clear, set({?M, '_', '_'}, false)),
    see:value(none, calls()),
    see:value(set_local, set({?M, local, 1}, true)),
    see:value(local, calls()),
    see:value(clear_again, set({?M, '_', '_'}, false)),
    patterns(),
    waiting(),
    busy(),
    versions(),
    code:purge(?M).

set(Pattern, On) -> erts_debug:breakpoint(Pattern, On).

calls() ->
    External = fun ?M:three/3,
    Fun = ?M:a_fun(x),
    Name = see:id(one),
    Module = see:id(?M),
    [?M:none(), ?M:one(a), ?M:three(a, [b], #{c => c}), ?M:loop(3, []), ?M:calls(5), ?M:tail(7),
     case is_function(Fun) of true -> Fun(y); false -> Fun end,
     External(1, 2, 3), Module:Name(b), apply(Module, Name, [c]), apply(External, [4, [5], #{c => 6}]),
     try ?M:raises(8) catch error:E -> E end, lists:map(fun ?M:one/1, [9, 10]),
     try ?M:three(1, [2], #{}) of V -> V catch error:R -> R end,
     in_process(fun() -> ?M:one(11) end), in_process(?M, one, [12])].

in_process(Fun) ->
    {_, Ref} = spawn_monitor(fun() -> process_flag(error_handler, ?MODULE), exit({left, Fun()}) end),
    receive {'DOWN', Ref, _, _, {left, X}} -> X end.

in_process(M, F, A) ->
    Me = self(),
    {_, Ref} = spawn_opt(fun() -> process_flag(error_handler, ?MODULE), Me ! {left, apply(M, F, A)} end, [monitor]),
    receive {left, X} -> receive {'DOWN', Ref, _, _, _} -> X end end.

%% What is no triple, or open before its end.
patterns() ->
    see:fails(
      [fun() -> set(P, On) end
       || {P, On} <- [{{?M, '_', 1}, true}, {{'_', one, 1}, true}, {{'_', one, '_'}, true}, {{?M, one}, true},
                      {{?M, one, a}, true}, {{1, one, 1}, true}, {{?M, "one", 1}, true}, {?M, true},
                      {{?M, one, 1}, 1}, {{?M, one, 1}, yes}, {[], false}, {{?M, one, 1 bsl 70}, true}]]),
    see:value(matched, [set(P, true) || P <- [{no_such_module, '_', '_'}, {?M, no_such_function, '_'}, {?M, one, 7},
                                              {?M, one, -1}, {?M, one, 1 bsl 40}, {?M, zero, 0}]]),
    see:value(zero, ?M:zero()),
    see:value(cleared, [set({?M, zero, 0}, false), ?M:zero()]).

%% Who waits in a function goes on in it, and stops where it calls.
waiting() ->
    Me = self(),
    Answer = fun(Pid) -> receive {Pid, X} -> X end end,
    Ask = fun(Pid) -> Pid ! {Me, ask}, Answer(Pid) end,
    Start = fun(F, A) ->
                    Pid = spawn_link(fun() ->
                                             process_flag(error_handler, ?MODULE),
                                             Me ! {self(), apply(?M, F, A)}
                                     end),
                    until_waiting(Pid),
                    Pid
            end,
    One = Start(waits, []),
    Two = Start(waits_with, [x]),
    see:value(set, set({?M, '_', '_'}, true)),
    see:value(loop_at_entry, Ask(One)),
    see:value(ended, element(2, Answer(One))),
    %% Who stops says so itself: it is heard to the end before more is said.
    Last = Ask(Two),
    Stopped = Answer(Two),
    see:value(with_frame, Last),
    see:value(stopped_then, Stopped),
    see:value(clear, set({?M, '_', '_'}, false)).

until_waiting(Pid) ->
    case process_info(Pid, [status, current_function]) of
        [{status, waiting}, {current_function, {?M, _, _}}] -> ok;
        _ -> erlang:yield(), until_waiting(Pid)
    end.

%% Set and cleared while others call without end: each call is one of the two.
busy() ->
    Me = self(),
    Pids = [spawn_link(fun() ->
                               process_flag(error_handler, quiet_handler),
                               Me ! {self(), turn(200, [])}
                       end)
            || _ <- lists:seq(1, 4)],
    [begin set({?M, '_', '_'}, true), erlang:yield(), set({?M, '_', '_'}, false) end || _ <- lists:seq(1, 30)],
    Found = lists:append([receive {P, X} -> X end || P <- Pids]),
    Whole = lists:seq(1, 40),
    see:value(busy, [X || X <- Found, X =/= stopped, X =/= Whole]).

turn(0, Acc) -> Acc;
turn(N, Acc) -> turn(N - 1, [?M:loop(40, []) | Acc]).

%% They belong to one version of a module.
versions() ->
    see:value(set, set({?M, '_', '_'}, true)),
    Fun = fun ?M:one/1,
    code:purge(?M),
    {module, ?M} = code:load_file(?M),
    see:value(new_version, {?M:one(1), Fun(2)}),
    see:value(set_new, set({?M, '_', '_'}, true) > 0),
    see:value(both, {?M:one(1), Fun(2)}),
    code:purge(?M),
    true = code:delete(?M),
    see:value(deleted, set({?M, '_', '_'}, false)),
    see:value(loaded_again, ?M:one(1)).
