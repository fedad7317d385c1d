%% Maps made from nothing with constant keys of every kind, in every order, with room on the heap and without; keys
%% asked for in guards; records updated one element after the other.
-module(maps_of_constants).
-export([main/0]).

-record(r, {a = 1, b = 2, c = 3, d = 4, e}).

main() ->
    see:value(orders, [abc(1, 2, 3), cab(1, 2, 3), abc(1, 2, 3) =:= cab(1, 2, 3)]),
    see:value(kinds, kinds(x, [y], {z})),
    see:value(kinds_listed, lists:sort(maps:to_list(kinds(1, 2, 3)))),
    see:value(numbers, numbers(q)),
    see:value(nested, nested(7)),
    see:value(full, {map_size(full(0)), lists:sum(maps:values(full(3)))}),
    see:value(more, {map_size(more(0)), lists:sum(maps:values(more(3)))}),
    see:value(variable, variable(b, 1)),
    see:value(many, length([M || M <- many(5000, []), M =:= abc(5, 6, 7)])),
    see:value(many_sum, lists:sum([C || #{c := C} <- many(5000, [])])),
    see:value(updated, [(abc(1, 2, 3))#{b := x}, (abc(1, 2, 3))#{d => x}, (abc(1, 2, 3))#{a => y, aa => z}]),
    see:value(literal, [maps:put(k, N, lit(N)) || N <- [1, 2]]),
    Maps = [#{}, abc(1, 2, 3), #{{a} => 1}, #{1.0 => x}, #{1 => x}, maps:from_list([{I, I} || I <- lists:seq(1, 50)]),
        nothing, [], {}],
    Keys = [a, {a}, 1, 1.0, "a", 50],
    see:value(has, [[has(K, M) || K <- Keys] || M <- Maps]),
    see:value(gets, [[gets(K, M) || K <- Keys] || M <- Maps]),
    see:value(is_key, [[(catch id(is_map_key(K, id(M)))) =:= true || K <- Keys] || M <- Maps]),
    see:fails([fun() -> is_map_key(a, id(nothing)) end, fun() -> map_get(a, id([])) end,
        fun() -> map_get(z, id(#{a => 1})) end]),
    see:value(records, records(20, #r{})),
    see:value(record, [set(2, x), set(5, x), setelement(id(6), #r{}, last)]),
    see:fails([fun() -> setelement(id(0), {a}, x) end, fun() -> setelement(id(2), {a}, x) end,
        fun() -> setelement(id(a), {a}, x) end,
               fun() -> setelement(id(1), id([a]), x) end, fun() -> setelement(id(1), {}, x) end,
                   fun() -> setelement(1 bsl 70, {a}, x) end]),
    see:value(big_tuple, [begin T = erlang:make_tuple(N, a), T2 = setelement(N, T, b),
        {tuple_size(T2), element(1, T2), element(N, T2)} end || N <- [2, 100, 5000]]),
    see:value(reversed, [lists:reverse(L, T) || L <- [[], [a], "abc"], T <- [[], [z], z]]),
    see:value(reversed_long, begin R = lists:reverse(lists:seq(1, 300000)), {hd(R), length(R), lists:last(R)} end),
    see:fails([fun() -> lists:reverse(id([a | b]), []) end, fun() -> lists:reverse(id(a), []) end]),
    see:value(tuple_keys, tuple_keys(20)).

abc(A, B, C) -> #{a => A, b => B, c => C}.
cab(A, B, C) -> #{c => C, a => A, b => B}.

kinds(A, B, C) ->
    #{"list" => A, {tuple, 1} => B, <<"binary">> => C, [] => A, 1 => B, 1.0 => C, atom => A,
        1267650600228229401496703205376 => B,
      #{map => 1} => C, -5 => A, 'Atom' => B}.

numbers(Q) -> #{3 => Q, 1 => Q, 2.0 => Q, 2 => Q, -1 => Q, 1.5 => Q}.

nested(X) -> #{b => #{y => X, x => [X]}, a => #{y => X, x => #{}}}.

full(N) ->
    #{k1 => N, k2 => N, k3 => N, k4 => N, k5 => N, k6 => N, k7 => N, k8 => N, k9 => N, k10 => N, k11 => N, k12 => N,
        k13 => N,
      k14 => N, k15 => N, k16 => N, k17 => N, k18 => N, k19 => N, k20 => N, k21 => N, k22 => N, k23 => N, k24 => N,
      k25 => N,
      k26 => N, k27 => N, k28 => N, k29 => N, k30 => N, k31 => N, k32 => N}.

more(N) ->
    #{k1 => N, k2 => N, k3 => N, k4 => N, k5 => N, k6 => N, k7 => N, k8 => N, k9 => N, k10 => N, k11 => N, k12 => N,
        k13 => N,
      k14 => N, k15 => N, k16 => N, k17 => N, k18 => N, k19 => N, k20 => N, k21 => N, k22 => N, k23 => N, k24 => N,
      k25 => N,
      k26 => N, k27 => N, k28 => N, k29 => N, k30 => N, k31 => N, k32 => N, k33 => N}.

variable(K, V) -> #{K => V, a => V, c => K}.

lit(_) -> #{z => 1, y => 2}.

many(0, Found) -> Found;
many(N, Found) -> many(N - 1, [#{b => N rem 2 + 6, a => 5, c => 7 - N rem 3} | Found]).

has(K, M) when is_map_key(K, M) -> true;
has(_, _) -> false.

gets(K, M) when map_get(K, M) =/= false -> map_get(K, M);
gets(_, _) -> none.

records(0, R) -> R;
records(N, R = #r{a = A, b = B}) -> records(N - 1, R#r{a = A + 1, b = [A | B], e = {N, R#r.c}}).

set(N, X) -> setelement(N, setelement(N + 1, #r{}, [X]), X).

tuple_keys(N) ->
    M = lists:foldl(fun(I, M) -> M#{{var, I} => I} end, #{}, lists:seq(N, 1, -1)),
    M2 = lists:foldl(fun(I, M1) -> M1#{{var, I, x} => I, {[I]} => I, {var, I} := -I} end, M, lists:seq(1, 4)),
    {M, M2, [maps:get({var, I}, M2, none) || I <- [0, 1, 5, 20, 21]], maps:get({[3]}, M2, none),
        maps:get({[5]}, M2, none)}.

id(X) -> X.
