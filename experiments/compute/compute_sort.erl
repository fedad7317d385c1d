%% Sorting numbers, tuples and text.
-module(compute_sort).
-export([run/0]).

run() ->
    Numbers = numbers(60000, 12345, []),
    Pairs = [{N rem 1000, N} || N <- Numbers],
    Texts = [integer_to_list(N) || N <- lists:sublist(Numbers, 10000)],
    Sorted = lists:sort(Numbers),
    Keys = lists:keysort(1, Pairs),
    Unique = lists:usort(Texts),
    Down = lists:sort(fun(A, B) -> A > B end, Numbers),
    {hd(Sorted), lists:last(Sorted), hd(Keys), length(Unique), hd(Down), length(lists:merge(Sorted, Sorted))}.

numbers(0, _, Done) -> Done;
numbers(N, Seed, Done) ->
    Next = (Seed * 1103515245 + 12345) band 16#7fffffff,
    numbers(N - 1, Next, [Next | Done]).
