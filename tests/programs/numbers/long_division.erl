%% Quotients and remainders of integers of up to 400,000 bits, of all lengths beside each other, and some that are
%% nearly as large as a power of two or a multiple of the divisor. The numbers are told by their hashes.
-module(long_division).
-export([main/0]).

main() ->
    Lengths = [100, 4_000, 8_190, 8_250, 33_000, 120_000],
    [see:value({Of, By}, divided(number(Of, 1), number(By, 2))) || Of <- Lengths, By <- Lengths],
    [see:value({edges, Length}, edges(Length)) || Length <- Lengths],
    see:value(large, divided(number(400_000, 3), number(150_000, 4))).

divided(A, B) ->
    {Quotient, Rest} = {A div B, A rem B},
    {Quotient * B + Rest =:= A, Rest < B, told(Quotient), told(Rest), told(-A div B), told(-A rem B)}.

edges(Length) ->
    Power = 1 bsl Length,
    Odd = number(Length, 5) bor 1,
    Dividends = [Odd * Odd, Odd * Odd - 1, Odd * Odd + Odd - 1, Power * Power - 1, Power * Odd, Odd * (Power - 1)],
    [{told(A div B), told(A rem B)} || A <- Dividends, B <- [Odd, Power - 1, Power + 1, Power bsr 1 + 1]].

number(Bits, Seed) ->
    Digests = [erlang:md5(<<Seed, Place:32>>) || Place <- lists:seq(1, Bits div 128 + 1)],
    binary:decode_unsigned(iolist_to_binary(Digests)) band (1 bsl Bits - 1).

told(Integer) ->
    {Integer < 0, erlang:md5(binary:encode_unsigned(abs(Integer)))}.
