%% The part of a program that `ferl lab --service` measures from outside.
%%
%% measured:work(Fun) prints `begin`, waits for a line on standard input, runs Fun, prints `end` and waits for ever, so
%% that the memory can be read. Fun returns the times of the pieces of work, of which the slowest hundredth is printed,
%% or `none`.
-module(measured).
-export([work/1, share/2]).

work(Fun) ->
    io:put_chars("begin\n"),
    _ = io:get_line(""),
    Native = Fun(),
    io:put_chars("end\n"),
    Native =:= none orelse
        io:format("p99: ~b~n", [erlang:convert_time_unit(share(Native, 990), native, microsecond)]),
    io:put_chars("reported\n"),
    receive after infinity -> ok end.

%% The time below which so many of a thousand lie.
share(Times, PerMille) ->
    Sorted = lists:sort(Times),
    lists:nth(min(length(Sorted), length(Sorted) * PerMille div 1000 + 1), Sorted).
