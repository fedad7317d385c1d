%% E5: messages per second, in one direction and as round trips.
-module(ipctest).
-compile([{nowarn_deprecated_function, {erlang, now, 0}}]).
-export([oneway/0, oneway/1, pingpong/0, pingpong/1]).
-export([consume/2, echo/0]).

-define(PUBLISHED, 10_000_000).

oneway() -> oneway(?PUBLISHED).

%% The consumer replies when it has received the last message.
oneway(N) when is_integer(N), N > 0 ->
    Consumer = spawn(?MODULE, consume, [N, self()]),
    Start = erlang:now(),
    produce(N, Consumer),
    receive {Consumer, done} -> ok end,
    report(oneway, N, Start).

produce(0, _) -> ok;
produce(N, To) ->
    To ! message,
    produce(N - 1, To).

consume(0, Starter) -> Starter ! {self(), done};
consume(N, Starter) ->
    receive message -> consume(N - 1, Starter) end.

pingpong() -> pingpong(?PUBLISHED).

pingpong(N) when is_integer(N), N > 0 ->
    Echo = spawn(?MODULE, echo, []),
    Start = erlang:now(),
    round_trips(N, Echo),
    Rate = report(pingpong, N, Start),
    Echo ! stop,
    Rate.

round_trips(0, _) -> ok;
round_trips(N, Echo) ->
    Echo ! {self(), ping},
    receive {Echo, pong} -> round_trips(N - 1, Echo) end.

echo() ->
    receive
        {From, ping} ->
            From ! {self(), pong},
            echo();
        stop ->
            ok
    end.

report(What, N, Start) ->
    Micros = timer:now_diff(erlang:now(), Start),
    Rate = N * 1_000_000 div max(1, Micros),
    io:format("~s: ~b in ~b us, ~b messages/s~n", [What, N, Micros, Rate]),
    Rate.
