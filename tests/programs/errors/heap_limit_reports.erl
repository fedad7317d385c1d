%% What the machine itself reports of a heap that passes its limit: the words, and what stands behind them.
-module(heap_limit_reports).
-export([main/0, log/2]).

main() ->
    ok = logger:set_primary_config(level, all),
    ok = logger:add_handler(?MODULE, ?MODULE, #{config => self()}),
    logger:remove_handler(default),
    [report(Limit) || Limit <- [#{size => 2000}, #{size => 2000, kill => true, error_logger => true}, 2000]],
    report(#{size => 2000, kill => false, error_logger => true}),
    see:value(none, silent(#{size => 2000, kill => true, error_logger => false})).

log(Event, #{config := Pid}) -> Pid ! {event, Event}.

report(Limit) ->
    {Pid, Ref} = grows(Limit),
    receive
        {event, #{level := Level, msg := {Format, Args}, meta := #{pid := Pid, error_logger := Where}}} ->
            see:value(Limit, {Level, Format, Where}),
            [Pid, Max, Total, Kill, Log, Messages, Info | Stack] = Args,
            see:value(arguments, {Max, is_integer(Total), Kill, Log, Messages, [{N, is_integer(V)} || {N, V} <- Info],
                is_list(Stack)})
    end,
    receive {'DOWN', Ref, process, Pid, Reason} -> see:value(ended, Reason) end,
    flush().

silent(Limit) ->
    {Pid, Ref} = grows(Limit),
    receive {'DOWN', Ref, process, Pid, Reason} -> Reason end,
    %% Those of the process before may still come.
    receive {event, #{meta := #{pid := Pid}} = E} -> E after 0 -> none end.

flush() -> receive {event, _} -> flush() after 0 -> ok end.

grows(Limit) ->
    spawn_monitor(fun() -> process_flag(max_heap_size, Limit), exit({length(lists:seq(1, 20000))}) end).
