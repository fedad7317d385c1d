%% How long messages take beside many processes that wait, while the VM may use its idle time to tidy them up.
%%
%%   erl -noshell -s pauses beside 100000 -s erlang halt
%%
%% starts that many gen_servers and calls each of them once. Then two processes exchange messages, a few every five
%% milliseconds, for six seconds: the median, the slowest thousandth and the slowest round trip, in microseconds.
-module(pauses).
-export([beside/1]).

-define(SECONDS, 6).
-define(BURST, 50).
-define(BETWEEN_MS, 5).
%% Tenths of a microsecond that are counted one by one.
-define(MOST, 200_000).

beside([Count]) ->
    N = lives:number(Count),
    lives:alone(fun() -> measure(N) end).

measure(N) ->
    Before = lives:collected(),
    Pids = [live_server:start(Key) || Key <- lists:seq(1, N)],
    [ok = live_server:call(Key, Pid) || {Key, Pid} <- lists:enumerate(Pids)],
    garbage_collect(),
    Other = spawn_link(fun echo/0),
    Times = counters:new(?MOST + 1, []),
    End = erlang:monotonic_time(second) + ?SECONDS,
    bursts(End, Other, Times),
    Total = lists:sum([counters:get(Times, At) || At <- lists:seq(1, ?MOST + 1)]),
    lives:print("median", share(Total div 2, 1, Times) / 10),
    lives:print("p999", share(Total - Total div 1000, 1, Times) / 10),
    lives:print("slowest", share(Total, 1, Times) / 10),
    lives:print("waiting_bytes", lives:collected() - Before),
    length(Pids).

bursts(End, Other, Times) ->
    case erlang:monotonic_time(second) >= End of
        true -> ok;
        false ->
            trips(?BURST, Other, Times),
            receive after ?BETWEEN_MS -> ok end,
            bursts(End, Other, Times)
    end.

trips(0, _, _) -> ok;
trips(N, Other, Times) ->
    Start = erlang:monotonic_time(),
    Other ! {ping, self()},
    receive pong -> ok end,
    Time = erlang:convert_time_unit(erlang:monotonic_time() - Start, native, nanosecond) div 100,
    counters:add(Times, min(Time, ?MOST) + 1, 1),
    trips(N - 1, Other, Times).

echo() ->
    receive {ping, From} -> From ! pong, echo() end.

%% The time, in tenths of a microsecond, that the given number of round trips took at most.
share(Wanted, At, Times) ->
    case Wanted - counters:get(Times, At) of
        Left when Left =< 0 -> At - 1;
        Left -> share(Left, At + 1, Times)
    end.
