%% Floats of every size as text with a given number of digits, and read again.
-module(scientific_text).
-export([main/0]).

main() ->
    rand:seed(exsss, {4, 5, 6}),
    [see:value(Exponent, [float_to_list(random(Exponent)) || _ <- lists:seq(1, 3)]) || Exponent <- [0, 1, 2, 500] ++
        lists:seq(930, 1120, 7) ++ [1151, 1152, 1500, 2046]],
    see:value(ties, [[float_to_binary(Float, [{scientific, Decimals}]) || Decimals <- [0, 1, 2, 5, 15, 20, 30]]
                     || Float <- [0.0, -0.0, 0.5, 1.5, -2.5, 9.5, 0.125, 9.96875, 99.5, 999999.5, 1.0e22, 1.0e23,
                         4503599627370497.5, 5.0e-324]]),
    see:value(many, [erlang:phash2([{float_to_list(Float, [{scientific, N rem 40}]),
        list_to_float(float_to_list(Float)) =:= Float}
                                    || N <- lists:seq(1, 500), Float <- [random(900 + rand:uniform(260))]])
                                    || _ <- lists:seq(1, 10)]),
    see:value(formats, [io_lib:format(Format, [Float]) || Format <- ["~.2f", "~.3e", "~g", "~10.4f", "~f", "~w"],
        Float <- [1.0e-5, 0.125, 3.14159, -1234.5678, 1.0e10, 9.995]]).

%% A float with an exponent and few or many digits.
random(Exponent) ->
    Cleared = rand:uniform(53) - 1,
    Mantissa = (rand:uniform(1 bsl 52) - 1) bsr Cleared bsl Cleared,
    <<Float/float>> = <<(rand:uniform(2) - 1):1, Exponent:11, Mantissa:52>>,
    Float.
