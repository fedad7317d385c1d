%% The order in which the process dictionary is listed, which is that of a table that grows. Atoms are left out: on
%% stock, their order changes from run to run.
-module(dictionary_in_order).
-export([main/0]).

main() ->
    [see:that({Name, Count}, fun() -> listed(Key, Count) end)
     || {Name, Key} <- [{integers, fun(I) -> I end}, {negative, fun(I) -> -I * 5 end}, {tuples, fun(I) -> {I} end},
                        {mixed, fun(I) -> element(I rem 4 + 1, {I, <<I>>, [I, 1000], I / 4}) end}],
        Count <- [1, 7, 8, 9, 30, 200]],
    %% Erased again, but for some in slots of their own: fewer slots.
    [see:that({erased, Count, Left}, fun() -> left(fun(I) -> I end, Count, Left) end)
     || {Count, Left} <- [{8, 4}, {8, 3}, {30, 10}, {30, 2}, {200, 3}]],
    [see:that({tuples_erased, Count, Left}, fun() -> left(fun(I) -> {I} end, Count, Left) end)
     || {Count, Left} <- [{8, 4}, {8, 3}, {30, 2}]],
    erase(),
    put(1, a), put(9, b), put(17, c), put(9, d),
    see:that(replaced, fun() -> get() end),
    see:that(keys_with, fun() -> put(25, a), get_keys(a) end).

listed(Key, Count) ->
    erase(),
    [put(Key(I), I) || I <- lists:seq(1, Count)],
    {dictionary, Known} = process_info(self(), dictionary),
    {get_keys(), get() =:= Known, erase() =:= Known}.

left(Key, Count, Left) ->
    erase(),
    [put(Key(I), I) || I <- lists:seq(1, Count)],
    [erase(Key(I)) || I <- lists:seq(Left + 1, Count)],
    Sparse = get_keys(),
    [put(Key(I), I) || I <- lists:seq(1000, 1003)],
    {Sparse, get_keys()}.
