%% differs: stock crashes on some of these terms (an improper list of results that are left over)
%% Continuations of select and match with parts exchanged, of other shapes, and repaired. Whatever a program makes of
%% them, the machine goes on, and the tables stay as they were.
-module(ets_forged_continuations).
-export([main/0]).

main() ->
    [changed(Kind) || Kind <- [set, ordered_set]].

%% A continuation with other parts.
changed(Kind) ->
    T = table(Kind),
    Other = ets:new(other, [set, private]),
    {_, Real} = ets:select(T, [{'$1', [], ['$1']}], 3),
    Compiled = ets:match_spec_compile([{'_', [], [same]}]),
    Parts = [T, Other, no_table, make_ref(), -1, 0, 1, 255, 100000, 1 bsl 58, 1 bsl 70, -5, [], [a, b | c], [a], {},
        foo, Compiled, '$1', {'$1', '_'}, 1.5],
    Forged = [setelement(N, Real, Part) || N <- lists:seq(1, tuple_size(Real)), Part <- Parts],
    Shapes = [{}, {T}, {T, 1}, erlang:delete_element(6, Real), erlang:append_element(Real, []), [], 0, foo,
        list_to_tuple(lists:duplicate(6, T)),
              list_to_tuple(lists:duplicate(8, T))],
    Forwards = [select, match, match_object],
    see:value({Kind, forged}, [[shape(outcome(fun() -> ets:F(C) end), Kind) || C <- Forged ++ Shapes]
        || F <- Forwards]),
    [outcome(fun() -> ets:select_reverse(C) end) || C <- Forged ++ Shapes],
    see:value({Kind, goes_on}, {rest(Kind, outcome(fun() -> all(ets:select(Real)) end)), lists:sort(ets:tab2list(T)),
        ets:tab2list(Other)}),
    Far = binary_to_term(term_to_binary(setelement(compiled_at(Real), Real, <<>>))),
    see:value({Kind, repaired},
        rest(Kind, outcome(fun() -> all(ets:select(ets:repair_continuation(Far, [{'$1', [], ['$1']}]))) end))),
    see:value({Kind, unrepaired}, outcome(fun() -> ets:select(Far) end)),
    see:value({Kind, compiled}, [ets:is_compiled_ms(X) || X <- [Compiled, make_ref(), T, atomics:new(1, []), <<>>,
        element(compiled_at(Real), Real)]]),
    ets:delete(T),
    see:value({Kind, gone}, outcome(fun() -> ets:select(Real) end)).

compiled_at(Continuation) -> if tuple_size(Continuation) =:= 6 -> 4; true -> 5 end.

%% What comes of it, without the order of a hash table and without references.
shape({error, badarg}, _) -> e;
shape('$end_of_table', _) -> '$';
shape({L, '$end_of_table'}, Kind) -> {shown(L, Kind), '$'};
shape({L, C}, Kind) when is_tuple(C) -> {shown(L, Kind), c}.

shown(L, ordered_set) -> L;
shown(L, set) -> length(L).

%% The other objects of a table after the first three, which are others on each release if the table is hashed.
rest(ordered_set, L) -> L;
rest(set, L) -> length(L).

all('$end_of_table') -> [];
all({L, C}) -> lists:sort(L ++ all(ets:select(C))).

table(Kind) ->
    T = ets:new(t, [Kind, public, {keypos, 3}]),
    ets:insert(T, [{I, b, I} || I <- lists:seq(1, 7)]),
    T.

outcome(F) ->
    try F() catch Class:Reason -> {Class, Reason} end.
