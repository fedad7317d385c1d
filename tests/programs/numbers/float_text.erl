%% Floats as text: the shortest form, fixed forms, and back.
-module(float_text).
-export([main/0]).

main() ->
    Floats = [0.0, -0.0, 1.0, -1.0, 0.1, 0.2, 0.3, 1/3, 2/3, 1.5, 100.0, 1.0e10, 1.0e15, 1.0e16, 1.0e17,
              123456789.125, 1.0e21, 1.0e22, 1.0e23, 1.0e-4, 1.0e-5, 1.0e-10, 5.0e-324, 2.2250738585072014e-308,
              1.7976931348623157e308, 9007199254740992.0, 9007199254740993.0, 3.141592653589793, 2.5, 0.5, 0.05,
              99.995, 1.005, 123.456, 1.0e300, 12345678901234567.0, 4.35, 0.000123],
    [io:format("~w ~p ~s ~s~n", [F, F, float_to_list(F), float_to_binary(F)]) || F <- Floats],
    [io:format("~s ~s~n", [float_to_list(F, [short]), float_to_binary(F, [short])]) || F <- Floats],
    Small = [F || F <- Floats, abs(F) < 1.0e15],
    [io:format("~s~n", [lists:join(" ", [float_to_list(F, [{decimals, D}]) || D <- [0, 1, 2, 5, 10, 20]])])
        || F <- Small],
    [io:format("~s~n", [lists:join(" ", [float_to_list(F, [{decimals, D}, compact]) || D <- [0, 1, 5, 10]])])
        || F <- Small],
    [io:format("~s~n", [lists:join(" ", [float_to_list(F, [{scientific, D}]) || D <- [0, 1, 5, 20, 30]])])
        || F <- Floats],
    [F = list_to_float(float_to_list(F)) || F <- Floats],
    [F = binary_to_float(float_to_binary(F, [short])) || F <- Floats],
    [io:format("~w~n", [list_to_float(L)]) || L <- ["1.0", "-1.5", "+2.5", "1.0e5", "1.0E5", "1.5e-10", "1.0e+3", "0.0",
        "-0.0",
                                                    "123456789.123456789", "1.0e-400", "1.0e-320"]],
    [see:that(L, fun() -> list_to_float(L) end)
     || L <- ["1", "1.", ".5", "1e5", "", "abc", "1.0e", "1.0e400", " 1.0", "1.0 ", "1.0.0", "1_0.0"]],
    see:all([{"integer", fun() -> float_to_list(see:id(1)) end},
             {"binary", fun() -> binary_to_float(see:id(<<"1">>)) end},
             {"decimals", fun() -> float_to_list(1.0, [{decimals, see:id(300)}]) end},
             {"decimals -1", fun() -> float_to_list(1.0, [{decimals, see:id(-1)}]) end},
             {"option", fun() -> float_to_list(1.0, see:id([bad])) end},
             {"large fixed", fun() -> float_to_list(1.0e300, [{decimals, 2}]) end}]).
