%% Binaries traversed byte by byte, built by appending and by comprehensions, as text and as bits.
-module(compute_binaries).
-export([run/0]).

run() ->
    Text = binary:copy(<<"The quick brown fox jumps over the lazy dog. ">>, 2000),
    loop(10, Text, []).

loop(0, _, Found) -> Found;
loop(N, Text, Found) ->
    Upper = upper(Text, <<>>),
    Vowels = << <<C>> || <<C>> <= Text, vowel(C) >>,
    Words = words(Text, 0, false),
    Codes = [C || <<C/utf8>> <= Upper],
    Nibbles = nibbles(Text, 0),
    loop(N - 1, Text, [{byte_size(Upper), byte_size(Vowels), Words, length(Codes), Nibbles} | Found]).

upper(<<C, Rest/binary>>, Done) when C >= $a, C =< $z -> upper(Rest, <<Done/binary, (C - 32)>>);
upper(<<C, Rest/binary>>, Done) -> upper(Rest, <<Done/binary, C>>);
upper(<<>>, Done) -> Done.

vowel($a) -> true;
vowel($e) -> true;
vowel($i) -> true;
vowel($o) -> true;
vowel($u) -> true;
vowel(_) -> false.

words(<<" ", Rest/binary>>, Count, _) -> words(Rest, Count, false);
words(<<_, Rest/binary>>, Count, true) -> words(Rest, Count, true);
words(<<_, Rest/binary>>, Count, false) -> words(Rest, Count + 1, true);
words(<<>>, Count, _) -> Count.

nibbles(<<High:4, Low:4, Rest/bits>>, Sum) -> nibbles(Rest, Sum + High * Low);
nibbles(<<>>, Sum) -> Sum.
