%% Timers that stand still with their suspended receiver are read and cancelled as others.
%% releases: 29
%% differs: stock loses what finds such a timer: it answers false, also later, and the message comes nevertheless
-module(cancelled_paused_29).
-export([main/0]).

main() ->
    P = spawn(fun() -> receive M -> exit(M) end end),
    [Read, Cancelled, Later] = [erlang:send_after(100000, P, T) || T <- [read, cancelled, later]],
    erlang:suspend_process(P),
    Left = erlang:read_timer(Read),
    receive after 50 -> ok end,
    see:value(read, {is_integer(Left), Left =:= erlang:read_timer(Read)}),
    see:value(cancelled, {is_integer(erlang:cancel_timer(Cancelled)), erlang:read_timer(Cancelled),
                          erlang:cancel_timer(Cancelled)}),
    erlang:resume_process(P),
    see:value(later, {is_integer(erlang:cancel_timer(Later)), erlang:read_timer(Later)}),
    see:value(goes_on, apart:wait(fun() -> erlang:read_timer(Read) < Left end, true, 400)),
    exit(P, kill).
