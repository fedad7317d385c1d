%% The line of an error whose operation has none of its own is that of the code before it. Behind a move to the first
%% register, the line of a tail call does not count, unless it calls a BIF.
%% releases: 25 27
-module(lines_behind_tail_calls).
-export([main/0, f/1, g/1]).

main() ->
    try ?MODULE:f(z) catch error:{badmatch, z}:Stack -> see:value(compiled, line(Stack)) end,
    Frame = [{allocate, 1, 1}, {move, {x, 0}, {y, 0}}],
    Saved = Frame ++ [{move, {y, 0}, {x, 0}}],
    Moved = fun(Value) -> [{move, Value, {x, 0}}] end,
    See = {extfunc, assembled, g, 1},
    [see:value(Label, assembled(Before, Call)) || {Label, Before, Call} <- [
        {call_only, [], {call_only, 1, {f, 6}}}, {call_only_moved, Moved({x, 1}), {call_only, 1, {f, 6}}},
        {call_last, Frame, {call_last, 1, {f, 6}, 1}}, {call_last_moved, Saved, {call_last, 1, {f, 6}, 1}},
        {ext_only, [], {call_ext_only, 1, See}}, {ext_only_moved, Moved({atom, b}), {call_ext_only, 1, See}},
        {ext_only_literal, Moved({literal, [a]}), {call_ext_only, 1, See}},
        {ext_only_second, [{move, {x, 0}, {x, 1}}], {call_ext_only, 2, {extfunc, assembled, g, 2}}},
        {ext_last, Frame, {call_ext_last, 1, See, 1}}, {ext_last_moved, Saved, {call_ext_last, 1, See, 1}},
        {ext_last_constant, Frame ++ Moved({integer, 3}), {call_ext_last, 1, See, 1}},
        {ext_last_two, Frame ++ [{move, {x, 0}, {x, 1}} | Moved({y, 0})], {call_ext_last, 1, See, 1}},
        {ext_moved, Saved, {call_ext, 1, See}},
        {no_such_function, Moved({atom, b}), {call_ext_only, 1, {extfunc, lists, no_such_function, 1}}},
        {bif_only, Moved({atom, b}), {call_ext_only, 1, {extfunc, erlang, get, 1}}},
        {bif_last, Saved, {call_ext_last, 1, {extfunc, erlang, get, 1}, 1}},
        {guard_bif_last, Saved, {call_ext_last, 1, {extfunc, erlang, length, 1}, 1}},
        {apply_only, Moved({atom, b}), {call_ext_only, 3, {extfunc, erlang, apply, 3}}},
        {error_only, Moved({atom, b}), {call_ext_only, 1, {extfunc, erlang, error, 1}}},
        {error_last, Saved, {call_ext_last, 1, {extfunc, erlang, error, 1}, 1}},
        {throw_last, Saved, {call_ext_last, 1, {extfunc, erlang, throw, 1}, 1}},
        {apply_last, Saved, {apply_last, 0, 1}}]],
    ok.

g(X) ->
    X.

f(A) ->
    put(b,
        2),
    ?MODULE:g((A = ({foo, _} = A))).

%% The line of an error behind this operation (20), which stands behind others (10).
assembled(Before, Call) ->
    Line = fun(Line) -> {line, [{location, "assembled.erl", Line}]} end,
    Info = fun(Function) -> {func_info, {atom, assembled}, {atom, Function}, 1} end,
    F = [{label, 1}, Line(5), Info(f), {label, 2}, {test, is_atom, {f, 7}, [{x, 0}]},
        Line(10), {bif, element, {f, 0}, [{integer, 1}, {x, 0}], {x, 0}}] ++ Before ++
        [Line(20), Call, {label, 7}, {badmatch, {x, 0}}],
    G = [{label, 5}, Line(30), Info(g), {label, 6}, return],
    Forms = {assembled, [{f, 1}, {g, 1}], [], [{function, f, 1, 2, F}, {function, g, 1, 6, G}], 8},
    {ok, assembled, Binary} = compile:forms(Forms, [from_asm, binary, no_validate]),
    {module, assembled} = code:load_binary(assembled, "assembled", Binary),
    Line20 = try apply(assembled, f, [see:id(1)]) catch error:{badmatch, 1}:Stack -> line(Stack) end,
    code:purge(assembled),
    Line20.

line([{_, _, _, Where} | _]) -> proplists:get_value(line, Where).
