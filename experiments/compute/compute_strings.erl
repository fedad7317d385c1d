%% Text as lists of characters: splitting, comparing, joining and formatting.
-module(compute_strings).
-export([run/0]).

run() ->
    Line = "alpha=1; beta=22; gamma=333; delta=hello world; epsilon = 5",
    loop(8000, Line, 0).

loop(0, _, Sum) -> Sum;
loop(N, Line, Sum) ->
    Fields = string:tokens(Line, ";"),
    Pairs = [pair(Field) || Field <- Fields],
    Text = lists:flatten(lists:join(",", [Key ++ ":" ++ Value || {Key, Value} <- Pairs])),
    Found = proplists:get_value("gamma", Pairs),
    Number = list_to_integer(Found),
    Length = length(integer_to_list(N)) + length(io_lib:format("~p ~s", [{N, Found}, Found])),
    loop(N - 1, Line, (Sum + length(Text) + Number + Length + hash(Text, 0)) band 16#ffffff).

pair(Field) ->
    {Key, [$= | Value]} = lists:splitwith(fun(C) -> C =/= $= end, trim(Field)),
    {trim(Key), trim(Value)}.

trim(Text) -> lists:reverse(skip(lists:reverse(skip(Text)))).

skip([$\s | Rest]) -> skip(Rest);
skip(Text) -> Text.

hash([C | Rest], Hash) -> hash(Rest, (Hash * 33 bxor C) band 16#ffffff);
hash([], Hash) -> Hash.
