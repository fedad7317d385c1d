%% Copying much into a binary costs reductions, about one for a kilobyte, as on stock.
-module(pieces_that_cost).
-export([main/0]).

main() ->
    Big = binary:copy(<<1, 2, 3, 4>>, 250 * 1024),
    see:value(cost, [{Label, costs(Least, Fun)} || {Label, Least, Fun} <- [
        {in_front, 900, fun() -> <<0:8, Big/binary>> end},
        {twice, 1900, fun() -> <<0:8, Big/binary, Big/binary>> end},
        {a_part, 450, fun() -> <<0:8, Big:(500 * 1024)/binary>> end},
        {not_on_a_byte, 900, fun() -> <<0:3, Big/binary>> end}]]),
    %% Little by little it costs little.
    see:value(little, not costs(20000,
        fun() -> lists:foldl(fun(N, Bits) -> <<Bits/bits, N:3>> end, <<>>, lists:seq(1, 2000)) end)).

%% Counted within a slice that has just begun: what goes beyond its end is not counted on stock.
costs(Least, Fun) ->
    receive after 1 -> ok end,
    {reductions, Before} = process_info(self(), reductions),
    see:id(Fun()),
    {reductions, After} = process_info(self(), reductions),
    After - Before >= Least.
