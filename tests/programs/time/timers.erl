%% send_after, start_timer, cancel and read, to processes and names.
-module(timers).
-export([main/0]).

main() ->
    see:value(send_after, begin erlang:send_after(10, self(), hello), receive hello -> got after 5000 -> lost end end),
    see:value(start_timer, begin R = erlang:start_timer(5, self(), payload),
        receive {timeout, R, M} -> M after 5000 -> lost end end),
    see:value(zero, begin erlang:send_after(0, self(), now), receive now -> got after 5000 -> lost end end),
    see:value(cancel, begin R2 = erlang:send_after(100000, self(), never), Left = erlang:cancel_timer(R2),
        {Left > 99000, Left =< 100000, erlang:cancel_timer(R2)} end),
    see:value(read, begin R3 = erlang:start_timer(100000, self(), x), Left3 = erlang:read_timer(R3),
        erlang:cancel_timer(R3), {Left3 > 99000, Left3 =< 100000, erlang:read_timer(R3)} end),
    see:value(cancelled_is_silent, begin R4 = erlang:send_after(10, self(), boo), erlang:cancel_timer(R4),
        receive boo -> got after 40 -> silent end end),
    see:value(expired, begin R5 = erlang:send_after(1, self(), e), receive e -> ok end,
        {erlang:read_timer(R5), erlang:cancel_timer(R5)} end),
    see:value(to_name, begin register(timed, self()), erlang:send_after(1, timed, named),
        R6 = receive named -> got after 5000 -> lost end, unregister(timed), R6 end),
    see:value(to_missing_name, begin erlang:send_after(1, nobody_here, x), receive after 10 -> ok end end),
    see:value(to_dead, begin P = spawn(fun() -> ok end), R7 = erlang:send_after(5, P, x), receive after 20 -> ok end,
        erlang:cancel_timer(R7) end),
    see:value(order, begin Start = erlang:monotonic_time(millisecond) + 500,
        [erlang:send_after(Start + T, self(), {t, T}, [{abs, true}]) || T <- [60, 20, 40, 0, 80]],
    [receive {t, T} -> T end || _ <- lists:seq(1, 5)] end),
    see:value(absolute, begin Now = erlang:monotonic_time(millisecond), erlang:send_after(Now + 10, self(), abs,
        [{abs, true}]), receive abs -> erlang:monotonic_time(millisecond) >= Now + 10 end end),
    see:value(absolute_past, begin Now2 = erlang:monotonic_time(millisecond),
        erlang:start_timer(Now2, self(), past, [{abs, true}]), receive {timeout, _, past} -> got after 5000 -> lost end
        end),
    see:value(async_cancel, begin R8 = erlang:send_after(100000, self(), x),
        X = erlang:cancel_timer(R8, [{async, true}]), receive {cancel_timer, R8, L8} -> {X, is_integer(L8)}
        after 5000 -> lost end end),
    see:value(async_no_info, begin R9 = erlang:send_after(100000, self(), x),
        {erlang:cancel_timer(R9, [{async, true}, {info, false}]),
        receive {cancel_timer, R9, _} -> told after 20 -> silent end} end),
    see:value(no_info, begin R10 = erlang:send_after(100000, self(), x), erlang:cancel_timer(R10, [{info, false}]) end),
    see:value(async_read, begin R11 = erlang:start_timer(100000, self(), x),
        ok = erlang:read_timer(R11, [{async, true}]), receive {read_timer, R11, L11} -> is_integer(L11) after 5000 ->
        lost end end),
    see:value(from_other, begin Me = self(), R12 = erlang:send_after(100000, self(), x),
        spawn(fun() -> Me ! {left, erlang:cancel_timer(R12)} end), receive {left, L12} -> is_integer(L12) end end),
    see:value(many, many(2000)),
    see:value(unknown, [erlang:cancel_timer(make_ref()), erlang:read_timer(make_ref())]),
    see:value(not_early, [element(1, early(T)) || T <- [1, 7, 15, 33]]),
    see:value(receive_after,
        lists:usort([begin T0 = erlang:monotonic_time(microsecond), receive after T -> ok end,
        erlang:monotonic_time(microsecond) - T0 >= T * 1000 end || T <- [1, 2, 5, 10]])),
    see:value(large_message, begin erlang:send_after(1, self(), {big, lists:seq(1, 5000), binary:copy(<<1>>, 1000)}),
        receive {big, L, B} -> {length(L), byte_size(B)} end end),
    see:value(timer_module, begin {ok, _} = timer:send_after(5, tm), receive tm -> got after 5000 -> lost end end),
    see:value(timer_apply, begin Me2 = self(), {ok, _} = timer:apply_after(5, erlang, send, [Me2, applied]),
        receive applied -> got after 5000 -> lost end end),
    see:value(timer_interval, begin {ok, I} = timer:send_interval(3, tick), [receive tick -> t end || _ <- [1, 2, 3]],
        {ok, cancel} = timer:cancel(I) end),
    see:value(tc, begin {Us, V} = timer:tc(fun() -> timer:sleep(5), v end), {Us >= 5000, V} end),
    see:fails([fun() -> erlang:send_after(see:id(-1), self(), x) end, fun() -> erlang:send_after(1 bsl 70, self(), x)
        end, fun() -> erlang:start_timer(1, see:id(5), x) end, fun() -> erlang:send_after(1, self(), x, [bad]) end,
    fun() -> erlang:cancel_timer(make_ref(), [{async, x}]) end]).

many(N) ->
    [erlang:send_after(T rem 50, self(), {m, T}) || T <- lists:seq(1, N)],
    Cancelled = [erlang:cancel_timer(erlang:send_after(60000, self(), {never, T})) || T <- lists:seq(1, N)],
    {lists:sum([receive {m, T} -> T end || _ <- lists:seq(1, N)]), lists:all(fun is_integer/1, Cancelled),
        receive X -> X after 0 -> empty end}.

early(T) ->
    T0 = erlang:monotonic_time(microsecond),
    erlang:send_after(T, self(), x), receive x -> ok end,
    E = erlang:monotonic_time(microsecond) - T0,
    {E >= T * 1000, E}.
