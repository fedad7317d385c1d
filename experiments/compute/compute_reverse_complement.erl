%% The other strand of a DNA in lines: bytes mapped, reversed and cut into lines again.
-module(compute_reverse_complement).
-export([run/0]).

run() ->
    Text = << <<(line(N))/binary, $\n>> || N <- lists:seq(1, 2500) >>,
    Once = strand(Text),
    Twice = strand(Once),
    {byte_size(Once), erlang:crc32(Once), Twice =:= Text}.

line(N) -> << <<(element((N * I) rem 7 rem 4 + 1, {$A, $C, $G, $T}))>> || I <- lists:seq(1, 60) >>.

strand(Text) ->
    iolist_to_binary(lines(reversed(Text, []))).

reversed(<<$\n, Rest/binary>>, Done) -> reversed(Rest, Done);
reversed(<<Base, Rest/binary>>, Done) -> reversed(Rest, [opposite(Base) | Done]);
reversed(<<>>, Done) -> Done.

opposite($A) -> $T;
opposite($C) -> $G;
opposite($G) -> $C;
opposite($T) -> $A.

lines([]) -> [];
lines(Bases) ->
    {Line, Rest} = lists:split(60, Bases),
    [Line, $\n | lines(Rest)].
