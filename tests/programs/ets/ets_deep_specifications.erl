%% differs: compiled specifications within each other overflow stock's stack when they are freed
%% Match specifications that are deep, long, or hold one another. The machine's stack is not used for them, and what
%% they cost is in proportion to their size: no part takes seconds.
%% timeout: 60
-module(ets_deep_specifications).
-export([main/0]).

-define(DEEP, 100000).

main() ->
    see:value(nested, nested()),
    [see:value(Name, ran(Head, Body, Subject)) || {Name, Head, Body, Subject} <- deep()],
    see:value(guards, ets:match_spec_run([{[], 1}], ets:match_spec_compile([{{'$1', '_'}, guards(), [true]}]))),
    see:value(bad_guard, try ets:match_spec_compile([{{'$1', '_'}, [nest(fun(X) -> {no_function, X} end, true)],
        [true]}]) catch error:E -> E end),
    see:value(variables, variables(60000)),
    see:value(all_bindings, ets:is_compiled_ms(all_bindings(40000))),
    see:value(clauses, clauses(60000)),
    see:value(replaced, replaced()).

%% The last process that holds them ends.
nested() ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        Last = nest(fun(X) -> ets:match_spec_compile([{'_', [], [{const, X}]}]) end, x),
        exit(ets:is_compiled_ms(Last))
    end),
    receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end.

deep() ->
    List = nest(fun(X) -> [X] end, '$1'),
    Tuple = nest(fun(X) -> {X} end, '$1'),
    Map = nest(fun(X) -> #{key => X} end, '$1'),
    [{lists, {List, '_'}, List, {nest(fun(X) -> [X] end, 1), 2}},
     {tuples, {Tuple, '_'}, nest(fun(X) -> {{X}} end, '$1'), {nest(fun(X) -> {X} end, 1), 2}},
     {maps, {Map, '_'}, Map, {nest(fun(X) -> #{key => X} end, 1), 2}},
     {calls, {'$1', '_'}, nest(fun(X) -> {hd, X} end, '$1'), {[], 2}}].

ran(Head, Body, Subject) ->
    [Result] = ets:match_spec_run([Subject], ets:match_spec_compile([{Head, [], [Body]}])),
    case Result of
        'EXIT' -> failed;
        _ -> Result =:= element(1, Subject)
    end.

guards() ->
    [nest(fun(X) -> {F, true, X} end, true) || F <- ['and', 'andalso', '=:=']] ++
        [nest(fun(X) -> {'not', X} end, true)].

variables(N) ->
    Head = list_to_tuple([list_to_atom("$" ++ integer_to_list(I)) || I <- lists:seq(1, N)]),
    Subject = list_to_tuple(lists:seq(1, N)),
    [Result] = ets:match_spec_run([Subject], ets:match_spec_compile([{Head, [], [{Head}]}])),
    Result =:= Subject.

all_bindings(N) ->
    Head = list_to_tuple([list_to_atom("$" ++ integer_to_list(I)) || I <- lists:seq(1, N)]),
    ets:match_spec_compile([{Head, [], [lists:duplicate(N, '$$')]}]).

clauses(N) ->
    [begin
         T = ets:new(t, [Kind]),
         ets:insert(T, [{I} || I <- lists:seq(1, N, 7)]),
         Specification = [{{I}, [], ['$_']} || I <- lists:seq(N, 1, -1) ++ lists:seq(1, N)],
         length(ets:select(T, Specification))
     end || Kind <- [set, ordered_set, bag]].

replaced() ->
    T = ets:new(t, []),
    ets:insert(T, {nest(fun(X) -> [X] end, 1), 5}),
    Key = nest(fun(X) -> [X] end, '$1'),
    see:value(count, ets:select_replace(T, [{{Key, 5}, [], [{{Key, 6}}]}])),
    ets:select(T, [{{'_', '$1'}, [], ['$1']}]).

nest(F, X) -> lists:foldl(fun(_, Inner) -> F(Inner) end, X, lists:seq(1, ?DEEP)).
