%% All integer operators over all pairs of numbers near the borders: of small
%% integers (60 bits), of machine words, of one and more limbs.
-module(integer_edges).
-export([main/0]).

main() ->
    Edges = edges(),
    lists:foreach(fun({Name, Op}) ->
        lists:foreach(fun(A) ->
            io:format("~s ~w: ~w~n", [Name, A, [catch_it(Op, A, B) || B <- Edges]])
        end, Edges)
    end, operators()).

operators() ->
    [{"+", fun(A, B) -> A + B end},
     {"-", fun(A, B) -> A - B end},
     {"*", fun(A, B) -> A * B end},
     {"div", fun(A, B) -> A div B end},
     {"rem", fun(A, B) -> A rem B end},
     {"band", fun(A, B) -> A band B end},
     {"bor", fun(A, B) -> A bor B end},
     {"bxor", fun(A, B) -> A bxor B end}].

edges() ->
    Powers = [31, 32, 58, 59, 60, 63, 64, 65, 127, 128],
    Positive = [0, 1, 2, 10] ++ lists:append([[(1 bsl P) - 1, 1 bsl P] || P <- Powers]),
    lists:usort(Positive ++ [-N || N <- Positive]).

catch_it(Op, A, B) ->
    try Op(A, B) catch error:Reason -> Reason end.
