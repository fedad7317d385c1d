%% Conversions that take longer than a slice, with a collection in between; and what goes wrong late.
-module(long_conversions).
-export([main/0]).

main() ->
    N = 1000000,
    L = lists:duplicate(N, $a),
    B = list_to_binary(L),
    see:value(sizes, [byte_size(B), length(binary_to_list(B)), iolist_size(L), iolist_size([L, B, [L | B]])]),
    see:value(equal, [binary_to_list(B) =:= L, iolist_to_binary([L | B]) =:= <<B/binary, B/binary>>,
        binary:list_to_bin([L]) =:= B]),
    Mixed = [[I rem 256, <<I:32>>, [<<>>, [integer_to_list(I)]]] || I <- lists:seq(1, 100000)],
    M = iolist_to_binary(Mixed),
    see:value(mixed, [byte_size(M), erlang:md5(M) =:= erlang:md5(Mixed), erlang:crc32(M) =:= erlang:crc32(Mixed),
        erlang:adler32(M) =:= erlang:adler32(Mixed), erlang:phash2(M)]),
    Bits = [[<<I:5>>, I rem 256] || I <- lists:seq(1, 100001)],
    S = list_to_bitstring(Bits),
    see:value(bits, [bit_size(S), erlang:phash2(S), length(bitstring_to_list(S)), erlang:phash2(bitstring_to_list(S))]),
    see:value(part, [length(binary_to_list(M, 1000, 900000)), erlang:phash2(binary_to_list(M, 1000, 900000))]),
    see:value(reverse, [hd(lists:reverse(lists:seq(1, N))), length(lists:reverse(L, L)), lists:member(b, L),
        lists:keyfind(x, 1, [{I} || I <- lists:seq(1, N)])]),
    see:value(search, [binary:match(<<B/binary, "b">>, <<"ab">>), length(binary:matches(M, <<0>>)),
        length(binary:split(M, [<<0, 0>>, <<1>>, <<"9">>], [global])), binary:match(B, [<<"xy">>, <<"z">>])]),
    see:value(unicode, [length(unicode:characters_to_list(B)), byte_size(unicode:characters_to_binary([L, [955 | L]])),
        unicode:characters_to_list([L, <<255>>]) =:= {error, L, [<<255>>]}]),
    see:value(others, others(fun() -> iolist_to_binary([L, Mixed, B]) end)),
    see:fails([fun() -> late(F, L, Bad) end || F <- [list_to_binary, iolist_to_binary, iolist_size, md5, crc32],
        Bad <- [x, 256, <<1:1>>]]).

%% Whether somebody else runs meanwhile.
others(Fun) ->
    Self = self(),
    Other = spawn_link(fun() -> Self ! started, count(0) end),
    receive started -> ok end,
    [Fun() || _ <- lists:seq(1, 20)],
    Other ! {stop, Self},
    receive {counted, N} -> N > 10 end.

count(N) ->
    receive {stop, From} -> From ! {counted, N} after 0 -> count(N + 1) end.

%% The trace of a late error may show what is left of the arguments, so only the reason counts.
late(F, L, Bad) ->
    try erlang:F([L, Bad]) of V -> V catch error:Reason -> throw({F, Reason}) end.
