%% Conversions between types, with their errors.
-module(conversions).
-export([main/0]).

main() ->
    see:value(list_to_binary, [list_to_binary(L) || L <- [[], [1, 2], ["a", [<<"b">>, $c]], [<<1>> | <<2>>], [[[[]]]]]]),
    see:value(iolist, [iolist_to_binary(<<"x">>), iolist_to_binary(["a" | <<"b">>]), iolist_size([1, 2, <<3, 4>>, [5]]), erlang:iolist_to_iovec(["ab", <<"cd">>])]),
    see:value(big_iolist, begin L = lists:duplicate(1000, [<<"0123456789">>, "abc", 65, [[<<>>]]]), {iolist_size(L), erlang:phash2(iolist_to_binary(L))} end),
    see:value(iovec, begin V = erlang:iolist_to_iovec([binary:copy(<<"x">>, 1000), "small", binary:copy(<<"y">>, 500), 1, 2]), {iolist_size(V), lists:all(fun is_binary/1, V)} end),
    see:value(binary_to_list, [binary_to_list(<<1, 2, 3>>), binary_to_list(<<1, 2, 3, 4>>, 2, 3)]),
    see:value(split, [split_binary(<<1, 2, 3>>, N) || N <- [0, 1, 3]]),
    see:value(part, [binary_part(<<1, 2, 3, 4>>, 1, 2), binary_part(<<1, 2, 3, 4>>, {4, -2})]),
    see:value(tuples, [list_to_tuple([]), list_to_tuple([1, a]), tuple_to_list({x, y})]),
    see:value(bitstrings, [list_to_bitstring([<<1:1>>, 2, [<<3:7>>]]), bitstring_to_list(<<1, 2:3>>)]),
    see:value(atoms, [atom_to_list(abc), list_to_atom("x y"), atom_to_binary(z), binary_to_atom(<<"q">>), binary_to_existing_atom(<<"main">>)]),
    see:value(pids, begin P = self(), L2 = pid_to_list(P), {list_to_pid(L2) =:= P, hd(L2), lists:last(L2)} end),
    see:value(pid_fields, [list_to_pid("<0.1.0>") =:= list_to_pid("<0.1.0>"), pid_to_list(list_to_pid("<0.5.0>"))]),
    see:value(refs, begin R = make_ref(), {list_to_ref(ref_to_list(R)) =:= R, string:prefix(ref_to_list(R), "#Ref<") =/= nomatch} end),
    see:value(ports, begin Po = open_port({spawn, "cat"}, []), list_to_port(port_to_list(Po)) =:= Po end),
    see:value(funs, [erlang:fun_to_list(fun lists:map/2), string:slice(erlang:fun_to_list(fun() -> ok end), 0, 17)]),
    see:value(truncations, [list_to_integer("12"), float(1), trunc(2.9), round(2.5)]),
    see:value(booleans, [is_boolean(X) || X <- [true, false, x]]),
    see:fails([fun() -> list_to_binary(see:id([256])) end, fun() -> list_to_binary(see:id([-1])) end, fun() -> list_to_binary(see:id([a])) end, fun() -> list_to_binary(see:id([1 | 2])) end, fun() -> list_to_binary(see:id([<<1:1>>])) end,
               fun() -> list_to_binary(see:id(<<1>>)) end, fun() -> iolist_to_binary(see:id([[1 | 2]])) end, fun() -> iolist_size(see:id([x])) end, fun() -> binary_to_list(see:id(<<1:1>>)) end, fun() -> binary_to_list(<<1, 2>>, 2, 1) end,
               fun() -> split_binary(<<1>>, 2) end, fun() -> list_to_pid(see:id("<0.0>")) end, fun() -> list_to_pid(see:id(["x"])) end, fun() -> list_to_ref("#Ref<x>") end, fun() -> list_to_port("#Port<>") end,
               fun() -> bitstring_to_list(see:id([1])) end, fun() -> list_to_bitstring(see:id([300])) end, fun() -> pid_to_list(see:id(x)) end, fun() -> ref_to_list(see:id(x)) end]).
