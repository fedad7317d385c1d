%% Binary and bitstring segments: whole, sized, with units, at odd offsets, tails.
-module(binary_segments).
-export([main/0]).

main() ->
    B = see:id(<<"0123456789">>), S = see:id(<<2#10110:5>>), Big = see:id(list_to_binary(lists:seq(0, 255))),
    see:value(built, [<<B/binary>>, <<B/binary, B/binary>>, <<B:3/binary>>, <<(see:id(<<1, 2>>))/bits, S/bits>>,
        <<S/bits, B/binary>>, <<S:3/bits>>,
                      <<B:2/binary-unit:16>>, <<0:1, B/binary, 1:1>>]),
    see:value(matched, [{X, Y} || <<X:2/binary, Y:3/bits, _:5>> <= B]),
    <<H:4/binary, T/binary>> = B, <<_:3, Mid:13/bits, _/bits>> = B, <<_:7, Unaligned:5/binary, Rest/bits>> = B,
    see:value(parts, {H, T, Mid, Unaligned, bit_size(Rest), Rest}),
    see:value(tail_units, [tail(X) || X <- [<<1, 2, 3, 4>>, <<1, 2, 3>>, <<1:4>>, <<>>, <<1:12>>]]),
    see:value(zero, begin <<Z:0/binary, Z2:0, _/binary>> = B, {Z, Z2} end),
    see:value(large, begin <<_:100/binary, L:100/binary, _/binary>> = Big,
        {byte_size(L), erlang:phash2(L), L =:= binary:part(Big, 100, 100)} end),
    see:value(sub_of_sub, begin <<_:10/binary, S1:200/binary, _/binary>> = Big, <<_:4, S2:100/binary, _/bits>> = S1,
        <<_:2/binary, S3:5/binary, _/binary>> = S2, S3 end),
    see:value(equal, [<<S/bits, 3:3>> =:= <<2#10110011>>, see:id(<<1:1>>) =:= <<1:1>>, <<1:1>> == <<1:2>>,
        B =:= <<H/binary, T/binary>>]),
    see:value(order, lists:sort([<<1>>, <<1:1>>, <<0>>, <<>>, <<1, 0>>, <<0:1>>, <<2:2>>, <<255:7>>, <<128>>])),
    see:value(sizes, [{bit_size(X), byte_size(X), is_binary(X), is_bitstring(X)}
        || X <- [S, B, <<>>, <<S/bits, B/binary, S/bits>>]]),
    see:value(unaligned_hash, erlang:phash2(Unaligned) =:= erlang:phash2(binary:copy(Unaligned))),
    see:value(lists, [bitstring_to_list(S), bitstring_to_list(<<1, 2, S/bits>>), list_to_bitstring([1, S, [<<2>>, S]]),
        binary_to_list(Unaligned)]),
    see:value(iolist, iolist_to_binary([B, [Unaligned, 65 | <<"tail">>], [], "x"])),
    see:fails([fun() -> <<(see:id(S))/binary>> end, fun() -> <<B:(see:id(11))/binary>> end,
        fun() -> <<B:(see:id(-1))/binary>> end,
               fun() -> <<(see:id("list"))/binary>> end, fun() -> <<1:(see:id(-1))>> end, fun() -> <<1:(see:id(a))>>
                   end,
               fun() -> N3 = see:id(3), <<_:N3/binary, _/binary>> = see:id(<<1>>) end,
                   fun() -> <<B/binary, (see:id(a))>> end,
               fun() -> list_to_binary([see:id(S)]) end, fun() -> iolist_to_binary(see:id([256])) end,
                   fun() -> <<0:(see:id(1 bsl 70))>> end]).

tail(<<X:8, T/binary-unit:16>>) -> {units16, X, T};
tail(<<X:8, T/binary>>) -> {bytes, X, T};
tail(<<T/bits>>) -> {bits, T}.
