%% Big integers of many sizes: identities that must hold, and digests of the results.
-module(big_arithmetic).
-export([main/0]).

main() ->
    Sizes = [1, 2, 3, 7, 20, 64, 130, 500],
    Numbers = [number(Words, Seed) || Words <- Sizes, Seed <- [1, 2]],
    io:format("~w~n", [[erlang:phash2(N) || N <- Numbers]]),
    [check(A, B) || A <- Numbers, B <- Numbers],
    [io:format("~w: ~w ~w~n", [erlang:phash2(A), erlang:phash2(A * A), erlang:phash2(A * A * A)])
     || A <- Numbers],
    Factorial = lists:foldl(fun erlang:'*'/2, 1, lists:seq(1, 1000)),
    io:format("~w~n", [Factorial]),
    io:format("~w~n", [digits(Factorial)]),
    Back = lists:foldl(fun(N, F) -> 0 = F rem N, F div N end, Factorial, lists:seq(1, 1000)),
    io:format("~w~n", [Back]),
    %% Karatsuba's and Toom's ranges.
    Huge = 1 bsl 100000 - 1,
    io:format("~w~n", [Huge * Huge =:= (1 bsl 200000) - (1 bsl 100001) + 1]),
    io:format("~w~n", [(Huge * Huge) div Huge =:= Huge]).

%% A reproducible number of so many 64-bit words.
number(Words, Seed) ->
    lists:foldl(fun(N, Acc) ->
        (Acc bsl 64) bxor ((N * 6364136223846793005 + Seed * 1442695040888963407) rem (1 bsl 64)) end,
                Seed, lists:seq(1, Words)).

check(A, B) ->
    Q = A div B,
    R = A rem B,
    A = Q * B + R,
    true = R >= 0 andalso R < B,
    NA = -A,
    NA = (NA div B) * B + (NA rem B),
    true = (NA rem B) =< 0,
    A = (A + B) - B,
    0 = A - A,
    true = (A + B) * (A - B) =:= A * A - B * B,
    A = (A bxor B) bxor B,
    true = (A band B) + (A bor B) =:= A + B,
    true = bnot (NA) =:= A - 1,
    true = (NA band B) + (NA bor B) =:= NA + B,
    true = (NA bxor B) =:= (NA bor B) - (NA band B),
    A = (A bsl 77) bsr 77,
    NA = (NA bsl 77) bsr 77.

digits(0) -> 0;
digits(N) -> 1 + digits(N div 10).
