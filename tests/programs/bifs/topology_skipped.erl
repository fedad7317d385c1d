%% With +ssrct the system is not asked how its processors are arranged, so nothing is known until a program says it.
%% args: +ssrct
-module(topology_skipped).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    show(),
    see:value(bind, catch erlang:system_flag(scheduler_bind_type, spread)),
    erlang:system_flag(cpu_topology, [{core, {logical, 3}}, {core, {logical, 1}}]),
    show().

show() ->
    see:value(used, erlang:system_info(cpu_topology)),
    [see:value(Which, erlang:system_info({cpu_topology, Which})) || Which <- [defined, detected, used]],
    see:value(order, erts_debug:get_internal_state({fake_scheduler_bindings, spread})).
