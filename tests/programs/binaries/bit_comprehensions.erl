%% Bitstring comprehensions in and out, with odd sizes.
-module(bit_comprehensions).
-export([main/0]).

main() ->
    see:value(bits, [B || <<B:1>> <= <<16#a5>>]),
    see:value(reversed, << <<B:1>> || B <- lists:reverse([B || <<B:1>> <= <<1, 2:4>>]) >>),
    see:value(swapped, << <<L:4, H:4>> || <<H:4, L:4>> <= <<16#12, 16#34, 16#56>> >>),
    see:value(pairs, << <<X, Y>> || X <- [1, 2], Y <- [3, 4] >>),
    see:value(nested, << << <<(X + Y):4>> || <<Y:4>> <= <<16#12>> >> || <<X>> <= <<1, 2, 3>> >>),
    see:value(filtered, << <<X>> || <<X>> <= list_to_binary(lists:seq(1, 20)), X rem 3 =:= 0 >>),
    see:value(bitstrings, << <<B/bits>> || B <- [<<1:1>>, <<2:3>>, <<>>, <<255>>] >>),
    see:value(floats, << <<F:32/float>> || F <- [1.0, 2.5] >>),
    see:value(mixed, [{A, B} || <<A:3, B:5/bits>> <= <<255, 0, 170>>]),
    see:value(sized, [S || <<N, S:N/binary>> <= <<1, "a", 2, "bc", 0, 3, "de">>]),
    see:value(utf8, << <<(C + 1)/utf8>> || <<C/utf8>> <= <<"HALλ"/utf8>> >>),
    see:value(guarded, [X || <<X:16/little-signed>> <= <<1, 0, 255, 255, 2, 0>>, X > 0]),
    see:value(rot13, rot13(<<"Hello, World">>)),
    see:value(large, erlang:phash2(<< <<(X bxor 16#55):7>> || <<X:7>> <= binary:copy(<<1, 2, 3, 4, 5, 6, 7>>,
        1000) >>)),
    see:value(expression, << <<(X * Y):16>> || {X, Y} <- [{1, 2}, {300, 4}] >>).

rot13(B) -> << <<(rot(C))>> || <<C>> <= B >>.
rot(C) when C >= $a, C =< $z -> $a + (C - $a + 13) rem 26;
rot(C) when C >= $A, C =< $Z -> $A + (C - $A + 13) rem 26;
rot(C) -> C.
