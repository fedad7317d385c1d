%% Hundreds of thousands of timers, which are cancelled or expire.
-module(clockwork).
-export([cancelled/1, fired/1]).

-define(LATER, 3_600_000).
-define(SPREAD_MS, 100).

%% N timers are pending at the same time; then all are cancelled.
cancelled(N) when is_integer(N), N > 0 ->
    Timers = [erlang:start_timer(?LATER + K rem 10_007, self(), K) || K <- lists:seq(1, N)],
    [true = is_integer(erlang:cancel_timer(Timer)) || Timer <- Timers],
    ok.

%% N timers expire within a tenth of a second.
fired(N) when is_integer(N), N > 0 ->
    [erlang:send_after(K rem ?SPREAD_MS, self(), tick) || K <- lists:seq(1, N)],
    wait(N).

wait(0) -> ok;
wait(N) ->
    receive tick -> wait(N - 1) end.
