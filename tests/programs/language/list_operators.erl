%% ++, --, and the BIFs on lists, proper and improper.
-module(list_operators).
-export([main/0]).

main() ->
    see:value(append, [[] ++ [], [1] ++ [], [] ++ [1], [1, 2] ++ [3], [1] ++ tail, see:id([]) ++ x,
        [a | [b]] ++ [c | d]]),
    see:value(subtract, [[1, 2, 3, 2] -- [2], [1, 2, 3, 2] -- [2, 2], [1, 2] -- [], [] -- [1], [1, 1.0] -- [1.0],
        "hello" -- "ol",
                         [a, b, a] -- [a, a, a]]),
    see:value(right, [1, 2, 3] -- [1, 2] -- [1]),
    Long = lists:seq(1, 5000),
    see:value(long, length((Long ++ Long) -- Long)),
    see:value(large_subtract, (lists:seq(1, 3000) ++ [x]) -- lists:reverse(lists:seq(1, 3000))),
    %% Few items are looked for one after the other, more in a tree.
    Words = ["one", {two, 2}, 3.0, 1 bsl 70, <<"five">>, six, 7, #{8 => 8}],
    [begin
         Right = [lists:nth(1 + (7 * I) rem 8, Words) || I <- lists:seq(1, N)],
         Left = Words ++ [{I, Word} || I <- [1, 2], Word <- Words] ++ Words ++ [last | Words],
         Copies = binary_to_term(term_to_binary(Right)),
         see:value({without, N}, [Left -- Copies, Copies -- Left, (Left -- Copies) =:= model(Left, Right)])
     end || N <- [1, 2, 15, 16, 17, 18, 24, 40]],
    see:value(floats, [[0.0, -0.0, 0] -- [-0.0], [0.0, -0.0, 0] -- [0], [1, 1.0, 1] -- [1.0, 1]]),
    see:value(bifs, [length([]), length([a, b]), hd([1 | 2]), tl([1 | 2]), lists:reverse([1, 2], tail),
        lists:member(2, [1, 2])]),
    see:value(keyfind, [lists:keyfind(b, 1, [{a, 1}, {b, 2}]), lists:keyfind(2, 2, [{a, 1}, x, {b, 2}]),
        lists:keyfind(1.0, 1, [{1}]),
                        lists:keymember(z, 1, [{a}]), lists:keysearch(a, 1, [{a, 1}])]),
    see:value(flatten, [list_to_tuple([1, 2]), tuple_to_list({}), list_to_binary([]),
        iolist_size([1, [<<2, 3>>], "45"])]),
    see:fails([fun() -> see:id([1 | 2]) ++ [3] end, fun() -> see:id(a) ++ [1] end, fun() -> see:id([1 | 2]) -- [1] end,
               fun() -> [1] -- see:id([1 | 2]) end, fun() -> [1] -- see:id(a) end, fun() -> length(see:id([1 | 2])) end,
               fun() -> length(see:id({1})) end, fun() -> hd(see:id([])) end, fun() -> tl(see:id([])) end,
                   fun() -> tl(see:id(a)) end,
               fun() -> lists:reverse(see:id([a | b])) end, fun() -> lists:reverse(see:id(a), []) end,
               fun() -> lists:member(1, see:id([2 | 3])) end, fun() -> lists:member(1, see:id(x)) end,
               fun() -> lists:keyfind(1, see:id(0), []) end, fun() -> lists:keyfind(1, 1, see:id([{2} | x])) end,
               fun() -> list_to_tuple(see:id([1 | 2])) end, fun() -> list_to_tuple(see:id(a)) end]).

%% `--` as the language defines it.
model(Left, []) -> Left;
model(Left, [Item | Rest]) -> model(lists:delete(Item, Left), Rest).
