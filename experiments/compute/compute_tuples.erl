%% Messages as tagged tuples, distinguished by tag and size.
-module(compute_tuples).
-export([run/0]).

run() ->
    Shapes = [{circle, 3}, {square, 4}, {rectangle, 2, 5}, {triangle, 3, 4, 5}, {point}, {circle, 7},
              {line, 8, 9}, {rectangle, 6, 6}],
    loop(500000, Shapes, 0).

loop(0, _, Sum) -> Sum;
loop(N, Shapes, Sum) -> loop(N - 1, Shapes, all(Shapes, Sum)).

all([Shape | Rest], Sum) -> all(Rest, (Sum + area(Shape)) band 16#ffffff);
all([], Sum) -> Sum.

area({circle, R}) -> 3 * R * R;
area({square, A}) -> A * A;
area({rectangle, A, B}) -> A * B;
area({triangle, A, B, C}) -> (A + B + C) * 2;
area({line, A, B}) -> A + B;
area({point}) -> 1.
