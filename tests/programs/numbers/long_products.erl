%% Products of integers of all lengths beside each other, around those from which on factors are cut up, with runs of
%% zeros and ones in them. The numbers are told by their hashes.
-module(long_products).
-export([main/0]).

main() ->
    Lengths = [60, 1_700, 1_792, 1_800, 3_584, 6_400, 6_500, 20_000, 60_000, 200_000],
    [see:value({A, B}, products(A, B)) || A <- Lengths, B <- Lengths, A >= B],
    [see:value({edges, Length}, edges(Length)) || Length <- Lengths].

products(A, B) ->
    {X, Y} = {number(A, 1), number(B, 2)},
    Product = X * Y,
    {told(Product), told(-X * Y), told(-X * -Y), Product =:= Y * X, Product div Y =:= X, told(X * X)}.

edges(Length) ->
    Power = 1 bsl Length,
    Runs = runs(Length, 0),
    Odd = number(Length, 5) bor 1,
    [told(X * Y) || X <- [Power - 1, Power + 1, Runs, Odd], Y <- [Power - 1, Power + 1, Runs, Odd]].

%% Ones in some limbs, zeros in the next.
runs(Length, Number) when Length =< 0 -> Number;
runs(Length, Number) -> runs(Length - 448, Number bsl 448 bor ((1 bsl 192 - 1) bsl 100)).

number(Bits, Seed) ->
    Digests = [erlang:md5(<<Seed, Place:32>>) || Place <- lists:seq(1, Bits div 128 + 1)],
    binary:decode_unsigned(iolist_to_binary(Digests)) band (1 bsl Bits - 1).

told(Integer) ->
    {Integer < 0, erlang:md5(binary:encode_unsigned(abs(Integer)))}.
