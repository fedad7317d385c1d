%% The words of a text counted without regular expressions, and the most frequent ones listed.
-module(compute_word_count).
-export([run/0]).

run() ->
    Lines = [line(N) || N <- lists:seq(1, 4500)],
    Text = iolist_to_binary(Lines),
    Counts = lists:foldl(fun count_line/2, #{}, binary:split(Text, <<"\n">>, [global, trim])),
    Sorted = lists:reverse(lists:keysort(2, lists:sort(maps:to_list(Counts)))),
    [[Word, <<": ">>, integer_to_binary(Count)] || {Word, Count} <- lists:sublist(Sorted, 20)].

line(N) ->
    Words = ["Once", "upon", "a", "time", "there", "was", "a", "process", "which", "waited,", "and"],
    [[[Word, $\s] || Word <- Words], "number ", integer_to_list(N rem 300), ": It's over.\n"].

count_line(Line, Counts) -> words(Line, <<>>, Counts).

words(<<C, Rest/binary>>, Word, Counts) when C >= $a, C =< $z; C =:= $'; C >= $0, C =< $9 ->
    words(Rest, <<Word/binary, C>>, Counts);
words(<<C, Rest/binary>>, Word, Counts) when C >= $A, C =< $Z ->
    words(Rest, <<Word/binary, (C + 32)>>, Counts);
words(<<_, Rest/binary>>, Word, Counts) ->
    words(Rest, <<>>, add(Word, Counts));
words(<<>>, Word, Counts) ->
    add(Word, Counts).

add(<<>>, Counts) -> Counts;
add(Word, Counts) ->
    case Counts of
        #{Word := Count} -> Counts#{Word := Count + 1};
        #{} -> Counts#{Word => 1}
    end.
