%% A JSON text decoded from a binary and encoded again by a hand-written parser.
-module(compute_json).
-export([run/0]).

run() ->
    Text = iolist_to_binary(encode(document())),
    loop(12, Text).

loop(1, Text) -> once(Text);
loop(N, Text) -> once(Text), loop(N - 1, Text).

once(Text) ->
    {Value, <<>>} = value(Text),
    iolist_size(encode(Value)).

document() ->
    [#{<<"id">> => N, <<"name">> => <<"user", (integer_to_binary(N))/binary>>,
       <<"tags">> => [<<"a">>, <<"bc">>, true, false, null],
       <<"nested">> => #{<<"x">> => N * 3, <<"y">> => -N, <<"text">> => <<"line\nbreak \"quoted\"">>}}
     || N <- lists:seq(1, 600)].

value(<<C, Rest/binary>>) when C =:= $\s; C =:= $\n; C =:= $\t; C =:= $\r -> value(Rest);
value(<<"{", Rest/binary>>) -> object(space(Rest), #{});
value(<<"[", Rest/binary>>) -> array(space(Rest), []);
value(<<"\"", Rest/binary>>) -> string(Rest, <<>>);
value(<<"true", Rest/binary>>) -> {true, Rest};
value(<<"false", Rest/binary>>) -> {false, Rest};
value(<<"null", Rest/binary>>) -> {null, Rest};
value(<<"-", Rest/binary>>) -> {N, Rest1} = number(Rest, 0), {-N, Rest1};
value(Text) -> number(Text, 0).

number(<<C, Rest/binary>>, N) when C >= $0, C =< $9 -> number(Rest, N * 10 + C - $0);
number(Rest, N) -> {N, Rest}.

array(<<"]", Rest/binary>>, Done) -> {lists:reverse(Done), Rest};
array(Text, Done) ->
    {Value, Rest} = value(Text),
    case space(Rest) of
        <<",", Rest1/binary>> -> array(space(Rest1), [Value | Done]);
        <<"]", Rest1/binary>> -> {lists:reverse([Value | Done]), Rest1}
    end.

object(<<"}", Rest/binary>>, Map) -> {Map, Rest};
object(<<"\"", Text/binary>>, Map) ->
    {Key, Rest} = string(Text, <<>>),
    <<":", Rest1/binary>> = space(Rest),
    {Value, Rest2} = value(Rest1),
    case space(Rest2) of
        <<",", Rest3/binary>> -> object(space(Rest3), Map#{Key => Value});
        <<"}", Rest3/binary>> -> {Map#{Key => Value}, Rest3}
    end.

string(<<"\"", Rest/binary>>, Done) -> {Done, Rest};
string(<<"\\n", Rest/binary>>, Done) -> string(Rest, <<Done/binary, $\n>>);
string(<<"\\\"", Rest/binary>>, Done) -> string(Rest, <<Done/binary, $">>);
string(<<C, Rest/binary>>, Done) -> string(Rest, <<Done/binary, C>>).

space(<<C, Rest/binary>>) when C =:= $\s; C =:= $\n; C =:= $\t; C =:= $\r -> space(Rest);
space(Text) -> Text.

encode(Map) when is_map(Map) ->
    Pairs = [[encode(Key), $:, encode(Value)] || {Key, Value} <- maps:to_list(Map)],
    [${, lists:join($,, Pairs), $}];
encode(List) when is_list(List) -> [$[, lists:join($,, [encode(V) || V <- List]), $]];
encode(Text) when is_binary(Text) -> [$", escape(Text, <<>>), $"];
encode(N) when is_integer(N) -> integer_to_binary(N);
encode(Atom) -> atom_to_binary(Atom).

escape(<<$\n, Rest/binary>>, Done) -> escape(Rest, <<Done/binary, "\\n">>);
escape(<<$", Rest/binary>>, Done) -> escape(Rest, <<Done/binary, "\\\"">>);
escape(<<C, Rest/binary>>, Done) -> escape(Rest, <<Done/binary, C>>);
escape(<<>>, Done) -> Done.
