%% Integers out of binaries: every size, signedness, endianness and bit offset.
-module(match_integers).
-export([main/0]).

main() ->
    B = see:id(<<16#f1, 16#23, 16#45, 16#67, 16#89, 16#ab, 16#cd, 16#ef, 16#f0, 16#12, 16#34, 16#56, 16#78, 16#9a,
        16#bc, 16#de, 16#f8>>),
    Sizes = [0, 1, 3, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40, 48, 58, 59, 60, 61, 63, 64, 65, 72, 100, 127, 128],
    [io:format("~w ~w~n", [Off, [{S, f(B, Off, S)} || S <- Sizes]]) || Off <- lists:seq(0, 8)],
    <<A:8, C:16, D:24, E:32, _/binary>> = B,
    io:format("~w~n", [{A, C, D, E}]),
    <<F:8/signed, G:16/signed, H:24/signed, I:32/signed, _/binary>> = B,
    io:format("~w~n", [{F, G, H, I}]),
    <<J:16/little, K:32/little-signed, L:64/little-signed, _/bits>> = B,
    io:format("~w~n", [{J, K, L}]),
    <<_:3, M:5/unsigned, N:11/signed, O:13/little, P/bits>> = B,
    io:format("~w~n", [{M, N, O, bit_size(P)}]),
    <<Q:4/unit:8, R:2/unit:16-little, _/bits>> = B,
    io:format("~w~n", [{Q, R}]),
    [io:format("~w~n", [literal(X)]) || X <- [<<1, 2, 3>>, <<1, 3>>, <<2:4, 5:4>>, <<"abc">>, <<"ab">>, <<255>>,
        <<16#ffffffffffffffffff:72>>, <<>>, <<1:7>>]],
    [io:format("~w~n", [length_of(X)]) || X <- [<<3, "abc">>, <<2, "abc">>, <<9, "abc">>, <<0>>, <<>>]],
    io:format("~w~n", [catch big(see:id(1000), B)]).

f(B, Off, S) ->
    <<_:Off, U:S, _/bits>> = B,
    <<_:Off, Sg:S/signed, _/bits>> = B,
    <<_:Off, L:S/little, _/bits>> = B,
    <<_:Off, SL:S/little-signed, _/bits>> = B,
    {U, Sg, L, SL}.

literal(<<1, 2, X>>) -> {one_two, X};
literal(<<1, X/binary>>) -> {one, X};
literal(<<2:4, X:4>>) -> {nibble, X};
literal(<<"abc">>) -> abc;
literal(<<"a", R/binary>>) -> {a, R};
literal(<<255:8/unsigned>>) -> all_ones;
literal(<<16#ffffffffffffffffff:72>>) -> wide;
literal(<<>>) -> empty;
literal(_) -> other.

length_of(<<N, S:N/binary>>) -> {exact, S};
length_of(<<N, S:N/binary, R/binary>>) -> {more, S, R};
length_of(<<N, R/binary>>) -> {short, N, R};
length_of(<<>>) -> none.

big(N, B) -> <<X:N, _/bits>> = B, X.
