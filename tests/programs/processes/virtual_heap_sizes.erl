%% The least virtual heap of shared binaries: as a flag, of a process and of the node.
%% args: +hmbs 100
-module(virtual_heap_sizes).
-export([main/0]).

main() ->
    io:format("~p~n", [erlang:system_info(min_bin_vheap_size)]),
    Sizes = [0, 1, 12, 13, 100, 142, 143, 5000, 46422, 46423, 1_000_000],
    [of_process(Size) || Size <- Sizes],
    [of_node(Size) || Size <- Sizes],
    [of_process(Size) || Size <- [1, 2_000_000]],
    io:format("~p~n", [catch erlang:system_flag(min_bin_vheap_size, -1)]).

of_process(Size) ->
    Before = process_flag(min_bin_vheap_size, Size),
    {garbage_collection, Mine} = process_info(self(), garbage_collection),
    Now = proplists:get_value(min_bin_vheap_size, Mine),
    io:format("~p: ~p then ~p~n", [Size, Before, Now]).

of_node(Size) ->
    io:format("node ~p: ~p~n", [Size, erlang:system_flag(min_bin_vheap_size, Size)]).
