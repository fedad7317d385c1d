%% Comparison operators over all pairs of integers near the borders.
-module(comparisons_of_integers).
-export([main/0]).

main() ->
    Numbers = edges(),
    lists:foreach(fun(A) -> io:format("~w ~s~n", [A, [relation(A, B) || B <- Numbers]]) end, Numbers),
    io:format("~w~n", [lists:sort(lists:reverse(Numbers)) =:= Numbers]),
    io:format("~w~n", [[max(A, -A) || A <- Numbers]]),
    io:format("~w~n", [[min(A, -A) || A <- Numbers]]).

relation(A, B) ->
    case {A < B, A =< B, A > B, A >= B, A == B, A =:= B, A /= B, A =/= B} of
        {true, true, false, false, false, false, true, true} -> $<;
        {false, false, true, true, false, false, true, true} -> $>;
        {false, true, false, true, true, true, false, false} -> $=;
        Odd -> io_lib:format("~w", [Odd])
    end.

edges() ->
    Powers = [31, 32, 58, 59, 60, 62, 63, 64, 65, 127, 128, 1000],
    Positive = [0, 1, 2] ++ lists:append([[(1 bsl P) - 1, 1 bsl P, (1 bsl P) + 1] || P <- Powers]),
    lists:usort(Positive ++ [-N || N <- Positive]).
