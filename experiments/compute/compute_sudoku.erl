%% A sudoku solved by trying the cell with the fewest candidates first: ordered lists in a map.
-module(compute_sudoku).
-export([run/0]).

run() ->
    Puzzle = "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    Emptier = [case At rem 4 of 0 -> $.; _ -> Char end || {At, Char} <- lists:enumerate(Puzzle)],
    [lists:append([integer_to_list(Number) || Number <- solve(Text)]) || _ <- lists:seq(1, 10),
        Text <- [Puzzle, Emptier]].

solve(Text) ->
    Cells = lists:zip([{R, C} || R <- lists:seq(0, 8), C <- lists:seq(0, 8)], Text),
    Empty = maps:from_list([{Cell, lists:seq(1, 9)} || {Cell, _} <- Cells]),
    Given = [{Cell, Char - $0} || {Cell, Char} <- Cells, Char =/= $.],
    Board = lists:foldl(fun({Cell, Number}, Next) -> #{} = place(Cell, Number, Next) end, Empty, Given),
    [Number || {_, Number} <- lists:sort(maps:to_list(search(Board)))].

%% A cell that is settled holds a number, any other cell the list of its candidates.
place({R, C} = Cell, Number, Board) ->
    try
        maps:map(fun(Other, _) when Other =:= Cell -> Number;
                    ({Row, Column}, Candidates) when is_list(Candidates),
                                                     Row =:= R orelse Column =:= C orelse
                                                     (Row div 3 =:= R div 3 andalso Column div 3 =:= C div 3) ->
                         case ordsets:del_element(Number, Candidates) of
                             [] -> throw(impossible);
                             Left -> Left
                         end;
                    (_, Kept) -> Kept
                 end, Board)
    catch throw:impossible -> impossible
    end.

search(Board) ->
    case lists:sort([{length(Candidates), Cell, Candidates} || {Cell, Candidates} <- maps:to_list(Board),
        is_list(Candidates)]) of
        [] -> Board;
        [{_, Cell, Candidates} | _] -> first_that_works(Candidates, Cell, Board)
    end.

first_that_works([Number | Rest], Cell, Board) ->
    Found = case place(Cell, Number, Board) of
                impossible -> impossible;
                Next -> search(Next)
            end,
    case Found of
        impossible -> first_that_works(Rest, Cell, Board);
        _ -> Found
    end;
first_that_works([], _, _) -> impossible.
