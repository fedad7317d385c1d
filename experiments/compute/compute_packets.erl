%% Binary packets, encoded and decoded.
-module(compute_packets).
-export([run/0]).

run() -> loop(400000, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Packet = encode(N band 3, N, N band 255, <<"payload">>),
    loop(N - 1, (Sum + decode(Packet)) band 16#ffffff).

encode(Type, Sequence, Flags, Payload) ->
    <<1:4, Type:4, Flags:8, (byte_size(Payload)):16, Sequence:32, Payload/binary>>.

decode(<<1:4, 0:4, Flags, Size:16, Sequence:32, Payload:Size/binary>>) ->
    Flags + Sequence + byte_size(Payload);
decode(<<1:4, 1:4, _, Size:16, Sequence:32/little, _:Size/binary>>) ->
    Sequence + Size;
decode(<<1:4, Type:4, Flags:8, Size:16, Sequence:32/signed, Payload:Size/bytes>>) ->
    Type + Flags + Sequence + hash(Payload, 0).

hash(<<Byte, Rest/binary>>, Hash) -> hash(Rest, (Hash * 31 + Byte) band 16#ffff);
hash(<<>>, Hash) -> Hash.
