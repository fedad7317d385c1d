%% Programs hand back terms that only look like the state of a traversal, or of joining a list, between two slices.
-module(ets_handed_back).
-export([main/0]).

main() ->
    [paused(Kind, Result) || Kind <- [set, ordered_set, duplicate_bag, bag], Result <- [foo, {{x}}, {{x, y, z}}, true]],
    replaced(),
    renamed(),
    iolists().

%% Tuples in the place of a specification.
paused(Kind, Result) ->
    T = table(Kind),
    Compiled = ets:match_spec_compile([{'_', [], [Result]}]),
    Tuples = [{0, 0, Compiled, [], 0, false, false}, {0, 0, Compiled, [], 0, false, true},
              {{1, []}, 0, Compiled, [], 0, false, false}, {Compiled, {[], [], []}}, {make_ref(), {0, [], []}},
              {T, {0, 0, Compiled, [], 0, false, false}}, {Compiled, T, {0, 0, Compiled, [], 0, false, false}}],
    Calls = [{F, fun() -> ets:F(T, Tuple) end} || Tuple <- Tuples, F <- [select, select_count, select_delete,
        select_replace, select_reverse]]
        ++ [{F, fun() -> ets:F(T, Tuple) end} || Tuple <- Tuples, F <- [match, match_object, match_delete]]
        ++ [{F, fun() -> ets:F(T, Tuple, 2) end} || Tuple <- Tuples,
            F <- [select, select_reverse, match, match_object]],
    see:value({Kind, Result}, [{F, outcome(Call)} || {F, Call} <- Calls]),
    see:value(left, {lists:sort(ets:tab2list(T)), ets:info(T, size), ets:info(T, fixed),
        [ets:lookup(T, I) || I <- lists:seq(1, 5)]}),
    ets:delete(T).

%% Bodies that may or may not keep the key.
replaced() ->
    Bodies = ['$_', {{'$1', '$2', '$3'}}, {{'$2', '$1', '$3'}}, {{'$1', x}}, {{'$1', '$2'}}, {{x, '$2', '$3'}},
        {{x, y, {element, 3, '$_'}}},
              {{x, y, {element, 1, '$_'}}}, {const, {a, b, c}}, foo, {{}}, {element, 2, '$_'}, {{x, y, '$3', more}},
              {{x, y, {{'$3'}}}}, {{{hd, '$1'}, y, '$3'}}],
    [begin
         T = table(set),
         see:value({replace, Body}, {outcome(fun() -> ets:select_replace(T, [{{'$1', '$2', '$3'}, [], [Body]}]) end),
             lists:sort(ets:tab2list(T)),
                                     [length(ets:lookup(T, I)) || I <- lists:seq(1, 7)]}),
         see:value(compiled, outcome(fun() ->
             ets:select_replace(T, ets:match_spec_compile([{{'$1', '$2', '$3'}, [], [Body]}])) end)),
         ets:delete(T)
     end || Body <- Bodies].

%% While a process walks through a table, the table's name goes to another one.
renamed() ->
    see:value(renamed, lists:usort([renamed(F) || _ <- [1, 2, 3], F <- [select_count, select, match_object]])).

renamed(F) ->
    N = 40000,
    T = ets:new(walked, [named_table, public]),
    ets:insert(T, [{I, I} || I <- lists:seq(1, N)]),
    {Pattern, Count} = case F of
        select_count -> {[{{'$1', '_'}, [{'>', '$1', 0}], [true]}], fun(X) -> X end};
        select -> {[{{'$1', '_'}, [{'>', '$1', 0}], ['$1']}], fun length/1};
        match_object -> {{'_', '_'}, fun length/1}
    end,
    Self = self(),
    {Walker, Monitor} = spawn_monitor(fun() -> Self ! started,
        exit({counted, outcome(fun() -> Count(ets:F(walked, Pattern)) end)}) end),
    receive started -> ok end,
    ets:rename(walked, renamed),
    ets:new(walked, [named_table, public]),
    ets:insert(walked, [{I, I} || I <- lists:seq(1, 1000)]),
    Result = receive {'DOWN', Monitor, process, Walker, {counted, X}} -> X end,
    Fixed = {ets:info(walked, fixed), ets:info(renamed, fixed)},
    ets:delete(walked),
    ets:delete(renamed),
    %% The walk may also have begun after the change of names.
    {case Result of N -> whole; 1000 -> whole; {error, badarg} -> no_table; Other -> Other end =/= wrong, Fixed}.

%% The list in a stack trace is the one that was given, and cannot be used to go on with another one.
iolists() ->
    Long = [lists:duplicate(400000, $a), bad],
    [try apply(erlang, F, [Long]) catch error:Reason:Stack ->
         [{M, F, [Shown | _], _} | _] = Stack,
         see:value({F, Reason}, {M, Shown =:= Long}),
         Forged = case Shown of [Mark, _ | Rest] -> [Mark, lists:duplicate(4000000, $b) | Rest]; _ -> Shown end,
         [see:value({F, again, G}, outcome(fun() -> byte_size(erlang:G(X)) end)) || X <- [Shown, Forged],
             G <- [iolist_to_binary, list_to_binary]]
     end || F <- [iolist_to_binary, list_to_binary, list_to_bitstring, iolist_size]].

table(Kind) ->
    T = ets:new(t, [Kind, public, {keypos, 3}]),
    ets:insert(T, [{I, b, I} || I <- lists:seq(1, 7)]),
    T.

outcome(F) ->
    try F() catch Class:Reason -> {Class, Reason} end.
