-module(reloaded).
-on_load(init/0).
-export([version/0, fun_of/1, loop/1]).
init() -> persistent_term:get(may_load).
version() -> changing.
fun_of(X) -> fun() -> {changing, X} end.
loop(To) -> receive ask -> To ! {answer, self(), changing}, loop(To); stop -> To ! {stopped, self()} end.
