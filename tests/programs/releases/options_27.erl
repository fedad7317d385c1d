%% Options, flags and formats that are called as before and do more from OTP 27 on.
%% releases: 27
-module(options_27).

-export([main/0]).

main() ->
    %% A port of another node has one format, whatever its number.
    see:value(port, term_to_binary(binary_to_term(<<131, 120, 119, 3, "a@b", 1:64, 1:32>>))),
    see:value(size, erlang:external_size(binary_to_term(<<131, 120, 119, 3, "a@b", 1:64, 1:32>>))),
    %% How long a node that halts may write.
    see:value(limit, erlang:system_info(halt_flush_timeout)),
    [see:value({halt, Options}, refused(Options))
     || Options <- [[{flush_timeout, -1}], [{flush_timeout, x}], [{flush_timeout, infinity}], [{flush, x}], [x],
                    [{flush, false} | x], [{flush_timeout, 10}, x]]],
    %% Whether a process waits for a busy connection.
    see:value(node, erlang:system_info(async_dist)),
    see:value(before, process_info(self(), async_dist)),
    see:value(was, process_flag(async_dist, true)),
    see:value(now, process_info(self(), async_dist)),
    see:value(back, process_flag(async_dist, false)),
    %% Whether shared binaries count in the largest heap.
    see:value(heap, erlang:system_info(max_heap_size)),
    %% A map in the key of a match specification is a pattern.
    [see:value(Type, by_maps_in_keys(Type)) || Type <- [set, bag, ordered_set]].

by_maps_in_keys(Type) ->
    T = ets:new(t, [Type]),
    [ets:insert(T, {Key, old}) || M <- [#{}, #{k => v}, #{k => v, z => 3}, #{k => w}], Key <- [{M, r}, M, [M]]],
    Found = [lists:sort(ets:select(T, [{{Key, '_'}, [], ['$_']}]))
             || Key <- [{#{}, r}, {#{k => v}, r}, #{k => v}, [#{z => 3}], {#{k => '_'}, r}, {#{none => 1}, r}]],
    Two = ets:select_count(T, [{{{#{k => v}, r}, '_'}, [], [true]}, {{[#{}], '_'}, [], [true]}]),
    Objects = length(ets:match_object(T, {{#{}, r}, '_'})),
    Replaced = Type =/= bag andalso
        ets:select_replace(T, [{{{#{}, r}, '$1'}, [], [{{{element, 1, '$_'}, new}}]}]),
    Deleted = ets:select_delete(T, [{{{#{k => v}, r}, '_'}, [], [true]}]),
    true = ets:match_delete(T, {#{k => v}, '_'}),
    {Found, Two, Objects, Replaced, Deleted, ets:info(T, size)}.

refused(Options) ->
    try halt(9, Options)
    catch
        error:Reason:Stack -> {Reason, element(4, hd(Stack))}
    end.
