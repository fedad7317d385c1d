%% As node_table_delay: a node may stay for ever.
%% args: +zdntgc infinity
-module(node_table_for_ever).
-export([main/0]).

main() ->
    see:value("seconds", erlang:system_info(delayed_node_table_gc)).
