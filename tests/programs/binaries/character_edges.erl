%% UTF-8 characters of every length at the edges of what is one, read and skipped, at byte boundaries and not, with and
%% without bytes behind them.
-module(character_edges).
-export([main/0]).

main() ->
    Edges = [0, 16#7f, 16#80, 16#8f, 16#90, 16#9f, 16#a0, 16#bf, 16#c0, 16#c1, 16#c2, 16#df, 16#e0, 16#e1, 16#ec, 16#ed,
             16#ee, 16#ef, 16#f0, 16#f4, 16#f5, 16#ff],
    Sequences = [[A] || A <- Edges] ++ [[A, B] || A <- Edges, B <- Edges] ++
        [[A, B, C] || A <- Edges, B <- Edges, C <- Edges],
    Bytes = [list_to_binary(S ++ Behind) || S <- Sequences, Behind <- ["", "a", "bc", "def"]],
    Found = [{get_one(B), skip_one(B), shifted(B)} || B <- Bytes],
    io:format("~p sequences, ~p characters~n", [length(Bytes), length([x || {{_, _}, _, _} <- Found])]),
    io:format("~p~n", [erlang:phash2(Found)]),
    [io:format("~w ~w~n", [B, get_one(B)]) || B <- Bytes, byte_size(B) =:= 3, edge(get_one(B))],
    Text = unicode:characters_to_binary(lists:append([[C, $a] || C <- lists:seq(1, 16#3000, 7)])),
    io:format("~p ~p~n", [count(Text, 0), erlang:phash2(collect(Text))]),
    ok.

edge({C, _}) -> lists:member(C, [16#80, 16#7ff, 16#800, 16#d7ff, 16#e000, 16#ffff]);
edge(none) -> false.

get_one(<<C/utf8, Rest/binary>>) -> {C, byte_size(Rest)};
get_one(_) -> none.

skip_one(<<_/utf8, Rest/binary>>) -> byte_size(Rest);
skip_one(_) -> none.

shifted(Bytes) ->
    Shifted = <<5:3, Bytes/binary>>,
    case Shifted of
        <<_:3, C/utf8, _/binary>> -> C;
        _ -> none
    end.

count(<<_/utf8, Rest/binary>>, N) -> count(Rest, N + 1);
count(<<>>, N) -> N.

collect(<<C/utf8, Rest/binary>>) -> [C | collect(Rest)];
collect(<<>>) -> [].
