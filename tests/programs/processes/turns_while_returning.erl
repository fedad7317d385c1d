%% A function that has called itself very often returns as often, with no call in between: others have their turns
%% meanwhile.
-module(turns_while_returning).
-export([main/0]).

main() ->
    Turns = counters:new(1, []),
    spawn_opt(fun() -> taking_turns(Turns) end, [{scheduler, 1}]),
    [io:format("~w: ~p~n", [How, returning(How, Turns)]) || How <- [one_call, two_calls]].

taking_turns(Turns) ->
    counters:add(Turns, 1, 1),
    erlang:yield(),
    taking_turns(Turns).

%% Whether the other process has had turns between the end of a list and the first return; and the result.
returning(How, Turns) ->
    Me = self(),
    Count = 300000,
    Returns = fun() ->
        List = lists:seq(1, Count),
        Result = add(How, List, Turns),
        After = counters:get(Turns, 1),
        Before = get(turns),
        Me ! {Result =:= lists:seq(2, Count + 1), After - Before >= 20}
    end,
    spawn_opt(Returns, [{scheduler, 1}]),
    receive Answer -> Answer end.

add(one_call, List, Turns) -> add_one(List, Turns);
add(two_calls, List, Turns) -> add_either(List, Turns).

add_one([Number | Rest], Turns) -> [Number + 1 | add_one(Rest, Turns)];
add_one([], Turns) -> at_the_end(Turns).

add_either([Number | Rest], Turns) when Number rem 2 =:= 0 -> [Number + 1 | add_either(Rest, Turns)];
add_either([Number | Rest], Turns) ->
    Added = add_either(Rest, Turns),
    [Number + 1 | Added];
add_either([], Turns) -> at_the_end(Turns).

at_the_end(Turns) ->
    put(turns, counters:get(Turns, 1)),
    [].
