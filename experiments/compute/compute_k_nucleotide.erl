%% Short pieces of a long DNA, counted in maps with binaries as keys.
-module(compute_k_nucleotide).
-export([run/0]).

run() ->
    Dna = dna(20000, 42, <<>>),
    Frequent = [lists:sublist(sorted(count(Dna, Length, #{})), 8) || Length <- [1, 2, 4, 8]],
    Twelve = count(Dna, 12, #{}),
    {Frequent, map_size(Twelve), maps:get(binary:part(Dna, 100, 12), Twelve)}.

dna(0, _, Done) -> Done;
dna(N, Seed, Done) ->
    Next = (Seed * 3877 + 29573) rem 139968,
    dna(N - 1, Next, <<Done/binary, (letter(Next))>>).

letter(X) when X < 42000 -> $A;
letter(X) when X < 70000 -> $C;
letter(X) when X < 98000 -> $G;
letter(_) -> $T.

count(Dna, Length, Counts) when byte_size(Dna) >= Length ->
    <<Piece:Length/binary, _/binary>> = Dna,
    <<_, Rest/binary>> = Dna,
    count(Rest, Length, maps:update_with(Piece, fun(N) -> N + 1 end, 1, Counts));
count(_, _, Counts) ->
    Counts.

sorted(Counts) ->
    lists:sort(fun({A, N}, {B, M}) -> {M, A} =< {N, B} end, maps:to_list(Counts)).
