%% Maps up to 32 keys: construction, update, matching, order.
-module(small_maps).
-export([main/0]).

main() ->
    E = see:id(#{}), M = see:id(#{a => 1, b => 2, "c" => 3, {d} => 4, 5 => 5, 6.0 => 6, <<"seven">> => 7}),
    see:value(empty, {E, map_size(E), E =:= #{}}),
    see:value(map, M),
    see:value(sizes, [map_size(M), map_size(M#{a => x}), map_size(M#{z => x})]),
    see:value(assoc, E#{k => 1, k => 2}),
    see:value(exact, M#{a := one, b := two}),
    see:value(both, M#{a := one, new => added}),
    see:value(keys_of_types, #{1 => int, 1.0 => float, "1" => string, '1' => atom, <<"1">> => binary, [1] => list,
        {1} => tuple, #{} => map}),
    see:value(get, [maps:get(K, M, none) || K <- [a, "c", {d}, 5, 5.0, 6.0, 6, <<"seven">>, missing]]),
    #{a := A, {d} := D} = M, see:value(matched, {A, D}),
    K = see:id(b), #{K := V} = M, see:value(variable_key, V),
    see:value(match_many, [f(X) || X <- [#{type => a, v => 1}, #{type => b, v => 2}, #{type => b}, #{}, #{v => 3},
        not_map]]),
    see:value(nested, begin N = #{x => #{y => #{z => deep}}}, #{x := #{y := #{z := Z}}} = N, Z end),
    see:value(nested_update, (fun(#{x := X} = N) -> N#{x := X#{y => 2}} end)(#{x => #{y => 1}})),
    see:before(26, order, fun() -> maps:to_list(#{c => 1, a => 2, b => 3, 1 => 4, "s" => 5, 2.5 => 6}) end),
    see:value(compare, [#{a => 1} < #{a => 2}, #{a => 1} < #{b => 0}, #{a => 1, b => 2} > #{c => 3},
        #{1 => a} < #{1.0 => a}, #{a => 1} == #{a => 1.0}, #{a => 1} =:= #{a => 1.0}]),
    see:value(thirty_two, [map_size(maps:from_list([{N, N} || N <- lists:seq(1, S)])) || S <- [31, 32, 33]]),
    see:value(print, #{list => [1, 2], tuple => {a}, map => #{1 => #{}}, str => "x", bin => <<1>>}),
    see:value(keys_from_call, #{see:id(x) => see:id(1), see:id(y) => see:id(2)}),
    see:value(literal_update, #{a => 1, b => 2}#{b := 3, c => 4}),
    see:value(shared, begin X1 = #{a => 1, b => 2}, X2 = X1#{a := 9}, {X1, X2, lists:sort(maps:keys(X2))} end),
    see:fails([fun() -> E#{a := 1} end, fun() -> (see:id(x))#{a => 1} end, fun() -> (see:id([]))#{a := 1} end,
        fun() -> #{a := _} = E end, fun() -> maps:get(z, M) end,
               fun() -> map_get(z, E) end, fun() -> map_size(see:id(x)) end, fun() -> is_map_key(a, see:id(x)) end]).

f(#{type := a, v := V}) -> {a, V};
f(#{type := b, v := V}) when V > 1 -> {b, V};
f(#{type := T}) -> {type, T};
f(#{} = M) when map_size(M) =:= 0 -> empty;
f(#{v := V}) -> {v, V};
f(X) -> X.
