%% The Mandelbrot set: floats in a loop.
-module(compute_mandelbrot).
-export([run/0]).

-define(SIZE, 120).

run() -> rows(0, 0).

rows(?SIZE, Sum) -> Sum;
rows(Y, Sum) -> rows(Y + 1, columns(0, Y, Sum)).

columns(?SIZE, _, Sum) -> Sum;
columns(X, Y, Sum) ->
    Steps = steps(3.0 * X / ?SIZE - 2.0, 2.5 * Y / ?SIZE - 1.25, 0.0, 0.0, 0),
    columns(X + 1, Y, Sum + Steps).

steps(_, _, _, _, 200) -> 200;
steps(CR, CI, R, I, N) ->
    RR = R * R,
    II = I * I,
    if RR + II > 4.0 -> N;
       true -> steps(CR, CI, RR - II + CR, 2.0 * R * I + CI, N + 1)
    end.
