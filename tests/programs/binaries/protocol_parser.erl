%% Parsers as people write them: TLV, IPv4 header, MIDI variable lengths, base64, JSON-like text.
-module(protocol_parser).
-export([main/0]).

main() ->
    Tlv = << <<T, (byte_size(V)):16, V/binary>> || {T, V} <- [{1, <<"one">>}, {2, <<>>}, {7, <<"seventy">>}] >>,
    see:value(tlv, tlv(Tlv)),
    see:value(tlv_cut, catch tlv(binary:part(Tlv, 0, 8))),
    Header = <<4:4, 5:4, 0:8, 84:16, 16#1c46:16, 2:3, 0:13, 64, 1, 16#b861:16, 192, 168, 0, 1, 10, 0, 0, 42,
        "payload">>,
    see:value(ipv4, ipv4(Header)),
    see:value(checksum, checksum(binary:part(Header, 0, 20))),
    see:value(varint, [varint(varint_of(N)) || N <- [0, 1, 127, 128, 16383, 16384, 1 bsl 40, 1 bsl 70]]),
    see:value(base64, [base64(B) || B <- [<<>>, <<"f">>, <<"fo">>, <<"foo">>, <<"foobar">>]]),
    see:value(words, words(<<"  the quick  brown fox ">>)),
    see:value(json, json(<<"{\"a\": [1, 2.5, -3], \"b\": {\"c\": true, \"d\": null}, \"e\": \"x\\ny\"}">>)),
    see:value(lines, lines(<<"one\ntwo\r\n\nlast">>)),
    see:value(crc, crc(<<"123456789">>, 16#ffff)).

tlv(<<>>) -> [];
tlv(<<T, N:16, V:N/binary, Rest/binary>>) -> [{T, V} | tlv(Rest)].

ipv4(<<4:4, Ihl:4, Tos, Len:16, Id:16, Flags:3, Frag:13, Ttl, Proto, _Sum:16, Src:4/binary, Dst:4/binary,
    Rest/binary>>) when Ihl >= 5 ->
    Options = (Ihl - 5) * 4,
    <<_:Options/binary, Payload/binary>> = Rest,
    {Tos, Len, Id, Flags, Frag, Ttl, Proto, list_to_tuple(binary_to_list(Src)), list_to_tuple(binary_to_list(Dst)),
        Payload}.

checksum(B) -> fold16(lists:sum([W || <<W:16>> <= B])).
fold16(S) when S > 16#ffff -> fold16((S band 16#ffff) + (S bsr 16));
fold16(S) -> S.

varint_of(N) when N < 128 -> <<0:1, N:7>>;
varint_of(N) -> Low = N band 127, <<1:1, Low:7, (varint_of(N bsr 7))/binary>>.
varint(<<0:1, N:7>>) -> N;
varint(<<1:1, Low:7, R/binary>>) -> Low + (varint(R) bsl 7).

base64(<<A:6, B:6, C:6, D:6, R/binary>>) -> [c(A), c(B), c(C), c(D) | base64(R)];
base64(<<A:6, B:6, C:4>>) -> [c(A), c(B), c(C bsl 2), $=];
base64(<<A:6, B:2>>) -> [c(A), c(B bsl 4), $=, $=];
base64(<<>>) -> [].
c(N) -> lists:nth(N + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/").

words(<<" ", R/binary>>) -> words(R);
words(<<>>) -> [];
words(B) -> {W, R} = word(B, 0), [W | words(R)].
word(B, N) ->
    case B of
        <<W:N/binary>> -> {W, <<>>};
        <<W:N/binary, " ", R/binary>> -> {W, R};
        _ -> word(B, N + 1)
    end.

json(B) -> {V, Rest} = value(skip(B)), <<>> = skip(Rest), V.
value(<<"{", R/binary>>) -> object(skip(R), #{});
value(<<"[", R/binary>>) -> array(skip(R), []);
value(<<"\"", R/binary>>) -> string(R, <<>>);
value(<<"true", R/binary>>) -> {true, R};
value(<<"null", R/binary>>) -> {null, R};
value(R) -> number(R, <<>>).
object(<<"}", R/binary>>, M) -> {M, R};
object(<<",", R/binary>>, M) -> object(skip(R), M);
object(<<"\"", R/binary>>, M) ->
    {K, R1} = string(R, <<>>), <<":", R2/binary>> = skip(R1), {V, R3} = value(skip(R2)), object(skip(R3), M#{K => V}).
array(<<"]", R/binary>>, L) -> {lists:reverse(L), R};
array(<<",", R/binary>>, L) -> array(skip(R), L);
array(B, L) -> {V, R} = value(B), array(skip(R), [V | L]).
string(<<"\"", R/binary>>, S) -> {S, R};
string(<<"\\n", R/binary>>, S) -> string(R, <<S/binary, "\n">>);
string(<<C/utf8, R/binary>>, S) -> string(R, <<S/binary, C/utf8>>).
number(<<C, R/binary>>, N) when C >= $0, C =< $9; C =:= $-; C =:= $. -> number(R, <<N/binary, C>>);
number(R, N) -> {try binary_to_integer(N) catch error:badarg -> binary_to_float(N) end, R}.
skip(<<C, R/binary>>) when C =:= $\s; C =:= $\n -> skip(R);
skip(R) -> R.

lines(B) -> case binary:split(B, <<"\n">>) of [L, R] -> [L | lines(R)]; [L] -> [L] end.

crc(<<B, R/binary>>, C) -> crc(R, crc_bits(8, C bxor (B bsl 8)));
crc(<<>>, C) -> C.
crc_bits(0, C) -> C;
crc_bits(N, C) when C band 16#8000 =/= 0 -> crc_bits(N - 1, ((C bsl 1) bxor 16#1021) band 16#ffff);
crc_bits(N, C) -> crc_bits(N - 1, (C bsl 1) band 16#ffff).
