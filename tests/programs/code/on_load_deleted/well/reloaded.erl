-module(reloaded).
-on_load(init/0).
-export([version/0, loop/1]).
init() -> ok.
version() -> well.
loop(To) -> receive ask -> To ! {answer, self(), well}, loop(To); stop -> To ! {stopped, self()} end.
