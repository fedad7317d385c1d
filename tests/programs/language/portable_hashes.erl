%% erlang:phash2 of terms of all kinds in each other, and of some that are too long for one slice.
-module(portable_hashes).
-export([main/0]).

main() ->
    rand:seed(exsss, {7, 7, 7}),
    [see:value({random, N}, lists:foldl(fun(_, Sum) -> (Sum * 33 + hash(term(rand:uniform(5)))) band 16#ffffffff end, 0,
        lists:seq(1, 1000)))
     || N <- lists:seq(1, 20)],
    [see:value(Name, hash(Term)) || {Name, Term} <- long(100_000)],
    [see:value({range, Range}, erlang:phash2(#{a => 1, {b} => [c]}, Range)) || Range <- [1, 2, 1000, 1 bsl 32]].

hash(Term) -> erlang:phash2(Term, 1 bsl 32).

long(N) ->
    Numbers = lists:seq(1000, 1000 + N),
    [{list, Numbers},
     {tuple, list_to_tuple(Numbers)},
     {mixed, list_to_tuple([element(I rem 4 + 1, {I, a, {I}, [I | b]}) || I <- Numbers])},
     {map, maps:from_list([{I, -I} || I <- Numbers])},
     {map_of_tuples, maps:from_list([{{I}, [I, a]} || I <- Numbers])},
     {deep, lists:foldl(fun(I, Deep) -> #{I => {Deep, I}, a => [I | Deep]} end, [], lists:seq(1, 12))}].

term(0) ->
    leaf(rand:uniform(13));
term(Depth) ->
    case rand:uniform(6) of
        1 -> list_to_tuple(terms(6, Depth));
        2 -> terms(6, Depth);
        3 -> maps:from_list([{Key, {Key}} || Key <- terms(8, Depth)]);
        4 -> maps:from_list([{leaf(rand:uniform(13)), leaf(rand:uniform(13))} || _ <- lists:seq(2, rand:uniform(60))]);
        5 -> [term(Depth - 1) | term(Depth - 1)];
        6 -> leaf(rand:uniform(13))
    end.

terms(Most, Depth) -> [term(Depth - 1) || _ <- lists:seq(2, rand:uniform(Most))].

leaf(1) -> rand:uniform(1000);
leaf(2) -> -rand:uniform(1 bsl 40);
leaf(3) -> rand:uniform(1 bsl 70) - 1 bsl 69;
leaf(4) -> list_to_atom("atom" ++ integer_to_list(rand:uniform(50)));
leaf(5) -> [];
leaf(6) -> rand:uniform();
leaf(7) -> << <<(rand:uniform(256) - 1)>> || _ <- lists:seq(1, rand:uniform(40)) >>;
leaf(8) -> fun lists:map/2;
leaf(9) -> "string";
leaf(10) -> rand:uniform(255);
leaf(11) -> <<(rand:uniform(100)):7>>;
leaf(12) -> #{};
leaf(13) -> {}.
