%% How often processes of low priority run beside normal ones, of which there are more, as many, or fewer: an eighth as
%% often each.
%% args: +S 1:1
-module(shares_of_priorities).
-export([main/0]).

main() ->
    process_flag(priority, max),
    [shares(Normal, Low) || {Normal, Low} <- [{1, 1}, {20, 20}, {50, 2}, {2, 50}, {30, 1}]].

%% The share that a low process has of what a normal one has, and whether all of one priority had nearly the same.
shares(Normal, Low) ->
    Normals = [spawn_opt(fun work/0, [{priority, normal}]) || _ <- lists:seq(1, Normal)],
    Lows = [spawn_opt(fun work/0, [{priority, low}]) || _ <- lists:seq(1, Low)],
    Counts = measure(Normals, Lows, 40),
    [exit(Pid, kill) || Pid <- Normals ++ Lows],
    {OfNormals, OfLows} = lists:split(Normal, Counts),
    Share = mean(OfLows) / mean(OfNormals),
    see:value({Normal, Low}, {Share > 0.09, Share < 0.16, even(OfNormals), even(OfLows)}).

%% Reductions of each, when a low process has had some tens of turns on average.
measure(Normals, Lows, Turns) ->
    receive after 20 -> ok end,
    Counts = [Count || Pid <- Normals ++ Lows, {reductions, Count} <- [process_info(Pid, reductions)]],
    case lists:sum(lists:nthtail(length(Normals), Counts)) > Turns * length(Lows) * 4000 of
        true -> Counts;
        false -> measure(Normals, Lows, Turns)
    end.

mean(Counts) -> lists:sum(Counts) / length(Counts).

even(Counts) -> lists:max(Counts) < lists:min(Counts) * 1.5.

work() -> lists:seq(1, 10), work().
