-module(reloaded).
-on_load(init/0).
-export([version/0, loop/1]).
%% Leaves a process behind that runs this version, once somebody watches it.
init() ->
    {Me, Left} = {self(), spawn(fun() -> left() end)},
    watcher ! {left, Me, Left},
    receive watched -> not_today end.
left() -> receive never -> left() end.
version() -> badly.
loop(To) -> receive ask -> To ! {answer, self(), badly}, loop(To) end.
