%% Literals: shared, sent, compared, kept after the process that used them, and never changed.
-module(literals).
-export([main/0]).
-define(TABLE, {table, [{1, "one"}, {2, "two"}, {3, <<"three">>}], #{k => [v, #{deep => {1.5, 123456789012345678901}}]}}).

main() ->
    see:value(literal, ?TABLE),
    T = table(),
    see:value(equal, T =:= ?TABLE),
    see:value(same_again, table() =:= setelement(1, T, table)),
    Changed = setelement(2, T, changed),
    see:value(changed, {Changed, element(2, T)}),
    see:value(map, (element(3, T))#{k := new}),
    see:value(map_unchanged, element(3, table())),
    Self = self(),
    Pid = spawn(fun() -> Self ! {literal, table()}, Self ! {mixed, [table(), see:id(1) | "tail"]} end),
    receive {literal, L} -> see:value(sent, L =:= T) end,
    receive {mixed, M} -> see:value(mixed, M) end,
    Ref = monitor(process, Pid), receive {'DOWN', Ref, _, _, _} -> ok end,
    erlang:garbage_collect(),
    see:value(collected, {T, M}),
    see:value(long_string, length(long())),
    see:value(binary, byte_size(binary())),
    <<_:10/binary, Part:5/binary, _/binary>> = binary(),
    see:value(part, Part),
    see:value(nested_tail, [1, 2 | table()]),
    see:value(external, term_to_binary(table()) =:= term_to_binary(binary_to_term(term_to_binary(T)))),
    see:value(funs, [F() || F <- funs()]).

table() -> ?TABLE.
long() -> "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore et dolore magna".
binary() -> <<"Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labore">>.
funs() -> [fun() -> 1 end, fun() -> "two" end, fun table/0].
