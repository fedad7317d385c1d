%% ets:info(Table, binary) tells which binaries a table holds: also those of objects that were deleted while it was
%% fixed, as long as it is fixed.
-module(ets_held_binaries).
-export([main/0]).

main() ->
    [held(Kind, Options) || Kind <- [set, bag, duplicate_bag, ordered_set], Options <- [[], [{write_concurrency, true}],
        [compressed]]].

held(Kind, Options) ->
    T = ets:new(t, [Kind, public | Options]),
    Binary = binary:copy(<<"held">>, 100),
    ets:insert(T, [{I, Binary} || I <- lists:seq(1, 50)]),
    Before = count(T),
    ets:safe_fixtable(T, true),
    [ets:delete(T, I) || I <- lists:seq(1, 50, 2)],
    Fixed = count(T),
    Keys = length(keys(T, ets:first(T))),
    ets:safe_fixtable(T, false),
    see:value({Kind, Options}, {Before, Fixed, Keys, count(T), ets:info(T, size)}),
    ets:delete(T).

count(T) -> length(ets:info(T, binary)).

keys(_, '$end_of_table') -> [];
keys(T, Key) -> [Key | keys(T, ets:next(T, Key))].
