%% Monitors of the time offset send a message for each change, and last. When one is removed with the option flush, none
%% of its messages is left; without, all are.
%% args: +C single_time_warp
-module(offset_flushed).
-export([main/0]).

main() ->
    Monitors = [erlang:monitor(time_offset, clock_service) || _ <- lists:seq(1, 6)],
    [First, Second, Third, Fourth, _, _] = Monitors,
    see:value(before, erlang:demonitor(First, [flush])),
    preliminary = erlang:system_flag(time_offset, finalize),
    apart:wait(fun() -> told(Monitors) end, [2, 3, 4, 5, 6], 400),
    see:value(flushed, erlang:demonitor(Second, [flush])),
    see:value(told, told(Monitors)),
    see:value(flushed, erlang:demonitor(Third, [info, flush])),
    see:value(told, told(Monitors)),
    see:value(kept, erlang:demonitor(Fourth, [info])),
    see:value(told, told(Monitors)),
    %% A monitor that is gone has one message at most.
    see:value(again, [erlang:demonitor(Monitor, [info, flush]) || Monitor <- [First, Third, Fourth]]),
    see:value(told, told(Monitors)),
    [self() ! {'CHANGE', lists:last(Monitors), time_offset, clock_service, N} || N <- [1, 2, 3]],
    see:value(told, told(Monitors)),
    see:value(all_of_one, erlang:demonitor(lists:last(Monitors), [flush])),
    see:value(told, told(Monitors)).

%% The numbers of the monitors whose messages are there.
told(Monitors) ->
    {messages, Messages} = process_info(self(), messages),
    lists:sort([N || Message <- Messages, {N, Monitor} <- lists:zip(lists:seq(1, 6), Monitors),
        element(2, Message) =:= Monitor]).
