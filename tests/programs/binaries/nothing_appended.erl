%% A string to which nothing is appended is itself what is built, and can still be appended to.
%% OTP 27 copies it.
%% releases: 25 29
-module(nothing_appended).
-export([main/0]).

main() ->
    Literal = <<"123">>,
    see:value(literal, same(Literal, append(Literal, id(<<>>)))),
    Whole = <<(id(<<>>))/binary, 0, 1, 2, 3, 4, 5, 6, 7>>,
    see:value(writable, same(Whole, append(Whole, id(<<>>)))),
    see:value(twice, same(Whole, append(append(Whole, id(<<>>)), id(<<>>)))),
    see:value(two_of_nothing, same(Whole, append(Whole, id(<<>>), id(<<>>)))),
    see:value(bits, same(Whole, append_bits(Whole, id(<<>>)))),
    Longer = append(Whole, id(<<8, 9>>)),
    see:value(longer, {Longer, same(Whole, Longer), same(Longer, append(Longer, id(<<>>)))}),
    see:value(others, [append(Whole, id(<<N>>)) || N <- [1, 2, 3]]),
    see:value(unchanged, {Whole, Longer}),
    Odd = <<(id(<<>>))/bits, 5:3>>,
    see:value(odd, {Odd, same(Odd, append_bits(Odd, id(<<>>)))}),
    Large = binary:copy(<<7>>, 1000),
    see:value(large, same(Large, append(Large, id(<<>>)))),
    Part = binary:part(Large, 3, 300),
    see:value(part, same(Part, append(Part, id(<<>>)))),
    see:value(loop, erlang:phash2(loop(id(<<>>), 1000))),
    see:value(comprehension, << <<X/binary>> || X <- [<<>>, <<1>>, <<>>, <<2, 3>>, <<>>] >>),
    ok.

append(A, B) -> <<A/binary, B/binary>>.

append(A, B, C) -> <<A/binary, B/binary, C/binary>>.

append_bits(A, B) -> <<A/bits, B/bits>>.

loop(String, 0) -> String;
loop(String, N) when N rem 3 =:= 0 -> loop(append(String, <<N:16>>), N - 1);
loop(String, N) -> loop(append(String, id(<<>>)), N - 1).

same(A, B) -> {erts_debug:same(A, B), A =:= B}.

id(X) -> X.
