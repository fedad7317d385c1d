%% The math module, at points where its results are exact or their digits agreed on.
-module(math_functions).
-export([main/0]).

main() ->
    One = [sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, log, log2, log10, sqrt,
           erf, erfc, floor, ceil],
    Points = [0, 0.0, 1, 0.5, -0.5, -1, 2, 10, 2.5, 1000],
    [io:format("~w ~w: ~s~n", [F, P, shown(fun() -> math:F(P) end)]) || F <- One, P <- Points],
    Two = [{atan2, 1, 2}, {atan2, -1, -2}, {pow, 2, 10}, {pow, 2, 0.5}, {pow, 2, -1}, {pow, -8, 1 / 3}, {pow, 0, -1},
           {pow, 10, 400}, {fmod, 7, 3}, {fmod, -7, 3}, {fmod, 7.5, 2}, {fmod, 7, 0}],
    [io:format("~w ~w ~w: ~s~n", [F, A, B, shown(fun() -> math:F(A, B) end)]) || {F, A, B} <- Two],
    io:format("~.10f ~.10f~n", [math:pi(), math:exp(1)]),
    see:fails([fun() -> math:sqrt(see:id(-1)) end, fun() -> math:log(see:id(0)) end, fun() -> math:sin(see:id(a)) end,
               fun() -> math:sin(see:id(1 bsl 2000)) end, fun() -> math:log2(see:id(-2)) end,
               fun() -> math:pow(see:id(1), b) end, fun() -> math:exp(see:id(1000)) end]).

%% Twelve digits: libraries may differ in the last bit.
shown(F) ->
    try F() of
        V -> io_lib:format("~.12e", [V + 0.0])
    catch
        error:R -> io_lib:format("~w", [R])
    end.
