%% The order of terms of all types: every pair, and sorting.
%% releases: 25 27
-module(term_order).
-export([main/0]).

main() ->
    Terms = terms(),
    Labelled = lists:zip(lists:seq(1, length(Terms)), Terms),
    [io:format("~w ~s~n", [N, [relation(A, B) || B <- Terms]]) || {N, A} <- Labelled],
    Sorted = lists:sort(fun({_, A}, {_, B}) -> A =< B end, Labelled),
    io:format("~w~n", [[N || {N, _} <- Sorted]]),
    true = lists:sort(Terms) =:= lists:sort(lists:reverse(lists:sort(Terms))),
    io:format("~w~n", [[{is_number(A), max(A, B) =:= A} || A <- [1, a, {}], B <- [2, b, []]]]).

relation(A, B) ->
    case {A < B, A == B, A =:= B, A > B, A >= B, A =< B, A /= B, A =/= B} of
        {true, false, false, false, false, true, true, true} -> $<;
        {false, true, false, false, true, true, false, true} -> $~;
        {false, true, true, false, true, true, false, false} -> $=;
        {false, false, false, true, true, false, true, true} -> $>
    end.

terms() ->
    Ref = make_ref(),
    [1, 1.0, -1, 2, 1 bsl 64, -(1 bsl 64), 0.5, a, b, aa, '', 'A', true, Ref,
     fun erlang:length/1, fun lists:map/2, fun erlang:element/2, self(),
     {}, {1}, {1.0}, {2}, {1, 2}, {1, 2, 3}, {a, b}, {[], {}},
     #{}, #{a => 1}, #{a => 1.0}, #{a => 2}, #{b => 1}, #{1 => a}, #{1.0 => a}, #{a => 1, b => 2}, #{a => 2, b => 1},
     maps:from_list([{N, N} || N <- lists:seq(1, 40)]), maps:from_list([{N, N} || N <- lists:seq(2, 41)]),
     [], [1], [1.0], [1, 2], [2], [a | b], [1 | 2], [[]], "string",
     <<>>, <<0>>, <<1>>, <<1:1>>, <<1, 2>>, <<1, 2:3>>, <<255>>, <<"abc">>, <<"abd">>].
