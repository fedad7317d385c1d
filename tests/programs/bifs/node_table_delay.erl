%% How long a node that nothing refers to stays in the table of nodes, as told by a flag.
%% args: +zdntgc 7
-module(node_table_delay).
-export([main/0]).

main() ->
    see:value("seconds", erlang:system_info(delayed_node_table_gc)).
