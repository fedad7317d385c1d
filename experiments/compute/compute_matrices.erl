%% Matrices as lists of lists of integers and of floats: multiplied and transposed.
-module(compute_matrices).
-export([run/0]).

-define(SIZE, 90).

run() ->
    A = [[(I * 7 + J * 3) rem 11 - 5 || J <- lists:seq(1, ?SIZE)] || I <- lists:seq(1, ?SIZE)],
    B = [[(I + J) / 8 || J <- lists:seq(1, ?SIZE)] || I <- lists:seq(1, ?SIZE)],
    Product = times(times(A, A), A),
    Mixed = times(A, times(B, B)),
    {trace(Product, 1, 0), round(trace(Mixed, 1, 0.0)), erlang:phash2(transposed(Product))}.

times(A, B) ->
    Columns = transposed(B),
    [[dot(Row, Column, 0) || Column <- Columns] || Row <- A].

dot([X | Xs], [Y | Ys], Sum) -> dot(Xs, Ys, Sum + X * Y);
dot([], [], Sum) -> Sum.

transposed([[] | _]) -> [];
transposed(Rows) -> [[hd(Row) || Row <- Rows] | transposed([tl(Row) || Row <- Rows])].

trace([Row | Rows], At, Sum) -> trace(Rows, At + 1, Sum + lists:nth(At, Row));
trace([], _, Sum) -> Sum.
