%% The continuation of a hash table belongs to the table, not to its name: it goes on after the table was renamed, and
%% fails when the table is gone, even if another one has the name. That of an ordered set goes by the name.
-module(ets_renamed).
-export([main/0]).

main() ->
    [case_of(Kind, F) || Kind <- [set, ordered_set, bag], F <- [select, match_object, match]].

case_of(Kind, F) ->
    T = named(Kind, 1),
    {First, C} = first(F),
    ets:rename(walked, renamed),
    New = named(Kind, 100),
    see:value({Kind, F, renamed}, {is_reference(element(1, C)), lists:sort(First ++ rest(F, C))}),
    ets:delete(renamed),
    see:value({Kind, F, gone}, catch_reason(fun() -> ets:F(C) end)),
    {_, C2} = first(F),
    ets:delete(walked),
    see:value({Kind, F, deleted}, catch_reason(fun() -> ets:F(C2) end)),
    named(Kind, 200),
    see:value({Kind, F, again}, catch_reason(fun() -> ets:F(C2) end)),
    see:value(names, [T, New]),
    ets:delete(walked).

named(Kind, From) ->
    T = ets:new(walked, [Kind, named_table]),
    ets:insert(T, [{I, x} || I <- lists:seq(From, From + 9)]),
    T.

first(select) -> ets:select(walked, [{{'$1', x}, [], ['$1']}], 3);
first(F) -> ets:F(walked, {'$1', x}, 3).

rest(_, '$end_of_table') -> [];
rest(F, C) ->
    case ets:F(C) of
        {L, Next} -> L ++ rest(F, Next);
        '$end_of_table' -> []
    end.

catch_reason(F) ->
    try F() of
        {Result, _} -> {returned, Result}
    catch
        error:Reason -> Reason
    end.
