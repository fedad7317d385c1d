%% Integers of hundreds to thousands of bits: powers modulo a number, division, gcd, and conversion to text.
-module(compute_big_integers).
-export([run/0]).

run() ->
    Modulus = (1 bsl 521) - 1,
    Powers = [power(3 + N, (1 bsl 512) - 12345 * N, Modulus) || N <- lists:seq(1, 12)],
    Product = lists:foldl(fun(P, Acc) -> P * Acc end, 1, Powers),
    Text = integer_to_list(Product),
    Product = list_to_integer(Text),
    {length(Text), gcd(Product, fibonacci(3000, 0, 1)), Product rem 1000003, inverse(Powers, Modulus)}.

power(_, 0, _) -> 1;
power(Base, Exponent, Modulus) when Exponent band 1 =:= 1 -> Base * power(Base, Exponent - 1, Modulus) rem Modulus;
power(Base, Exponent, Modulus) -> power(Base * Base rem Modulus, Exponent bsr 1, Modulus).

fibonacci(0, A, _) -> A;
fibonacci(N, A, B) -> fibonacci(N - 1, B, A + B).

gcd(A, 0) -> A;
gcd(A, B) -> gcd(B, A rem B).

inverse(Numbers, Modulus) ->
    lists:sum([1 || N <- Numbers, {I, _} <- [euclid(N, Modulus, 1, 0)], (I * N) rem Modulus =:= 1]).

euclid(0, _, _, Y) -> {Y, 0};
euclid(A, 0, X, _) -> {X, A};
euclid(A, B, X, Y) ->
    Q = A div B,
    euclid(B, A - Q * B, Y, X - Q * Y).
