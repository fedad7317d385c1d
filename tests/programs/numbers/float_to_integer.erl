%% trunc, round, floor, ceil over small and huge floats.
-module(float_to_integer).
-export([main/0]).

main() ->
    Floats = [0.0, -0.0, 0.4, 0.5, 0.6, 1.5, 2.5, -0.4, -0.5, -0.6, -1.5, -2.5, 0.49999999999999994, 4503599627370495.5,
              4503599627370496.5, 9007199254740991.0, 5.764607523034234e17, 5.764607523034235e17, -5.764607523034236e17,
              9.223372036854775e18, 9.223372036854776e18, -9.223372036854776e18, 1.8446744073709552e19, 1.0e20, 1.0e100,
              -1.0e100, 1.7976931348623157e308],
    [io:format("~w: ~w~n", [F, [trunc(F), round(F), floor(F), ceil(F)]]) || F <- Floats],
    io:format("~w~n", [[trunc(see:id(I)) + round(I) + floor(I) + ceil(I) || I <- [0, 7, -7, 1 bsl 70]]]),
    see:fails([fun() -> trunc(see:id(a)) end, fun() -> round(see:id([])) end,
               fun() -> floor(see:id(<<>>)) end, fun() -> ceil(see:id({})) end,
               fun() -> float(see:id(a)) end, fun() -> abs(see:id(a)) end]),
    [F = float(trunc(F)) || F <- [1.0e15, 1.0e16, 1.0e17, 1.0e18, 1.0e19, 1.0e22, 1.0e300]],
    io:format("~w~n", [[float(I) || I <- [(1 bsl 53) + 1, (1 bsl 53) + 3, (1 bsl 60) + 64, (1 bsl 64) - 1,
        (1 bsl 64) + 2049,
                                         123456789012345678901234567890]]]).
