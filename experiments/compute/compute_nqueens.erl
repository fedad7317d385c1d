%% Queens on a chessboard: backtracking over lists.
-module(compute_nqueens).
-export([run/0]).

run() -> length(queens(8)) + length(queens(10)).

queens(N) -> place(N, lists:seq(1, N), [], []).

place(0, _, Board, Found) -> [Board | Found];
place(N, All, Board, Found) ->
    lists:foldl(fun(Column, Acc) ->
                        case safe(Column, 1, Board) of
                            true -> place(N - 1, All, [Column | Board], Acc);
                            false -> Acc
                        end
                end, Found, All).

safe(_, _, []) -> true;
safe(Column, Distance, [Other | Board]) ->
    Column =/= Other andalso abs(Column - Other) =/= Distance andalso safe(Column, Distance + 1, Board).
