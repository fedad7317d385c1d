%% Sizes at which implementations change their way: lists, binaries, maps and bigs around powers of two.
-module(trapping_sizes).
-export([main/0]).

main() ->
    Sizes = [0, 1, 2, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1000, 4095, 4096, 4097, 65535, 65536],
    [see:value(N, sized(N)) || N <- Sizes].

sized(N) ->
    L = lists:seq(1, N), B = binary:copy(<<"b">>, N), T = list_to_tuple(L),
    L = lists:reverse(lists:reverse(L)), L = tuple_to_list(T), L = (L ++ [x]) -- [x],
    B = list_to_binary(binary_to_list(B)), B = iolist_to_binary([B, <<>>, []]),
    M = maps:from_list([{X, X} || X <- L]), N = map_size(M), L = lists:sort(maps:keys(M)),
    L = lists:sort(maps:values(M)),
    L = binary_to_term(term_to_binary(L)), T = binary_to_term(term_to_binary(T)), M = binary_to_term(term_to_binary(M)),
    B = binary_to_term(term_to_binary(B)),
    self() ! {L, B, T, M}, receive {L, B, T, M} -> ok end,
    erlang:garbage_collect(),
    L = lists:sort(lists:reverse(L)), N = length(L), N = byte_size(B), N = tuple_size(T),
    true = lists:member(N, L) orelse N =:= 0,
    {erlang:phash2(L), erlang:phash2(B), erlang:phash2(T), erlang:phash2(M), lists:sum(L)}.
