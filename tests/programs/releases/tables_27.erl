%% What OTP 27 does otherwise than 25 with tables: the order in which a list comes into a bag, what errors tell, and the
%% functions of match specifications; and with bit strings and funs.
%% releases: 27
-module(tables_27).
-export([main/0]).

main() ->
    [begin
         T = ets:new(t, [K]),
         ets:insert(T, [{a, N} || N <- [1, 2, 3]]),
         ets:insert(T, {a, 4}),
         see:value(K, {ets:lookup(T, a), ets:lookup_element(T, a, 2), ets:match(T, {a, '$1'}), ets:take(T, a)})
     end || K <- [bag, duplicate_bag]],
    S = ets:new(s, []),
    ets:insert(S, {k, 1, 2}),
    see:all([{{element, X}, fun() -> ets:update_element(S, k, X) end}
             || X <- [{5, 1}, {1, x}, {0, 1}, {-1, 2}, [{2, 1}, {9, 1}], {2}, foo, {a, 1}]]),
    see:all([{{counter, X}, fun() -> ets:update_counter(S, k, X) end}
             || X <- [{5, 1}, {1, 1}, {0, 1}, [{2, 1}, {9, 1}], {2}, foo, {a, 1}]]),
    % Without changes, an empty default would end stock 27.
    see:all([{{default, X, D}, fun() -> ets:update_element(S, z, X, D) end}
             || {X, D} <- [{{5, 1}, {z, 1}}, {64, {}}, {{1, 1}, {}}, {{2, x}, {}}, {{2, x}, {z}}, {{2, x}, {z, y}}]]),
    see:value(left, lists:sort(ets:tab2list(S))),
    see:all([{{guard, G},
        fun() -> ets:test_ms({1, [a], 2.5, true, fun lists:seq/2}, [{{'$1', '$2', '$3', '$4', '$5'}, [], [G]}]) end}
             || G <- [{max, '$1', 5}, {min, '$1', 0.5}, {max, 1.0, '$1'}, {min, 1.0, '$1'}, {ceil, '$3'}, {floor, '$3'},
                 {ceil, '$2'}, {is_bitstring, '$1'},
                      {is_bitstring, <<1:3>>}, {is_boolean, '$4'}, {is_boolean, '$1'}, {is_function, '$5', 2},
                      {is_function, '$5', 3}, {is_function, '$5', a},
                      {tuple_size, '$_'}, {tuple_size, '$1'}, {max, '$1'}, {unknown, '$1'}]]),
    see:fails([fun() -> binary:part(<<1, 2:3>>, 0, 1) end, fun() -> binary_part(see:id(<<1, 2:3>>), {0, 1}) end,
               fun() -> erlang:decode_packet(line, <<10, 1:3>>, []) end]),
    see:value(maker, erlang:fun_info(fun() -> ok end, pid) =:= {pid, whereis(init)}).
