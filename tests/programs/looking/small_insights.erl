%% Options of the system monitor of every size, the backtrace of a process that waits, and items of `statistics/1` that
%% no documentation has.
-module(small_insights).
-export([main/0, waits/1]).

main() ->
    Large = 1 bsl 62,
    Options = [[], [busy_port], [busy_dist_port], [{long_gc, 10}], [{long_gc, 0}], [{long_gc, a}], [{long_gc, Large}],
               [{long_gc, 1 bsl 64}], [{long_schedule, 5}], [{long_schedule, Large}], [{long_schedule, -1}],
               [{large_heap, 1000000}],
               [{large_heap, 1 bsl 63}], [{large_heap, 1 bsl 64}], [foo], [busy_port | x], [{long_gc, 1}, {long_gc, 2}],
               foo],
    lists:foreach(fun(Wanted) ->
        see:that(Wanted, fun() -> erlang:system_monitor(self(), Wanted) end),
        see:value("set", case erlang:system_monitor() of undefined -> undefined; {_, Set} -> lists:sort(Set) end),
        erlang:system_monitor(undefined)
    end, Options),
    Pid = spawn(?MODULE, waits, [{a, "b", <<"c">>}]),
    until_waiting(Pid),
    {backtrace, Text} = process_info(Pid, backtrace),
    see:value("backtrace", re:replace(Text, "0x[0-9a-f]{16}|\\+ [0-9]+\\)", "N", [global, {return, list}])),
    see:value("place", re:run(Text, "waits/1 \\+ [1-9][0-9]*\\)", [{capture, none}])),
    Queues = erlang:statistics(run_queues),
    see:value("run queues", {is_tuple(Queues), lists:all(fun is_integer/1, tuple_to_list(Queues)),
                             tuple_size(Queues) =:= erlang:system_info(schedulers) + 2}).

waits(Term) -> receive {stop, Term} -> ok end.

until_waiting(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), until_waiting(Pid)
    end.
