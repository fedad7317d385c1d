%% element, setelement and the other BIFs on tuples, small and large.
-module(tuple_operations).
-export([main/0]).

main() ->
    T = see:id({a, b, c}),
    see:value(elements, [element(N, T) || N <- [1, 2, 3]]),
    see:value(set, [setelement(N, T, x) || N <- [1, 2, 3]]),
    see:value(chain, setelement(1, setelement(2, setelement(3, T, z), y), x)),
    see:value(unchanged, T),
    see:value(made, [erlang:make_tuple(3, x), erlang:make_tuple(4, d, [{2, b}, {4, d2}, {2, c}]),
        erlang:make_tuple(0, x)]),
    see:value(insert, [erlang:insert_element(N, T, x) || N <- [1, 2, 3, 4]]),
    see:value(delete, [erlang:delete_element(N, T) || N <- [1, 2, 3]]),
    see:value(append, erlang:append_element(T, d)),
    Large = list_to_tuple(lists:seq(1, 10000)),
    see:value(large, {tuple_size(Large), element(5000, Large), element(10000, setelement(10000, Large, last))}),
    see:value(sum, lists:sum(tuple_to_list(Large))),
    see:value(folded, fold(1, Large, 0)),
    see:value(nested, element(1, element(2, {x, {y}}))),
    I = see:id(1),
    see:fails([fun() -> element(see:id(0), T) end, fun() -> element(see:id(4), T) end, fun() -> element(see:id(-1), T)
        end,
               fun() -> element(see:id(1 bsl 70), T) end, fun() -> element(see:id(1.0), T) end,
                   fun() -> element(I, see:id([a])) end,
               fun() -> element(1, see:id({})) end, fun() -> setelement(see:id(4), T, x) end,
                   fun() -> setelement(see:id(a), T, x) end,
               fun() -> setelement(1, see:id({}), x) end, fun() -> tuple_size(see:id([])) end,
                   fun() -> tuple_to_list(see:id(a)) end,
               fun() -> erlang:make_tuple(see:id(-1), x) end, fun() -> erlang:make_tuple(see:id(1 bsl 30), x) end,
               fun() -> erlang:make_tuple(2, x, [{3, y}]) end, fun() -> erlang:insert_element(see:id(5), T, x) end,
               fun() -> erlang:delete_element(see:id(4), T) end, fun() -> erlang:append_element(see:id(a), x) end]).

fold(N, T, Sum) when N > tuple_size(T) -> Sum;
fold(N, T, Sum) -> fold(N + 1, T, Sum + element(N, T)).
