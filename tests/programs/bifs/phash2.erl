%% erlang:phash2 and phash, whose values OTP promises to keep.
-module(phash2).
-export([main/0]).

main() ->
    [io:format("~" ++ see:term() ++ " ~w ~w~n", [T, erlang:phash2(T), erlang:phash2(T, 1000)]) || T <- terms()],
    [io:format("~" ++ see:term() ++ " ~w~n", [T, erlang:phash(T, 1 bsl 32)]) || T <- terms(), not is_map(T)],
    see:value(ranges, [erlang:phash2(x, R) || R <- [1, 2, 3, 7, 1 bsl 16, 1 bsl 27, 1 bsl 31, 1 bsl 32]]),
    see:value(binaries, [erlang:phash2(binary:copy(<<"abcdefg">>, N)) || N <- lists:seq(0, 30)]),
    see:value(bitstrings, [erlang:phash2(<<16#abcdef:N>>) || N <- lists:seq(1, 33)]),
    see:value(sub_binaries, begin B = <<1:3, "hello world, hello", 2:5>>, <<_:3, S:18/binary, _/bits>> = B,
        erlang:phash2(S) =:= erlang:phash2(<<"hello world, hello">>) end),
    see:value(long_list, erlang:phash2(lists:seq(1, 100000))),
    see:value(large_binary, erlang:phash2(binary:copy(<<"0123456789">>, 100000))),
    see:value(lists, [erlang:phash2(lists:seq(1, N)) || N <- lists:seq(0, 20)]),
    see:value(strings, [erlang:phash2(S) || S <- ["a", "ab", "abc", "abcd", "abcde", [256], [1, 256], "a" ++ b]]),
    see:value(deep, erlang:phash2(lists:foldl(fun(N, A) -> {N, [A]} end, x, lists:seq(1, 10000)))),
    see:value(md5, [erlang:md5(D) || D <- ["", "abc", <<"message digest">>, [<<"a">>, ["b"], $c]]]),
    see:value(md5_parts, begin C0 = erlang:md5_init(), C1 = erlang:md5_update(C0, "ab"),
        C2 = erlang:md5_update(C1, <<"c">>), erlang:md5_final(C2) =:= erlang:md5("abc") end),
    see:value(crc32, [erlang:crc32(D) || D <- ["", "123456789", <<0>>, binary:copy(<<"x">>, 10000)]]),
    see:value(crc32_more, [erlang:crc32(erlang:crc32("12345"), "6789"), erlang:crc32_combine(erlang:crc32("12345"),
        erlang:crc32("6789"), 4)]),
    see:value(adler32, [erlang:adler32(D) || D <- ["", "123456789", binary:copy(<<255>>, 10000)]]),
    see:value(adler32_more, [erlang:adler32(erlang:adler32("12345"), "6789"),
        erlang:adler32_combine(erlang:adler32("12345"), erlang:adler32("6789"), 4)]),
    see:fails([fun() -> erlang:phash2(a, see:id(0)) end, fun() -> erlang:phash2(a, (1 bsl 32) + 1) end,
        fun() -> erlang:md5(see:id([a])) end, fun() -> erlang:crc32(see:id(x)) end]).

terms() ->
    [0, 1, -1, 255, 1 bsl 27, (1 bsl 27) - 1, -(1 bsl 27), 1 bsl 28, 1 bsl 59, (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 60,
        1 bsl 63, 1 bsl 64, -(1 bsl 64), 1 bsl 200, -(1 bsl 200), 123456789012345678901234567890,
     0.0, -0.0, 1.0, 1.5, -1.5, 1.0e100, a, '', abc, true, [], 'λ', "string", [1, 2, 3], [a | b], [[]], [[a]], {}, {1},
     {a, b}, {1.0}, <<>>, <<1>>, <<"binary">>, <<1:3>>, #{}, #{a => 1}, #{a => 1, b => 2},
     #{1.0 => x}, [1, "two", {three, 3.0}, <<4>>], {nested, [{list, [1, [2, [3]]]}]}, [300, 400], [255, 256], [0],
     [0, 0], "\0\0"].
