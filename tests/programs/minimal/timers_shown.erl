%% Timers and timeouts.
-module(timers_shown).
-export([main/0]).

main() ->
    erlang:send_after(10, self(), first),
    receive first -> erlang:display(first) after 5000 -> erlang:display(lost) end,
    Ref = erlang:start_timer(5, self(), second),
    receive {timeout, Ref, M} -> erlang:display(M) after 5000 -> erlang:display(lost) end,
    Never = erlang:send_after(60000, self(), never),
    erlang:display(is_integer(erlang:cancel_timer(Never))),
    erlang:display(erlang:cancel_timer(Never)),
    T0 = erlang:monotonic_time(millisecond),
    receive after 50 -> ok end,
    T1 = erlang:monotonic_time(millisecond),
    erlang:display(T1 - T0 >= 50),
    erlang:display(T1 - T0 < 10000),
    sleepers(50, self()),
    erlang:display(count(50, 0)).

sleepers(0, _) -> ok;
sleepers(N, Main) -> spawn(fun() -> receive after N rem 10 -> Main ! N end end), sleepers(N - 1, Main).

count(0, S) -> S;
count(N, S) -> receive X when is_integer(X) -> count(N - 1, S + X) end.
