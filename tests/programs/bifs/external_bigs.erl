%% Large terms in the external format: big integers, long strings, big tuples, large maps.
-module(external_bigs).
-export([main/0]).

main() ->
    Terms = [{bits, (1 bsl N) - 1} || N <- [8, 60, 64, 2039, 2040, 2041, 20000]] ++
        [{neg, -(1 bsl N)} || N <- [63, 64, 2040]] ++
            [{string, lists:duplicate(N, $a)} || N <- [255, 256, 65535, 65536]] ++
                [{tuple, list_to_tuple(lists:seq(1, N))} || N <- [255, 256, 70000]] ++
            [{atom, list_to_atom(lists:duplicate(N, $a))} || N <- [255]] ++
                [{wide, list_to_atom(lists:duplicate(N, 16#3bb))} || N <- [127, 128, 255]] ++
            [{map, maps:from_list([{X, X} || X <- lists:seq(1, N)])} || N <- [32]] ++
                [{binary, binary:copy(<<"x">>, N)} || N <- [63, 64, 65, 100000]],
    [begin B = term_to_binary(T),
        io:format("~w ~w ~w ~w ~w~n", [K, byte_size(B), binary:part(B, 0, min(8, byte_size(B))), erlang:phash2(B),
        binary_to_term(B) =:= T]) end || {K, T} <- Terms],
    Big = maps:from_list([{{k, X}, X} || X <- lists:seq(1, 1000)]),
    see:value(big_map, begin B2 = term_to_binary(Big), {byte_size(B2), binary_to_term(B2) =:= Big} end),
    see:value(external_size, [erlang:external_size(T) - byte_size(term_to_binary(T))
        || {_, T} <- Terms] -- lists:duplicate(length(Terms), 0)),
    see:value(iovec, [iolist_to_binary(term_to_iovec(T)) =:= term_to_binary(T) || {_, T} <- Terms]).
