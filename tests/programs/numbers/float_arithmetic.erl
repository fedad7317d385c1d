%% Float operators: bit patterns of the results, overflow, mixing with integers.
-module(float_arithmetic).
-export([main/0]).

main() ->
    Values = [0.0, -0.0, 1.0, -1.0, 0.1, 3.0, 1.0e308, -1.0e308, 5.0e-324, 2.5, 1.0e16, 7, -3, 1 bsl 53, (1 bsl 53) + 1,
              1 bsl 64, -(1 bsl 64), 1 bsl 1000],
    [begin
         io:format("~s ~w: ~w~n", [Name, A, [result(Op, A, B) || B <- Values]])
     end || {Name, Op} <- [{"+", fun(A, B) -> A + B end}, {"-", fun(A, B) -> A - B end},
                           {"*", fun(A, B) -> A * B end}, {"/", fun(A, B) -> A / B end}],
            A <- Values],
    [io:format("~w: ~w~n", [V, [abs(V), -V, +V, bits(catch float(V))]]) || V <- Values],
    see:all([{"big to float", fun() -> float(see:id(1 bsl 1024)) end},
             {"big + float", fun() -> see:id(1 bsl 1024) + 1.0 end},
             {"big / big", fun() -> see:id(1 bsl 1024) / see:id(1 bsl 1024) end},
             {"int / 0", fun() -> 1 / see:id(0) end},
             {"float / 0.0", fun() -> 1.0 / see:id(0.0) end},
             {"overflow", fun() -> see:id(1.0e308) * 10 end},
             {"atom / int", fun() -> see:id(a) / 2 end},
             {"float div", fun() -> see:id(1.0) div 2 end},
             {"float rem", fun() -> see:id(5.0) rem 2 end},
             {"float band", fun() -> see:id(5.0) band 2 end},
             {"sum in loop", fun() -> loop(1000000, 0.0) end}]),
    %% Floats in registers over a long expression, and through a call in the middle.
    io:format("~w~n", [expression(see:id(1.5), see:id(2.25), see:id(-3))]).

result(Op, A, B) ->
    try bits(Op(A, B)) catch error:R -> R end.

%% Negative zero and the last bit show in the bits alone.
bits(F) when is_float(F) -> <<I:64>> = <<F/float>>, integer_to_list(I, 16);
bits(Other) -> Other.

loop(0, Sum) -> Sum;
loop(N, Sum) -> loop(N - 1, Sum + 1 / N).

expression(X, Y, Z) when is_float(X), is_float(Y) ->
    A = X * Y + X / Y - Z,
    B = see:id(A) * A - X * (Y + Z),
    {A, B, A * B + X * Y * A - B / (A + 1.0), (X + Y) * (A - B) / (X * X + 0.5)}.
