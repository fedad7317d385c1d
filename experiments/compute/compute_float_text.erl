%% Floats written as text in every way, and read again.
-module(compute_float_text).
-export([run/0]).

run() -> loop(5000, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Float = N * 1.1 / 7 - 300.0,
    Short = float_to_binary(Float, [short]),
    Float = binary_to_float(Short),
    Fixed = float_to_list(Float, [{decimals, 3}, compact]),
    Scientific = float_to_list(Float),
    Float1 = list_to_float(Scientific),
    Printed = io_lib:format("~.2f ~p", [Float, Float * 1.0e20]),
    loop(N - 1, (Sum + erlang:crc32([Short, Fixed, Scientific, Printed]) + trunc(Float1)) rem 1000003).
