%% The BIFs that are operations of the machine, called as funs, by apply and in processes of their own: with arguments
%% that the operation takes and with those that it leaves to the BIF, alone and traced.
-module(operations_by_name).
-export([main/0]).

one() -> ['-', 'bnot', tuple_size, map_size, hd, tl, abs, byte_size, length, 'not'].

two() ->
    ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor', 'bsl', 'bsr', max, min, element, map_get, is_map_key,
        'and', 'or',
     '=:=', '=/=', '==', '/=', '<', '>=', '>', '=<'].

pool() ->
    [0, 1, -1, 3, 70, 1 bsl 59 - 1, -(1 bsl 59), 1 bsl 59, 1 bsl 200, 0.0, 2.5, -1.0e300, true, false, an_atom, [],
        [1 | 2], [a, b, c],
     {}, {x, y, z}, #{}, #{3 => three, an_atom => found}, <<>>, <<"bytes">>, <<1:3>>, fun erlang:abs/1].

main() ->
    [see:value(Name, [outcome(Name, [A]) || A <- pool()]) || Name <- one()],
    [see:value(Name, [outcome(Name, [A, B]) || A <- pool(), B <- pool(), is_quick(Name, B)]) || Name <- two()],
    see:value(folded, lists:foldl(fun erlang:'+'/2, 0, lists:seq(1 bsl 58, 1 bsl 58 + 10))),
    see:value(mapped, lists:map(fun erlang:abs/1, [-1, 2, -3.5, -(1 bsl 70)])),
    see:value(highest, lists:foldl(fun erlang:max/2, none, [a, 3, "text", 2.0])),
    see:value(long, (see:id(fun erlang:length/1))(lists:seq(1, 3000000))),
    see:value(long_and_bad, element(2, outcome(length, [lists:seq(1, 1000000) ++ end_of_list]))),
    see:value(spawned, spawned(hd, [[]])),
    see:value(spawned, spawned('+', [1, a])),
    see:value(spawned, spawned(abs, [-1])),
    see:value(exported, [erlang:function_exported(erlang, Name, 2) || Name <- two()]),
    traced(),
    see:value(again, [outcome(Name, [see:id(-7)]) || Name <- one()]).

%% A shift by so much is an error on one release and fills the memory on another.
is_quick('bsl', B) -> not (is_integer(B) andalso B > 1000);
is_quick('bsr', B) -> not (is_integer(B) andalso B < -1000);
is_quick(_, _) -> true.

%% What a call as a fun does; the same must come of it by apply.
outcome(Name, Arguments) ->
    Arity = length(Arguments),
    Fun = fun erlang:Name/Arity,
    AsFun = attempt(fun() -> apply(Fun, Arguments) end),
    AsFun = attempt(fun() -> called(Fun, Arguments) end),
    AsFun = attempt(fun() -> apply(erlang, Name, Arguments) end),
    AsFun.

called(Fun, [A]) -> Fun(A);
called(Fun, [A, B]) -> Fun(A, B).

attempt(Do) ->
    try Do()
    catch Class:Reason:Stack ->
        [{Module, Function, Arguments, Where} | _] = Stack,
        {Class, Reason, Module, Function, Arguments, proplists:get_value(error_info, Where)}
    end.

spawned(Name, Arguments) ->
    {Pid, Monitor} = spawn_opt(erlang, Name, Arguments, [monitor]),
    receive
        {'DOWN', Monitor, process, Pid, {Reason, [{Module, Function, Given, _} | _]}} ->
            {Reason, Module, Function, Given};
        {'DOWN', Monitor, process, Pid, Reason} -> Reason
    end.

%% Calls and what they return, told in order.
traced() ->
    Parent = self(),
    {Pid, Monitor} = spawn_monitor(fun() ->
        receive go -> ok end,
        Results = [outcome(Name, Arguments) || {Name, Arguments} <- calls()],
        exit({done, Results})
    end),
    erlang:trace(Pid, true, [call, {tracer, Parent}]),
    Patterns = [{erlang, Name, length(Arguments)} || {Name, Arguments} <- lists:ukeysort(1, calls())],
    [see:value(Pattern, erlang:trace_pattern(Pattern, [{'_', [], [{exception_trace}]}], [local]))
        || Pattern <- Patterns],
    Pid ! go,
    Reason = receive {'DOWN', Monitor, process, Pid, Why} -> Why end,
    see:value(results, Reason),
    see:value(told, told(Pid)),
    [erlang:trace_pattern(Pattern, false, [local]) || Pattern <- Patterns],
    ok.

calls() ->
    [{max, [1, 2]}, {'+', [1, 2]}, {'+', [1, a]}, {hd, [[1]]}, {hd, [[]]}, {abs, [-5]}, {element, [2, {a, b}]},
        {'<', [2, 1]}].

told(Pid) ->
    receive
        {trace, Pid, Kind, What} -> [{Kind, What} | told(Pid)];
        {trace, Pid, Kind, What, Result} -> [{Kind, What, Result} | told(Pid)]
    after 0 -> []
    end.
