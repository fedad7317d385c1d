%% Collections that are made long for a test, and who is told of them.
-module(delayed_collections).
-export([main/0]).

main() ->
    erts_debug:set_internal_state(available_internal_state, true),
    Me = self(),
    see:value(before, erlang:system_monitor(Me, [{long_gc, 10}])),
    see:value(short, told()),
    erts_debug:set_internal_state(test_long_gc_sleep, 30),
    see:value(long, told()),
    see:that(bad, fun() -> erts_debug:set_internal_state(test_long_gc_sleep, -1) end),
    erts_debug:set_internal_state(test_long_gc_sleep, 0),
    see:value(short, told()),
    erlang:system_monitor(undefined).

%% What the monitor is told of a small process that collects.
told() ->
    {Pid, Monitor} = spawn_monitor(fun() -> erlang:garbage_collect() end),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    receive {monitor, Pid, long_gc, [{timeout, Ms} | _]} -> {long_gc, Ms >= 30} after 0 -> nothing end.
