%% Integers compared with floats, where a conversion would lose digits.
-module(mixed_comparison).
-export([main/0]).

main() ->
    Numbers = [0, 0.0, -0.0, 1, 1.0, -1, -1.0, 0.5, 1 bsl 53, (1 bsl 53) + 1, 9007199254740992.0, 9007199254740994.0,
               (1 bsl 53) + 2, 1 bsl 59, 5.764607523034235e17, (1 bsl 59) - 1, 1 bsl 60, 1 bsl 64,
               1.8446744073709552e19,
               (1 bsl 64) - 1, (1 bsl 64) + 1, 1.0e100, 1 bsl 400, -(1 bsl 400), 1.0e308, 1 bsl 1100, -(1 bsl 1100),
               -1.0e308, 5.0e-324, trunc(1.0e22), 1.0e22],
    [io:format("~w ~s~n", [A, [[case {A < B, A > B, A == B} of {true, false, false} -> $<; {false, true, false} -> $>;
                                    {false, false, true} -> $= end,
                                if A =:= B -> $!; true -> $. end] || B <- Numbers]]) || A <- Numbers],
    io:format("~w~n", [lists:sort(Numbers)]),
    io:format("~w~n", [lists:usort(Numbers)]),
    io:format("~w~n", [[{1, 2.0} == {1.0, 2}, {1, 2.0} =:= {1.0, 2}, [1] == [1.0], #{1 => 1} == #{1 => 1.0},
                        #{1 => 1} == #{1.0 => 1}, [1 | 2.0] == [1.0 | 2]]]),
    io:format("~w~n", [[max(1, 1.0), max(1.0, 1), min(1, 1.0), min(1.0, 1)]]),
    io:format("~w~n", [[lists:member(1.0, [1]), lists:keyfind(1.0, 1, [{1}]), maps:find(1.0, #{1 => x})]]).
