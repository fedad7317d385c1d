%% A timer ends with the process that it would send to, whoever has set it, and its message is freed at once. A timer to
%% a name stays. A timer that can no longer be cancelled has sent its message.
-module(timers_of_the_dead).
-export([main/0]).

-define(LONG, 3600000).

main() ->
    see:value(set_by_another, [kept(fun(P, M) -> erlang:send_after(?LONG, P, M) end),
        kept(fun(P, M) -> erlang:start_timer(?LONG, P, M) end)]),
    see:value(set_by_itself, kept_by_itself()),
    see:value(by_the_dying, dying()),
    see:value(to_a_name, to_a_name()),
    see:value(freed, freed()),
    see:value(too_late, lists:usort([too_late(200) || _ <- lists:seq(1, 20)])).

%% Whether the timer can be read while its receiver lives, and when it is dead.
kept(Set) ->
    P = waiting(),
    T = Set(P, message),
    Before = is_integer(erlang:read_timer(T)),
    stop(P),
    {Before, erlang:read_timer(T), erlang:cancel_timer(T)}.

kept_by_itself() ->
    Me = self(),
    P = spawn(fun() -> Me ! {timer, erlang:start_timer(?LONG, self(), x)}, receive stop -> ok end end),
    T = receive {timer, Timer} -> Timer end,
    Before = is_integer(erlang:read_timer(T)),
    stop(P),
    {Before, erlang:read_timer(T)}.

%% Timers that are set while their receiver ends.
dying() ->
    lists:usort([begin
        P = waiting(),
        exit(P, kill),
        Ts = [erlang:send_after(?LONG, P, x) || _ <- [1, 2, 3]],
        R = monitor(process, P),
        receive {'DOWN', R, _, _, _} -> ok end,
        [erlang:read_timer(T) || T <- Ts]
    end || _ <- lists:seq(1, 500)]).

to_a_name() ->
    P = waiting(),
    register(timed, P),
    T = erlang:send_after(?LONG, timed, x),
    stop(P),
    {is_integer(erlang:read_timer(T)), is_integer(erlang:cancel_timer(T)), erlang:read_timer(T)}.

%% Less stays than the messages of a tenth of the timers.
freed() ->
    Message = lists:seq(1, 5000),
    Before = erlang:memory(total),
    lists:foreach(fun(_) ->
        P = waiting(),
        [erlang:send_after(?LONG, P, Message) || _ <- lists:seq(1, 20)],
        stop(P)
    end, lists:seq(1, 50)),
    erlang:garbage_collect(),
    erlang:memory(total) - Before < 8000000.

%% Timers of one moment are cancelled at that moment: each is cancelled, or its message is there.
too_late(N) ->
    At = erlang:monotonic_time(millisecond) + 10,
    Setter = spawn(fun() ->
        receive {set, To} -> To ! {timers, [{erlang:start_timer(At, To, I, [{abs, true}]), I} || I <- lists:seq(1, N)]}
        end end),
    Setter ! {set, self()},
    Timers = receive {timers, Ts} -> Ts end,
    spin(At),
    lists:usort([case erlang:cancel_timer(T) of
        false -> receive {timeout, T, I} -> cancelled_or_there after 0 -> missing end;
        _ -> receive {timeout, T, I} -> both after 0 -> cancelled_or_there end
    end || {T, I} <- lists:reverse(Timers)]).

spin(At) ->
    case erlang:monotonic_time(millisecond) >= At of
        true -> ok;
        false -> spin(At)
    end.

waiting() -> spawn(fun() -> receive stop -> ok end end).
stop(P) -> R = monitor(process, P), exit(P, kill), receive {'DOWN', R, process, P, _} -> ok end.
