%% I/O lists around the size up to which they are joined in one pass, lists that are appended to around the length up to
%% which they are copied uncounted, and one byte that is searched for everywhere.
-module(joined_fronts).
-export([main/0]).

main() ->
    Sizes = [0, 1, 255, 256, 257, 8190, 8191, 8192, 8193, 8194, 20000],
    [io:format("~p ~p~n", [Size, [join(Size, Piece) || Piece <- [1, 2, 7, 64, 65, 300, 9000]]]) || Size <- Sizes],
    Long = lists:duplicate(9000, [<<>>]),
    io:format("~p~n", [see([Long, "end", Long])]),
    Odd = <<5:3>>,
    [io:format("~p~n", [[see(List), bits(List)]]) ||
        List <- [["abc", Odd], [Odd, "abc"], ["abc" | Odd], [lists:duplicate(8200, $x), Odd, "y"],
                 ["abc", 256], ["abc" | $d], [lists:duplicate(8200, $x), ["y" | z]], [["a" | <<"b">>] | <<"c">>]]],
    Lengths = [0, 1, 63, 64, 65, 66, 1000, 16383, 16384, 16385, 20000],
    [io:format("~p ~p~n", [N, erlang:phash2(lists:seq(1, N) ++ tail)]) || N <- Lengths],
    [io:format("~p~n", [catch (lists:seq(1, N) ++ b) ++ c]) || N <- [2]],
    [io:format("~p~n", [catch erlang:'++'(improper(N), [c])]) || N <- [1, 70], N < 2],
    {'EXIT', {badarg, _}} = (catch erlang:'++'(improper(70), [c])),
    Text = binary:copy(<<"a,b,,">>, 3000),
    io:format("~p~n", [erlang:phash2([binary:split(Text, Comma, [global | Options]) ||
        Comma <- [<<",">>, [<<",">>], binary:compile_pattern(<<",">>)],
        Options <- [[], [trim], [trim_all], [{scope, {3, 9000}}]]])]),
    io:format("~p~n", [erlang:phash2(binary:matches(Text, <<",">>))]),
    io:format("~p~n", [[binary:match(Text, <<",">>, [{scope, {From, 2}}]) || From <- [0, 1, 2, 5]]]),
    ok.

improper(N) -> lists:seq(1, N - 1) ++ [x | y].

join(Size, Piece) ->
    Bytes = << <<(I rem 251)>> || I <- lists:seq(1, Size) >>,
    List = pieces(Bytes, Piece, 0),
    Joined = iolist_to_binary(List),
    {Joined =:= Bytes, iolist_size(List), byte_size(list_to_binary(List))}.

pieces(Bytes, Piece, N) when byte_size(Bytes) > Piece ->
    {Front, Rest} = split_binary(Bytes, Piece),
    case N rem 3 of
        0 -> [Front | pieces(Rest, Piece, N + 1)];
        1 -> [binary_to_list(Front), [], pieces(Rest, Piece, N + 1)];
        2 -> [[[Front], <<>>] | pieces(Rest, Piece, N + 1)]
    end;
pieces(Bytes, _, _) -> [Bytes].

see(List) ->
    try byte_size(iolist_to_binary(List)) catch Class:Reason -> {Class, Reason} end.

bits(List) ->
    try erlang:phash2(list_to_bitstring(List)) catch Class:Reason -> {Class, Reason} end.
