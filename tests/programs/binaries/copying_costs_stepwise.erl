%% releases: 25 27
%% erlc: +r24
%% Copying megabytes into a bit string costs a reduction for each kilobyte: also what is copied in order to be appended
%% to.
-module(copying_costs_stepwise).
-export([main/0]).

main() ->
    Mega = binary:copy(<<0>>, 2000 * 1024),
    Cases = [{whole, fun() -> <<0, Mega/binary>> end, 2000}, {twice, fun() -> <<0, Mega/binary, Mega/binary>> end,
        4000},
             {part, fun() -> <<0, Mega:(1000 * 1024)/binary>> end, 1000},
             {shifted, fun() -> <<0:3, Mega/binary, 0:5>> end, 2000},
             {appended_to, fun() -> <<Mega/binary, 1>> end, 2000},
             {both, fun() -> <<Mega/binary, Mega:(2000 * 1024)/binary>> end, 4000},
             {little, fun() -> <<Mega:1000/binary, 1>> end, 0}],
    [see:value(Name, near(Count, reductions(Make))) || {Name, Make, Count} <- Cases].

%% Not much is spent besides.
near(Expected, Got) when Got >= Expected, Got < Expected + 500 -> ok;
near(_, Got) -> Got.

reductions(Make) ->
    erlang:garbage_collect(),
    receive after 1 -> ok end,
    {reductions, Before} = process_info(self(), reductions),
    Made = Make(),
    {reductions, After} = process_info(self(), reductions),
    true = is_bitstring(Made),
    After - Before.
