%% Floats of 16, 32 and 64 bits, in both orders and at odd offsets.
-module(float_segments).
-export([main/0]).

main() ->
    Values = [0.0, -0.0, 1.0, -2.5, 0.1, 3.14159, 65504.0, 1.0e-7, 1.0e38, 5.0e-324, 1.7976931348623157e308, 1, -7,
        1 bsl 60],
    [io:format("~w ~w~n", [V, [catch_it(fun() -> <<V:S/float>> end) || S <- [16, 32, 64]]]) || V <- Values],
    [io:format("~w ~w~n", [V, [catch_it(fun() -> <<V:S/float-little>> end) || S <- [16, 32, 64]]]) || V <- Values],
    [io:format("~w ~w~n", [O, <<0:O, 1.5/float, 2.5:32/float-little>>]) || O <- lists:seq(1, 7)],
    [begin <<_:O, A/float, C:32/float-little, _/bits>> = see:id(<<0:O, 1.5/float, 2.5:32/float-little, 0:3>>),
        {1.5, 2.5} = {A, C} end || O <- lists:seq(0, 8)],
    Patterns = [<<16#7f800000:32>>, <<16#7fc00000:32>>, <<16#7ff0000000000000:64>>, <<16#fff8000000000000:64>>,
        <<16#7c00:16>>, <<16#3c00:16>>,
                <<16#0001:16>>, <<16#3f800000:32>>, <<16#00000001:32>>, <<16#4045000000000000:64>>, <<1, 2, 3>>],
    [io:format("~w ~w~n", [P, {m16(P), m32(P), m64(P)}]) || P <- Patterns],
    see:fails([fun() -> <<(see:id(a))/float>> end, fun() -> <<(see:id(1.0)):(see:id(17))/float>> end,
        fun() -> <<(see:id(1.0e300)):32/float>> end,
               fun() -> <<(see:id(1 bsl 2000))/float>> end, fun() -> <<(see:id(1.0))/integer>> end]).

m16(<<F:16/float>>) -> F; m16(_) -> no.
m32(<<F:32/float>>) -> F; m32(_) -> no.
m64(<<F/float>>) -> F; m64(_) -> no.

catch_it(F) -> try F() catch error:R -> R end.
