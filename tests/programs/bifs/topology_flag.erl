%% A topology given with +sct takes the place of the one that the system reports, and decides the order in which
%% schedulers would be bound: nodes around processors and within them, threads and cores with any numbers.
%% args: +sct L8-9c4,9p0n0:L0-3c0-3p1n0:L4,6t0-1c1n1p2:L5,7t5,3c7n2p2:L20,10c0-1n3p3:L11-13t0-2c2n4p3
-module(topology_flag).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    show(),
    %% Descriptions by a program: taken, or refused.
    [define(Topology) || Topology <- topologies()],
    erlang:system_flag(cpu_topology, undefined),
    show().

show() ->
    see:value(used, erlang:system_info(cpu_topology)),
    [see:value(Which, erlang:system_info({cpu_topology, Which})) || Which <- [defined, detected, used]],
    [see:value(Type, erts_debug:get_internal_state({fake_scheduler_bindings, Type})) || Type <- types()].

types() ->
    [unbound, no_spread, thread_spread, processor_spread, spread, no_node_thread_spread, no_node_processor_spread,
     thread_no_node_processor_spread, default_bind].

define(Topology) ->
    io:format("~p~n", [Topology]),
    case catch erlang:system_flag(cpu_topology, Topology) of
        {'EXIT', {Reason, _}} -> see:value(refused, Reason);
        _ -> show()
    end.

topologies() ->
    [[{node, [{processor, {logical, 0}}]}, {processor, [{node, {logical, 1}}]}],
     [{node, [{processor, [{core, {logical, C}} || C <- [0, 1]]}, {processor, [{core, {logical, C}} || C <- [2, 3]]}]},
      {processor, [{node, [{core, {logical, C}} || C <- [4, 5]]}, {node, [{core, {logical, C}} || C <- [6, 7]]}]}],
     [{processor, [{core, [{thread, {logical, T}} || T <- [9, 7]]}, {core, [{thread, {logical, T}} || T <- [1, 8]]}]}],
     [{thread, {logical, 0}}, {thread, {logical, 1}}],
     %% Only some have a node.
     [{processor, {logical, 0}}, {node, [{processor, {logical, 1}}]}],
     [{processor, [{core, {logical, 0}}, {node, {logical, 1}}]}],
     %% One number twice, a number that is none, nothing.
     [{processor, [{core, {logical, 0}}, {core, {logical, 0}}]}],
     [{core, {logical, 65536}}],
     []].
