%% Building a bit string with what no compiler writes, but stock loads: a register in the place of a segment's flags.
%% releases: 25 27
-module(assembled_segments).
-export([main/0]).

main() ->
    [see:that(Type, fun() -> (assembled(Type)):f(x, [], Value) end)
        || {Type, Value} <- [{utf8, 65}, {utf8, 16#10ffff}, {utf16, 16#10000}, {utf32, 97}, {utf8, -1}]].

assembled(Type) ->
    Name = list_to_atom("assembled_" ++ atom_to_list(Type)),
    Segment = [{atom, Type}, 1, 0, {x, 1}, {x, 2}, {atom, undefined}],
    Code = [{label, 1}, {func_info, {atom, Name}, {atom, f}, 3}, {label, 2},
        {bs_create_bin, {f, 0}, 0, 3, 8, {x, 0}, {list, Segment}}, return],
    {ok, Name, Binary} = compile:forms({Name, [{f, 3}], [], [{function, f, 3, 2, Code}], 3}, [from_asm, binary,
        no_validate]),
    {module, Name} = code:load_binary(Name, "assembled", Binary),
    Name.
