%% What OTP 27 does otherwise with tables than 25: the order in which a list comes into a bag, and what errors tell.
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
    see:all([{{default, X, D}, fun() -> ets:update_element(S, z, X, D) end}
             || {X, D} <- [{{5, 1}, {z, 1}}, {{2, x}, {}}, {{2, x}, {z}}, {{2, x}, {z, y}}]]),
    see:value(left, lists:sort(ets:tab2list(S))).
