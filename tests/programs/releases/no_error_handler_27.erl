%% Calls of undefined functions in a process whose error handler does not exist. (Of this the machine of 25 dies.)
%% releases: 27 29
-module(no_error_handler_27).
-export([main/0]).

main() ->
    [show(Name, Fun) || {Name, Fun} <- calls(gone())].

calls(Gone) ->
    [{call, fun() -> X = lists:no_such(1), {X} end},
     {last, fun() -> lists:no_such(1) end},
     {of_no_module, fun() -> X = no_such_module:no_such(1, 2), {X} end},
     {applied, fun() -> X = apply(see:id(lists), see:id(no_such), see:id([1])), {X} end},
     {applied_new_name, fun() -> X = apply(see:id(ets), see:id(never_named), see:id([1, 2])), {X} end},
     {applied_last, fun() -> apply(see:id(erlang), see:id(never_named_last), see:id([1, 2])) end},
     {fixed, fun() -> M = see:id(maps), X = M:never_named(1), {X} end},
     {fixed_last, fun() -> M = see:id(string), M:never_named(1) end},
     {external, fun() -> X = (see:id(fun lists:no_such/2))(1, 2), {X} end},
     {external_last, fun() -> (see:id(fun lists:no_such/2))(1, 2) end},
     {gone, fun() -> X = Gone(1), {X} end},
     {gone_last, fun() -> Gone(1) end},
     {gone_applied, fun() -> X = apply(Gone, see:id([1])), {X} end},
     {gone_in_try, fun() -> try Gone(1) of X -> {X} catch throw:Y -> Y end end}].

%% A fun of a module that is not loaded.
gone() ->
    Clause = {clause, 1, [{var, 1, 'X'}], [], [{var, 1, 'X'}]},
    Forms = [{attribute, 1, module, no_error_handler_gone}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{'fun', 1, {clauses, [Clause]}}]}]}],
    {ok, Module, Code} = compile:forms(Forms, []),
    {module, Module} = code:load_binary(Module, "none", Code),
    Fun = Module:f(),
    true = code:delete(Module),
    code:purge(Module),
    Fun.

show(Name, Fun) ->
    process_flag(error_handler, no_such_handler),
    Result = try Fun() catch Class:Reason:Trace -> {Class, Reason, Trace} end,
    process_flag(error_handler, error_handler),
    case Result of
        {C, R, T} -> see:value(Name, {C, R, lists:takewhile(fun(Frame) -> element(2, Frame) =/= main end, T)});
        _ -> see:value(Name, Result)
    end.
