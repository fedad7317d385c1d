%% Queues and dictionaries of the standard library.
-module(compute_queues).
-export([run/0]).

run() ->
    Queue = fill(1000, queue:new()),
    Dict = words(60000, dict:new()),
    {turn(600000, Queue, 0), dict:size(Dict), dict:fetch(7, Dict)}.

fill(0, Queue) -> Queue;
fill(N, Queue) -> fill(N - 1, queue:in(N, Queue)).

turn(0, _, Sum) -> Sum;
turn(N, Queue, Sum) ->
    {{value, Item}, Rest} = queue:out(Queue),
    turn(N - 1, queue:in(Item + 1, Rest), (Sum + Item) band 16#ffffff).

words(0, Dict) -> Dict;
words(N, Dict) -> words(N - 1, dict:update_counter(N rem 97, 1, Dict)).
