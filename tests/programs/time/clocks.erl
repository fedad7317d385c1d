%% Clocks: monotonic, system, offsets, units, unique integers, now.
-module(clocks).
-compile([{nowarn_deprecated_function, [{erlang, now, 0}]}]).
-export([main/0]).

main() ->
    Ms = [erlang:monotonic_time() || _ <- lists:seq(1, 1000)],
    see:value(monotonic, Ms =:= lists:sort(Ms)),
    see:value(units, [is_integer(erlang:monotonic_time(U)) || U <- [second, millisecond, microsecond, nanosecond,
        native, perf_counter, 1000, 7]]),
    see:value(ratio, begin A = erlang:system_time(second), B = erlang:system_time(millisecond) div 1000,
        abs(A - B) =< 1 end),
    see:value(offset, begin S = erlang:system_time(), M = erlang:monotonic_time() + erlang:time_offset(),
        abs(S - M) < erlang:convert_time_unit(1, second, native) end),
    see:value(convert, [erlang:convert_time_unit(N, F, T) || {N, F, T} <- [{1, second, millisecond},
        {1500, millisecond, second}, {-1500, millisecond, second}, {7, second, 3}, {123456789, nanosecond, microsecond},
    {1, hour_is_not_a_unit, second}], F =/= hour_is_not_a_unit]),
    see:value(os, begin T1 = os:system_time(second), T2 = erlang:system_time(second), abs(T1 - T2) =< 2 end),
    see:value(timestamp, begin {Mega, Sec, Micro} = erlang:timestamp(),
        abs(Mega * 1000000 + Sec - os:system_time(second)) =< 2 andalso Micro < 1000000 end),
    see:value(os_timestamp, begin {M3, S3, _} = os:timestamp(), abs(M3 * 1000000 + S3 - os:system_time(second)) =< 2
        end),
    Ns = [erlang:now() || _ <- lists:seq(1, 1000)],
    see:value(now, [Ns =:= lists:usort(Ns), length(lists:usort(Ns))]),
    Us = [erlang:unique_integer([positive, monotonic]) || _ <- lists:seq(1, 1000)],
    see:value(unique_monotonic, [Us =:= lists:usort(Us), hd(Us) > 0]),
    see:value(unique, length(lists:usort([erlang:unique_integer() || _ <- lists:seq(1, 1000)]))),
    see:value(unique_across,
        begin Me = self(), [spawn(fun() -> Me ! {u, [erlang:unique_integer([positive]) || _ <- lists:seq(1, 100)]} end)
        || _ <- lists:seq(1, 20)],
    length(lists:usort(lists:append([receive {u, L} -> L end || _ <- lists:seq(1, 20)]))) end),
    see:value(refs, length(lists:usort([make_ref() || _ <- lists:seq(1, 1000)]))),
    see:value(refs_across,
        begin Me2 = self(), [spawn(fun() -> Me2 ! {r, [make_ref() || _ <- lists:seq(1, 100)]} end)
        || _ <- lists:seq(1, 20)],
    length(lists:usort(lists:append([receive {r, L} -> L end || _ <- lists:seq(1, 20)]))) end),
    see:value(warp, [erlang:system_info(time_warp_mode), erlang:system_info(time_correction),
        erlang:system_info(os_monotonic_time_source) =/= undefined]),
    see:value(advances, begin T0 = erlang:monotonic_time(millisecond), receive after 30 -> ok end,
        D = erlang:monotonic_time(millisecond) - T0, D >= 30 andalso D < 10000 end),
    see:value(date, begin {Y, Mo, D4} = date(), {H, Mi, S4} = time(), [Y > 2020, Mo =< 12, D4 > 0, H < 24, Mi < 60,
        S4 < 61] end),
    see:value(calendar, [calendar:universal_time_to_local_time({{2020, 1, 1}, {0, 0, 0}}),
        calendar:datetime_to_gregorian_seconds({{2000, 2, 29}, {12, 0, 0}}),
    calendar:system_time_to_rfc3339(0, [{offset, "Z"}])]),
    see:value(posixtime, [erlang:universaltime_to_posixtime({{2001, 9, 9}, {1, 46, 40}}),
        erlang:posixtime_to_universaltime(-1)]),
    see:value(statistics, [begin {A1, B1} = statistics(K), is_integer(A1) andalso is_integer(B1) end
        || K <- [runtime, wall_clock, reductions]]),
    see:fails([fun() -> erlang:monotonic_time(see:id(x)) end, fun() -> erlang:system_time(see:id(0)) end,
        fun() -> erlang:convert_time_unit(a, second, second) end, fun() -> erlang:unique_integer([x]) end]).
