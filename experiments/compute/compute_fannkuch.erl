%% Every permutation of eight numbers: how often its front must be reversed until the 1 leads.
-module(compute_fannkuch).
-export([run/0]).

run() -> permute(lists:seq(1, 8), [], [], {0, 0, 1}).

%% Goes through the permutations of `Left ++ Skipped` in front of `Chosen`. The state is the checksum, the most flips
%% seen, and the sign of the next permutation.
permute([], [], Chosen, {Sum, Most, Sign}) ->
    Flips = flips(Chosen, 0),
    {Sum + Sign * Flips, max(Most, Flips), -Sign};
permute([], _, _, State) ->
    State;
permute([Number | Left], Skipped, Chosen, State) ->
    Rest = lists:reverse(Skipped, Left),
    permute(Left, [Number | Skipped], Chosen, permute(Rest, [], [Number | Chosen], State)).

flips([1 | _], Count) -> Count;
flips([First | _] = Numbers, Count) -> flips(turn(First, Numbers, []), Count + 1).

turn(0, Rest, Front) -> Front ++ Rest;
turn(N, [Number | Rest], Front) -> turn(N - 1, Rest, [Number | Front]).
