%% What can be asked of the node and of processes from OTP 27 on, and the numbers that it has.
%% releases: 27
-module(asked_27).
-export([main/0]).

main() ->
    put(key, value), put({1.0, [x]}, #{a => b}),
    see:all([{{info, I}, fun() -> process_info(self(), I) end}
             || I <- [{dictionary, key}, {dictionary, {1.0, [x]}}, {dictionary, none}, {dictionary}, {dictionary, a, b},
                 {links, a},
                      [{dictionary, key}, registered_name, {dictionary, none}], [{dictionary, key}, {other, key}]]]),
    Pid = spawn_link(fun() -> put(far, [1, 2.5]), receive stop -> ok end end),
    apart:wait(fun() -> process_info(Pid, {dictionary, far}) =:= {{dictionary, far}, undefined} end, false, 400),
    see:value(far, process_info(Pid, {dictionary, far})),
    see:value(far, process_info(Pid, [{dictionary, far}, {dictionary, key}, priority])),
    Pid ! stop,
    limits(),
    integers(),
    zeros(),
    see:value(services, [net:getservbyname(N) || N <- ["no such service", "http"], is_list(N), N =/= "http"]).

limits() ->
    see:all([{{limit, L}, fun() -> process_flag(max_heap_size, L), process_info(self(), max_heap_size) end}
             || L <- [#{size => 100000, include_shared_binaries => true}, #{size => 0}, 90000,
                      #{size => 0, include_shared_binaries => maybe_so},
                      #{size => 0, include_shared_binaries => false}]]),
    Ended = fun(Shared) ->
        Limit = #{size => 20000, kill => true, error_logger => false, include_shared_binaries => Shared},
        {Pid, Ref} = spawn_opt(fun() -> B = binary:copy(<<1>>, 1000000), garbage_collect(), exit({B =/= <<>>}) end,
                               [monitor, {max_heap_size, Limit}]),
        receive {'DOWN', Ref, process, Pid, Reason} -> Reason end
    end,
    see:value(shared, [Ended(Shared) || Shared <- [false, true]]).

integers() ->
    Most = 65535 * 64,
    see:value(greatest, (1 bsl (Most - 1)) bsr (Most - 3)),
    [see:value(N, try F() bsr (Most - 3) catch C:R -> {C, R} end)
        || {N, F} <- [{shifted, fun() -> 1 bsl see:id(Most) end},
        {sum, fun() -> Half = 1 bsl see:id(Most - 1), Half + Half end},
        {product, fun() -> (1 bsl (Most div 2 + 1)) * (1 bsl see:id(Most div 2)) end},
        {read, fun() -> list_to_integer([$1 | lists:duplicate(Most div 4, $0)], 16) end},
        {matched, fun() -> Size = see:id(Most + 64), <<X:Size>> = <<1, 0:(Most + 56)>>, X end},
        {decoded, fun() -> binary:decode_unsigned(<<1, 0:Most>>) end},
        {external, fun() -> binary_to_term(<<131, 111, (Most div 8 + 8):32, 0, 1:(Most + 64)/little>>) end}]],
    see:value(asked, see:id(erlang:system_info(max_integer)) - (1 bsl (Most - 1)) =:= (1 bsl (Most - 1)) - 1).

zeros() ->
    {P, N} = {see:id(+0.0), see:id(-0.0)},
    see:value(equal, {P == N, P =:= N, P /= N, P =/= N, N < P, N =< P, {P} =:= {N}, [P] == [N],
        #{P => 1} =:= #{N => 1}}),
    see:value(ordered, {erts_internal:cmp_term(N, P), erts_internal:cmp_term(P, N), lists:sort([P, N]),
        lists:usort([P, N]), lists:member(P, [N]), [P] -- [N]}),
    M = #{P => p, N => n},
    see:value(keys, {map_size(M), maps:get(P, M), maps:get(N, M), maps:keys(M), maps:remove(P, M)}),
    Large = maps:from_list([{X, X} || X <- lists:seq(1, 40)] ++ [{P, p}, {N, n}]),
    see:value(large, {map_size(Large), maps:get(P, Large), maps:get(N, Large), map_size(maps:remove(N, Large)),
                      maps:is_key({P}, #{{N} => 1}), map_size(Large#{{P} => 1, {N} => 2})}),
    see:value(matched, [case X of +0.0 -> p; -0.0 -> n; _ -> other end || X <- [P, N, 0]]),
    see:value(hashed, {erlang:phash2(P) =:= erlang:phash2(N)}),
    see:value(abs, [abs(P), abs(N)]),
    see:value(tables, [begin T = ets:new(t, [Type]), ets:insert(T, [{P, p}, {N, n}]),
        {Type, lists:sort(ets:tab2list(T)), ets:lookup(T, P), ets:lookup(T, N), ets:match(T, {-0.0, '$1'}),
            ets:select(T, [{{'$1', '_'}, [{'=:=', '$1', +0.0}], ['$1']}])} end
        || Type <- [set, bag, ordered_set, duplicate_bag]]).
