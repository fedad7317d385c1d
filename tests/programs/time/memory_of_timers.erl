%% The allocators tell what the timers of programs take: more while there are some, and none of it when they have been
%% cancelled, have expired, or have lost their receiver.
-module(memory_of_timers).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    Before = bytes(),
    Timers = [erlang:start_timer(3600000, self(), x) || _ <- lists:seq(1, 1000)]
        ++ [erlang:send_after(3600000, nobody_has_this_name, x) || _ <- lists:seq(1, 1000)],
    see:value(more, bytes() > Before),
    [erlang:cancel_timer(Timer) || Timer <- Timers],
    see:value(cancelled, bytes() =:= Before),
    {Pid, Monitor} = spawn_monitor(fun() -> receive stop -> ok end end),
    [erlang:start_timer(3600000, Pid, x) || _ <- lists:seq(1, 1000)],
    see:value(for_another, bytes() > Before),
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    see:value(receiver_gone, apart:wait(fun() -> bytes() =:= Before end, true, 400)),
    [erlang:start_timer(1, self(), N) || N <- lists:seq(1, 1000)],
    [receive {timeout, _, N} -> ok end || N <- lists:seq(1, 1000)],
    see:value(expired, bytes() =:= Before).

bytes() ->
    [erts_debug:set_internal_state(wait, What) || What <- [timer_cancellations, deallocations]],
    Reference = make_ref(),
    erlang:system_info({memory_internal, Reference, [fix_alloc]}),
    %% An answer of each thread that may hold some; what one takes and another frees is below zero there.
    Answers = [receive {Reference, _, Facts} -> Facts end || _ <- lists:seq(2, erts_internal:no_aux_work_threads())],
    lists:sum([of_timers(Facts) || {fix_alloc, _, Facts} <- lists:append(Answers)]) band 16#ffffffffffffffff.

of_timers(Facts) ->
    Types = case lists:keyfind(fix_types, 1, Facts) of
        {fix_types, All} -> All;
        {fix_types, _Mask, All} -> All
    end,
    lists:sum([Used || {Kind, _, Used} <- Types, Kind =:= bif_timer orelse Kind =:= accessor_bif_timer]).
