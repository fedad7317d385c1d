%% The game of life on an endless board: cells in a map whose keys are pairs.
-module(compute_life).
-export([run/0]).

run() ->
    %% An R-pentomino and a glider.
    Cells = [{1, 0}, {2, 0}, {0, 1}, {1, 1}, {1, 2}, {20, 20}, {21, 21}, {19, 22}, {20, 22}, {21, 22}],
    Board = generations(200, maps:from_list([{Cell, alive} || Cell <- Cells])),
    {map_size(Board), lists:sum([X * 31 + Y || {X, Y} <- maps:keys(Board)])}.

generations(0, Board) -> Board;
generations(N, Board) -> generations(N - 1, next(Board)).

next(Board) ->
    Counts = maps:fold(fun(Cell, alive, Counts) -> lists:foldl(fun count/2, Counts, around(Cell)) end, #{}, Board),
    maps:filtermap(fun(_, 3) -> {true, alive};
                      (Cell, 2) -> is_map_key(Cell, Board) andalso {true, alive};
                      (_, _) -> false
                   end, Counts).

count(Cell, Counts) ->
    case Counts of
        #{Cell := Count} -> Counts#{Cell := Count + 1};
        #{} -> Counts#{Cell => 1}
    end.

around({X, Y}) -> [{X + DX, Y + DY} || DX <- [-1, 0, 1], DY <- [-1, 0, 1], {DX, DY} =/= {0, 0}].
