%% Exceptions of each class, caught.
-module(exceptions_shown).
-export([main/0]).
-export([id/1]).

main() ->
    show(fun() -> throw(thrown) end),
    show(fun() -> exit(exited) end),
    show(fun() -> error(raised) end),
    show(fun() -> 1 = id(2) end),
    show(fun() -> case id(1) of 2 -> no end end),
    show(fun() -> if hd([false]) -> no end end),
    show(fun() -> id(a) + 1 end),
    show(fun() -> only_one(2) end),
    show(fun() -> (id(atom))() end),
    show(fun() -> (fun(_) -> no end)() end),
    show(fun() -> no_such_module:no_such_function() end),
    show(fun() -> hd([]) end),
    show(fun() -> element(3, {1, 2}) end),
    show(fun() -> 1 div id(0) end),
    show(fun() -> map_get(k, #{}) end),
    show(fun() -> (id(#{}))#{k := v} end),
    erlang:display(catch throw(x)),
    erlang:display(after_runs()).

show(F) ->
    try F() of
        V -> erlang:display({value, V})
    catch
        Class:Reason -> erlang:display({Class, Reason})
    end.

only_one(1) -> ok.

after_runs() ->
    try
        try throw(inner) after put(seen, true) end
    catch throw:inner -> get(seen)
    end.

id(X) -> X.
