%% Many processes, each of which is woken by a timer again and again.
%%
%%   erl -noshell -s ticking by send_after 1000 100000 -s erlang halt
%%
%% is 100,000 processes with one timer a second each. It prints the processor time that one timer takes, in
%% microseconds, the memory of all processes, and the number of timers that expired each second.
-module(ticking).
-behaviour(gen_statem).
-export([by/1]).
-export([init/1, callback_mode/0, handle_event/4]).

-define(MEASURED_MS, 3000).

by([Way, Period, Count]) ->
    Milliseconds = lives:number(Period),
    N = lives:number(Count),
    lives:alone(fun() -> measure(Way, Milliseconds, N) end).

measure(Way, Period, N) ->
    Counter = counters:new(1, [write_concurrency]),
    Before = lives:collected(),
    %% The first expiry differs, so that the timers are spread over the period.
    [start(Way, 1 + Key rem Period, Period, Counter) || Key <- lists:seq(1, N)],
    receive after 2 * Period -> ok end,
    Ticks = counters:get(Counter, 1),
    Micros = processor_micros(),
    Start = erlang:monotonic_time(millisecond),
    receive after ?MEASURED_MS -> ok end,
    Expired = counters:get(Counter, 1) - Ticks,
    Used = processor_micros() - Micros,
    Time = erlang:monotonic_time(millisecond) - Start,
    lives:print("each", Used / Expired),
    lives:print("rate", Expired * 1000 div Time),
    lives:print("ticking_bytes", lives:collected() - Before).

start(send_after, First, Period, Counter) ->
    spawn_link(fun() ->
        erlang:send_after(First, self(), tick),
        loop(Period, Counter)
    end);
start(state_timeout, First, Period, Counter) ->
    {ok, _} = gen_statem:start_link(?MODULE, {First, Period, Counter}, []).

loop(Period, Counter) ->
    receive
        tick ->
            counters:add(Counter, 1, 1),
            erlang:send_after(Period, self(), tick),
            loop(Period, Counter)
    end.

callback_mode() -> handle_event_function.

init({First, Period, Counter}) -> {ok, waiting, {Period, Counter}, [{state_timeout, First, tick}]}.

handle_event(state_timeout, tick, waiting, {Period, Counter}) ->
    counters:add(Counter, 1, 1),
    {keep_state_and_data, [{state_timeout, Period, tick}]}.

%% The processor time of the VM, user and system; the kernel counts it in hundredths of a second.
processor_micros() ->
    {ok, Stat} = file:read_file("/proc/self/stat"),
    [_, Rest] = binary:split(Stat, <<") ">>),
    Fields = binary:split(Rest, <<" ">>, [global]),
    (binary_to_integer(lists:nth(12, Fields)) + binary_to_integer(lists:nth(13, Fields))) * 10_000.
