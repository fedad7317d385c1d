%% How many edits make one word another, for each pair of words: rows of numbers in lists.
-module(compute_edit_distance).
-export([run/0]).

run() ->
    Words = ["kitten", "sitting", "process", "processor", "concurrent", "currency", "distance", "instance", "erlang",
        "language",
             "telephone", "exchange", "supervisor", "supervision", "message", "passage"],
    Distances = [distance(A, B) || A <- Words, B <- Words, _ <- lists:seq(1, 60)],
    {lists:sum(Distances), lists:max(Distances)}.

distance(A, B) -> rows(A, B, lists:seq(0, length(B))).

rows([Letter | Rest], Word, [First | _] = Row) -> rows(Rest, Word, [First + 1 | row(Letter, Word, Row, First + 1)]);
rows([], _, Row) -> lists:last(Row).

row(Letter, [Other | Word], [Corner | [Above | _] = Row], Left) ->
    Replaced = if Letter =:= Other -> Corner; true -> Corner + 1 end,
    Least = min(Replaced, min(Above, Left) + 1),
    [Least | row(Letter, Word, Row, Least)];
row(_, [], _, _) -> [].
