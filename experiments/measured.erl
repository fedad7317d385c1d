%% The part of a program that `ferl lab --service` measures from outside.
%%
%% measured:work(Fun) prints `begin`, waits for a line on standard input, runs Fun, prints `end` and waits for ever, so
%% that the memory can be read. Fun returns the times of the pieces of work, of which the slowest hundredth is printed,
%% or `none`.
-module(measured).
-export([work/1, by_clients/3]).

work(Fun) ->
    io:put_chars("begin\n"),
    _ = io:get_line(""),
    Native = Fun(),
    io:put_chars("end\n"),
    Native =:= none orelse
        io:format("p99: ~b~n", [erlang:convert_time_unit(share(Native, 990), native, microsecond)]),
    io:put_chars("reported\n"),
    receive after infinity -> ok end.

%% What Do(1), Do(2)... return, N in all, by so many clients at the same time, each of which has its own random numbers.
by_clients(Count, N, Do) ->
    Self = self(),
    Clients = [spawn_link(fun() ->
        rand:seed(exsss, Client),
        Self ! {self(), [Do(Number) || Number <- lists:seq(1, N div Count)]}
    end) || Client <- lists:seq(1, Count)],
    lists:append([receive {Client, Returned} -> Returned end || Client <- Clients]).

%% The time below which so many of a thousand lie.
share(Times, PerMille) ->
    Sorted = lists:sort(Times),
    lists:nth(min(length(Sorted), length(Sorted) * PerMille div 1000 + 1), Sorted).
