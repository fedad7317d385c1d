%% bsl and bsr by all kinds of amounts, and bnot.
-module(shifts).
-export([main/0]).

main() ->
    Numbers = [0, 1, -1, 5, -5, 16#7fffffffffffffff, -16#8000000000000000, (1 bsl 59) - 1, 1 bsl 59,
               -(1 bsl 59), -(1 bsl 59) - 1, 1 bsl 64, -(1 bsl 64), 123456789012345678901234567890,
               -123456789012345678901234567890],
    Amounts = [0, 1, 2, 3, 31, 32, 33, 57, 58, 59, 60, 61, 62, 63, 64, 65, 100, 127, 128, 129],
    [io:format("~w bsl ~w~n", [N, [N bsl A || A <- Amounts]]) || N <- Numbers],
    [io:format("~w bsr ~w~n", [N, [N bsr A || A <- Amounts]]) || N <- Numbers],
    [io:format("~w bsl - ~w~n", [N, [N bsl -A || A <- Amounts]]) || N <- Numbers],
    [io:format("~w bsr - ~w~n", [N, [N bsr -A || A <- Amounts]]) || N <- Numbers],
    [io:format("bnot ~w = ~w~n", [N, bnot N]) || N <- Numbers],
    io:format("~w~n", [[0 bsl (1 bsl 70), 0 bsr (1 bsl 70), 7 bsr (1 bsl 70), -7 bsr (1 bsl 70),
                        7 bsl -(1 bsl 70), -7 bsl -(1 bsl 70)]]),
    see:all([{"a bsl 1", fun() -> see:id(a) bsl 1 end},
             {"1 bsr a", fun() -> 1 bsr see:id(a) end},
             {"1 bsl 1.0", fun() -> 1 bsl see:id(1.0) end},
             {"bnot 1.0", fun() -> bnot see:id(1.0) end},
             {"bnot list", fun() -> bnot see:id([]) end}]).
