%% OTP's base64: binaries of several sizes encoded and decoded, and lists too.
-module(compute_base64).
-export([run/0]).

run() ->
    Binaries = [<< <<(N * I)>> || I <- lists:seq(1, N) >> || N <- [3, 20, 100, 1000, 20000]],
    loop(24, Binaries, 0).

loop(0, _, Sum) -> Sum;
loop(N, Binaries, Sum) ->
    loop(N - 1, Binaries, lists:foldl(fun(Binary, S) -> S + once(Binary) end, Sum, Binaries)).

once(Binary) ->
    Text = base64:encode(Binary),
    Binary = base64:decode(Text),
    Listed = base64:encode_to_string(Binary),
    Binary = base64:mime_decode(Listed),
    erlang:crc32(Text) + length(Listed).
