%% Guards: every test and guard function, failing quietly on wrong types.
-module(guards).
-export([main/0]).
-record(r, {a, b}).

main() ->
    Terms = [a, true, false, 1, 0, -5, 1 bsl 70, 1.5, -0.0, [], [1], [1, 2, 3], [a | b], "str", {}, {1}, {a, b, c},
        #r{a = 1},
             {r, 1}, #{}, #{a => 1}, #{1 => 2}, <<>>, <<1>>, <<1:3>>, <<1, 2, 3>>, self(), make_ref(), fun main/0,
             fun(X) -> X end,
             fun lists:map/2],
    [io:format("~s ~0p~n", [kind(T), [Name || {Name, F} <- tests(), F(T)]]) || T <- Terms].

kind(T) when is_pid(T); is_reference(T); is_function(T) -> "opaque";
kind(T) -> io_lib:format("~0p", [T]).

tests() ->
    [{is_atom, fun(T) when is_atom(T) -> true; (_) -> false end},
     {is_boolean, fun(T) when is_boolean(T) -> true; (_) -> false end},
     {is_integer, fun(T) when is_integer(T) -> true; (_) -> false end},
     {is_float, fun(T) when is_float(T) -> true; (_) -> false end},
     {is_number, fun(T) when is_number(T) -> true; (_) -> false end},
     {is_list, fun(T) when is_list(T) -> true; (_) -> false end},
     {is_tuple, fun(T) when is_tuple(T) -> true; (_) -> false end},
     {is_map, fun(T) when is_map(T) -> true; (_) -> false end},
     {is_binary, fun(T) when is_binary(T) -> true; (_) -> false end},
     {is_bitstring, fun(T) when is_bitstring(T) -> true; (_) -> false end},
     {is_pid, fun(T) when is_pid(T) -> true; (_) -> false end},
     {is_port, fun(T) when is_port(T) -> true; (_) -> false end},
     {is_reference, fun(T) when is_reference(T) -> true; (_) -> false end},
     {is_function, fun(T) when is_function(T) -> true; (_) -> false end},
     {is_function_1, fun(T) when is_function(T, 1) -> true; (_) -> false end},
     {is_function_size, fun(T) when is_function(T, tuple_size({1, 2})) -> true; (_) -> false end},
     {is_record, fun(T) when is_record(T, r) -> true; (_) -> false end},
     {is_record_3, fun(T) when is_record(T, r, 2) -> true; (_) -> false end},
     {field, fun(T) when T#r.a =:= 1 -> true; (_) -> false end},
     {is_map_key, fun(T) when is_map_key(a, T) -> true; (_) -> false end},
     {map_get, fun(T) when map_get(1, T) =:= 2 -> true; (_) -> false end},
     {map_size, fun(T) when map_size(T) =:= 0 -> true; (_) -> false end},
     {length, fun(T) when length(T) >= 1 -> true; (_) -> false end},
     {hd, fun(T) when hd(T) =:= 1 -> true; (_) -> false end},
     {tl, fun(T) when tl(T) =:= [] -> true; (_) -> false end},
     {tuple_size, fun(T) when tuple_size(T) > 1 -> true; (_) -> false end},
     {element, fun(T) when element(1, T) =:= a -> true; (_) -> false end},
     {byte_size, fun(T) when byte_size(T) =:= 1 -> true; (_) -> false end},
     {bit_size, fun(T) when bit_size(T) < 8 -> true; (_) -> false end},
     {size, fun(T) when size(T) =:= 3 -> true; (_) -> false end},
     {binary_part, fun(T) when binary_part(T, 1, 2) =:= <<2, 3>> -> true; (_) -> false end},
     {abs, fun(T) when abs(T) =:= 5 -> true; (_) -> false end},
     {round, fun(T) when round(T) =:= 2 -> true; (_) -> false end},
     {trunc, fun(T) when trunc(T) =:= 0 -> true; (_) -> false end},
     {ceil_floor, fun(T) when ceil(T) - floor(T) =:= 1 -> true; (_) -> false end},
     {float, fun(T) when float(T) == 1.0 -> true; (_) -> false end},
     {plus, fun(T) when T + 1 > 0 -> true; (_) -> false end},
     {divided, fun(T) when 10 div T < 0 -> true; (_) -> false end},
     {bits, fun(T) when T band 1 =:= 1 -> true; (_) -> false end},
     {negated, fun(T) when not T -> true; (_) -> false end},
     {self, fun(T) when T =:= self() -> true; (_) -> false end},
     {node, fun(T) when node(T) =:= node() -> true; (_) -> false end},
     {either, fun(T) when T =:= 1; length(T) =:= 1; tuple_size(T) =:= 1 -> true; (_) -> false end},
     {orelse_used, fun(T) when is_atom(T) orelse hd(T) =:= 1 -> true; (_) -> false end},
     {or_used, fun(T) when is_atom(T) or (hd(T) =:= 1) -> true; (_) -> false end},
     {xor_used, fun(T) when is_atom(T) xor is_boolean(T) -> true; (_) -> false end},
     {andalso_used, fun(T) when is_tuple(T) andalso element(1, T) =/= r -> true; (_) -> false end},
     {equal, fun(T) when T == 0 -> true; (_) -> false end},
     {less, fun(T) when T < a -> true; (_) -> false end},
     {between, fun(T) when {} =< T, T < #{} -> true; (_) -> false end}].
