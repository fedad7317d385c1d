%% List comprehensions: Pythagorean triples, permutations, quicksort, a sieve.
-module(compute_comprehensions).
-export([run/0]).

run() ->
    {length(triples(120)), length(permutations([1, 2, 3, 4, 5, 6, 7, 8])), length(sort(numbers(20000, 7, []))),
     length(sieve(lists:seq(2, 6000)))}.

triples(N) ->
    [{A, B, C} || A <- lists:seq(1, N), B <- lists:seq(A, N), C <- lists:seq(B, N), A * A + B * B =:= C * C].

permutations([]) -> [[]];
permutations(List) -> [[H | T] || H <- List, T <- permutations(List -- [H])].

sort([]) -> [];
sort([Pivot | Rest]) ->
    sort([X || X <- Rest, X < Pivot]) ++ [Pivot] ++ sort([X || X <- Rest, X >= Pivot]).

numbers(0, _, Done) -> Done;
numbers(N, Seed, Done) -> numbers(N - 1, Seed * 16807 rem 2147483647, [Seed | Done]).

sieve([]) -> [];
sieve([Prime | Rest]) -> [Prime | sieve([N || N <- Rest, N rem Prime =/= 0])].
