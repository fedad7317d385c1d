%% Segments of known size, written by operations of their own: into new binaries, onto a string with room behind it,
%% onto one without; with values that these operations leave to the general one; and who sees which bytes when several
%% append to one string.
-module(built_in_place).
-export([main/0]).

main() ->
    Values = [0, 1, -1, 127, 128, 255, 256, 16#1234, -16#1234, 16#123456789abcdef, -(1 bsl 59), (1 bsl 59) - 1,
        1 bsl 59, 1 bsl 63, (1 bsl 70) + 5, -(1 bsl 64)],
    see:value(integers, [integers(<<>>, V) || V <- Values]),
    see:value(appended, [integers(roomy(), V) || V <- Values]),
    see:value(little, [little(Acc, V) || Acc <- [<<>>, <<"x">>, roomy()], V <- Values]),
    see:value(fields, [fields(Acc, V) || Acc <- [<<>>, roomy()], V <- Values]),
    see:value(constants, [constants(Acc) || Acc <- [<<>>, <<"abc">>, roomy()]]),
    see:value(floats, [floats(Acc, V) || Acc <- [<<>>, roomy()], V <- [0, 1, -1.5, 1.0e30, (1 bsl 59) - 1, 1 bsl 80,
        16777217, 0.1]]),
    see:value(characters, [characters(Acc, V) || Acc <- [<<>>, roomy()], V <- [0, $a, 127, 128, 16#7ff, 16#800, 16#d7ff,
        16#e000, 16#ffff, 16#10000, 16#10ffff]]),
    see:value(bytes, [bytes(Acc, V) || Acc <- [<<>>, <<"ab">>, roomy()], V <- strings()]),
    see:value(sizes, [{N, bytes(roomy(), binary:copy(<<"z">>, N)) =:= bytes(<<>>, binary:copy(<<"z">>, N))}
        || N <- lists:seq(0, 70) ++ [200, 5000]]),
    see:value(new_sizes, [byte_size(framed(N, binary:copy(<<N>>, N))) || N <- lists:seq(0, 70)]),
    see:value(padding, [see:id(framed(N, binary:copy(<<N>>, N))) =:= binary:copy(framed(N, binary:copy(<<N>>, N)))
        || N <- lists:seq(0, 70)]),
    see:value(branches, branches()),
    see:value(itself, itself()),
    see:value(sent, sent()),
    see:value(long, [erlang:phash2(long(N, <<>>, [])) || N <- [10, 100, 1000, 10000]]),
    see:value(comprehensions, [<< <<(X bxor 1), X:16/little>> || <<X>> <= <<"comprehended">> >>,
        << <<X:4, 1:1, X:3>> || X <- lists:seq(1, 20) >>,
                               << <<X/utf8>> || X <- [$a, 16#20ac, 16#10000] >>,
                               << <<B/binary, 0>> || B <- [<<"a">>, <<>>, <<"bcd">>] >>,
                               erlang:phash2(<< <<X:32/float, X:40>> || X <- lists:seq(1, 5000) >>)]),
    see:fails([fun() -> F() end || Bad <- [a, 1.5, <<"b">>, [1], {}], Acc <- [<<>>, <<"q">>, roomy()],
                                   F <- [fun() -> <<Acc/binary, 1, Bad:8>> end,
                                       fun() -> <<Acc/binary, Bad:16/little, 2>> end,
                                         fun() -> <<Acc/binary, 1:4, Bad:4>> end, fun() -> <<Acc/binary, 7:48, Bad:24>>
                                             end,
                                         fun() -> <<Bad:32, Acc/binary>> end]]),
    see:fails([fun() -> F() end || Bad <- [a, <<"b">>, -1, 16#d800, 16#110000, 1 bsl 70], Acc <- [<<>>, roomy()],
                                   F <- [fun() -> <<Acc/binary, Bad/utf8>> end, fun() -> <<$a, Bad/utf8, Acc/binary>>
                                       end,
                                         fun() -> <<Acc/binary, Bad/utf16>> end, fun() -> <<$a, Bad/utf32-little>>
                                             end]]),
    see:fails([fun() -> F() end || Bad <- [a, 1, [], <<1:3>>], Acc <- [<<>>, roomy()],
                                   F <- [fun() -> <<Acc/binary, Bad/binary>> end,
                                       fun() -> <<Bad/binary, 1, Acc/binary>> end,
                                         fun() -> <<Acc/binary, 1, Bad/float>> end,
                                             fun() -> <<Acc/binary, Bad:32/float-little>> end,
                                         fun() -> <<Bad/binary, 1>> end]]),
    see:value(explained, [explained(F) || Acc <- [<<>>, roomy()], F <- [fun() -> <<Acc/binary, 1, (see:id(a)):8>> end,
        fun() -> <<1, (see:id(a))/binary>> end,
                                                                          fun() -> <<(see:id(a))/binary, Acc/binary>>
                                                                              end,
                                                                          fun() -> <<Acc/binary,
                                                                              (see:id(16#d800))/utf8>> end,
                                                                          fun() -> <<Acc/binary, 9, (see:id(x))/float>>
                                                                              end]]),
    see:value(bit_fields,
        [bit_fields(Acc, V) || Acc <- [<<>>, <<1:3>>, <<"ab", 5:5>>, roomy(), <<(roomy())/binary, 1:1>>], V <- Values]),
    see:value(sized, [sized(Acc, V, N) || Acc <- [<<>>, <<1:3>>, roomy(), <<(roomy())/binary, 1:1>>],
        V <- [0, -1, 16#123456789abcdef, 1 bsl 70],
                                          N <- [0, 1, 5, 8, 13, 40, 56, 57, 60, 64, 100]]),
    see:value(bit_branches, bit_branches()),
    see:value(bits_sent, bits_sent()),
    see:value(codes, [erlang:phash2(codes(N, <<>>)) || N <- [10, 100, 1000, 10000]]),
    see:value(bit_comprehensions, [<< <<X:5>> || X <- lists:seq(1, 30) >>,
        << <<X:N>> || {X, N} <- [{1, 3}, {200, 9}, {5, 4}, {0, 0}, {7, 60}] >>,
                                   << <<X:1>> || <<X:3>> <= <<"some bits">> >>]),
    see:value(parts, [parts(Acc, B, N) || Acc <- [<<>>, roomy()],
        {B, N} <- [{<<"0123456789">>, 0}, {<<"0123456789">>, 3}, {<<"0123456789">>, 10},
                                                                              {list_to_binary(lists:seq(1, 200)),
                                                                                  150}]]),
    see:fails([fun() -> F() end || N <- [-1, a, 1 bsl 70, 11], Acc <- [<<>>, roomy()],
                                   F <- [fun() -> <<Acc/binary, (see:id(<<"0123456789">>)):N/binary>> end,
                                       fun() -> <<1, (see:id(<<"0123456789">>)):N/binary, 2>> end,
                                         fun() -> <<Acc/bitstring, (see:id(b)):N>> end, fun() -> <<1:3, 7:N/unit:2>>
                                             end]]),
    see:value(guards, [guarded(V) || V <- [1, a, 255, 1 bsl 70]]).

%% A string that was appended to, so that its block has room.
roomy() -> <<(see:id(<<"rooms">>))/binary, (see:id($!))>>.

integers(Acc, V) ->
    {<<Acc/binary, V>>, <<Acc/binary, V:16, V:24>>, <<Acc/binary, V:32, 1, V:40>>, <<Acc/binary, V:48, V:56>>,
        <<Acc/binary, V:64>>,
     <<V:8, V:16, V:32, V:64>>, <<V:24>>, <<V:72, V:8>>, <<Acc/binary, V:128>>}.

little(Acc, V) ->
    {<<Acc/binary, V:16/little, V:24/little>>, <<Acc/binary, V:32/little, V:40/little-signed>>,
        <<Acc/binary, V:48/little, V:56/little>>,
     <<Acc/binary, V:64/little>>, <<V:16/native, V:32/little, V:48/little>>,
     <<Acc/binary, V:8/little, V:12/little, V:4/little>>}.

fields(Acc, V) ->
    {<<Acc/binary, V:4, V:4>>, <<Acc/binary, 5:3, V:13>>, <<1:1, V:1, V:6, V:5, V:3>>, <<V:20, V:36, 7:8>>,
        <<Acc/binary, V:1, V:31, V:24>>,
     <<V:4, Acc/binary, V:4>>, <<Acc/binary, V:7, 3:1, V:16/little, V:2, 1:6>>}.

constants(Acc) ->
    {<<Acc/binary, "literal string that is long enough for words">>, <<Acc/binary, 1, 2:16, 3:24/little, -1:16, 0:128>>,
        <<1:4, 15:4, "ab", 3:64/little>>,
     <<Acc/binary, 1.5/float, 2.5:32/float-little, $a/utf8, 16#20ac/utf8>>, <<-1:128/little, Acc/binary>>,
     <<Acc/binary, (-2):72/little>>,
     <<Acc/binary, (1 bsl 70):80>>}.

floats(Acc, V) -> {<<Acc/binary, V/float>>, <<Acc/binary, V:32/float, 1>>, <<V:64/float-little, V:32/float-little>>,
    <<Acc/binary, V:16/float>>}.

characters(Acc, V) -> {<<Acc/binary, V/utf8>>, <<Acc/binary, 1, V/utf8, V/utf8, 2>>, <<V/utf8>>, <<"ab", V/utf8, V:24>>,
    <<Acc/binary, V/utf16, V/utf32>>,
                       <<Acc/binary, V/utf16-little, 1, V/utf32-little>>, <<V/utf16, V/utf8, V/utf16-little>>}.

strings() ->
    Long = see:id(list_to_binary(lists:seq(1, 200))),
    <<_, Middle:30/binary, _/binary>> = Long,
    <<_:4, Shifted:3/binary, _/bits>> = Long,
    <<_:3/binary, Few:5/binary, _/binary>> = see:id(<<"0123456789">>),
    [<<>>, <<"a">>, <<"ab">>, <<"abc">>, <<"abcd">>, <<"abcdefgh">>, <<"0123456789abcdefg">>, Middle, Shifted, Few,
        Long].

bytes(Acc, V) -> {<<Acc/binary, V/binary>>, <<Acc/binary, (byte_size(V)):16, V/binary, 0>>, <<V/binary, V/binary>>,
    <<1, V/binary, 2, Acc/binary, 3:24>>}.

framed(Id, Payload) -> <<7, Id:32, (byte_size(Payload)):16, Payload/binary>>.

bit_fields(Acc, V) -> {<<Acc/bitstring, V:5, 1:1, V:12>>, <<Acc/bitstring, V:1>>, <<Acc/bits, V:56>>,
    <<Acc/bits, V:57>>, <<V:3, V:6>>, <<V:12, (-1):3>>}.

sized(Acc, V, N) -> {<<Acc/bitstring, V:N>>, <<Acc/bitstring, 1:1, V:N>>, <<V:N, 2:2>>, <<V:N/unit:2>>,
    <<Acc/bits, V:N, V:N, 1:1>>, <<V:N/little>>}.

parts(Acc, B, N) -> {<<Acc/binary, B:N/binary>>, <<1, B:N/binary, B:N/binary, 2>>,
    <<Acc/binary, N:16, B:N/bytes, B/binary>>, <<B:N/binary-unit:4>>}.

bit_branches() ->
    Root = <<(roomy())/binary, (see:id(5)):3>>,
    A = <<Root/bitstring, (see:id(1)):7>>, B = <<Root/bitstring, (see:id(-1)):9>>, C = <<A/bitstring, (see:id(0)):2>>,
    D = <<A/bitstring, (see:id(-1)):22>>,
    {Root, A, B, C, D, <<Root/bitstring, 0:1>>}.

%% The last byte, of which another process has some bits, must not be written to.
bits_sent() ->
    Self = self(),
    A = codes(300, <<>>),
    Pid = spawn(fun() -> receive B -> Self ! {self(), <<B/bitstring, 0:3>>} end end),
    Pid ! A,
    C = <<A/bitstring, (see:id(-1)):13>>,
    receive {Pid, D} -> {bit_size(A), erlang:phash2({A, C, D})} end.

codes(0, Acc) -> Acc;
codes(N, Acc) -> codes(N - 1, <<Acc/bitstring, N:(N rem 17)>>).

%% Two strings grow out of one; the first takes the room, the second must not write over it.
branches() ->
    Root = roomy(),
    A = <<Root/binary, "first", (see:id(1))>>,
    B = <<Root/binary, "second", (see:id(2)):16>>,
    C = <<A/binary, (see:id($c))/utf8>>, D = <<A/binary, B/binary>>, E = <<Root/binary, A/binary>>,
    {Root, A, B, C, D, E, <<Root/binary, 0>>}.

itself() ->
    A = roomy(), B = <<A/binary, A/binary>>, C = <<B/binary, A/binary, B/binary>>,
    <<_:3/binary, Part/binary>> = C,
    D = <<C/binary, Part/binary, 1>>,
    [A, B, C, D, <<D/binary, D/binary>>].

sent() ->
    Self = self(),
    A = long(200, <<>>, []),
    Pid = spawn(fun() -> receive B -> Self ! {self(), <<B/binary, "theirs">>} end end),
    Pid ! A,
    C = <<A/binary, "ours">>,
    receive {Pid, D} -> {C, D, A} end.

%% Appends while lists make garbage, so that collections happen between appends.
long(0, Acc, _) -> Acc;
long(N, Acc, Garbage) -> long(N - 1, <<Acc/binary, N:16, (N rem 100)/utf8>>, [N, {N, Acc} | lists:sublist(Garbage, 3)]).

explained(F) ->
    try F()
    catch error:Reason:Trace ->
        [{_, _, _, Info} | _] = Trace,
        {Reason, maps:get(cause, proplists:get_value(error_info, Info)), erl_erts_errors:format_bs_fail(Reason, Trace)}
    end.

guarded(V) when <<1, V:8>> =:= <<1, 255>> -> all_ones;
guarded(V) when <<V:16>> > <<0>> -> other;
guarded(_) -> no_integer.
