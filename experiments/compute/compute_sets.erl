%% Sets of the standard library, in several representations, and comprehensions over them.
-module(compute_sets).
-export([run/0]).

run() ->
    Evens = [N * 2 || N <- lists:seq(1, 10000)],
    Threes = [N * 3 || N <- lists:seq(1, 10000)],
    Old = sets:size(sets:intersection(sets:from_list(Evens), sets:from_list(Threes))),
    New = sets:size(sets:union(sets:from_list(Evens, [{version, 2}]), sets:from_list(Threes, [{version, 2}]))),
    Ordered = ordsets:size(ordsets:subtract(ordsets:from_list(Evens), ordsets:from_list(Threes))),
    Set = sets:from_list(Evens, [{version, 2}]),
    Members = length([N || N <- lists:seq(1, 100000), sets:is_element(N, Set)]),
    {Old, New, Ordered, Members}.
