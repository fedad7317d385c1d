-module(changing).
-export([version/0, loop/1, keep/0, fun_of/1, literal/0, added/0]).
version() -> 2.
added() -> new_function.
loop(To) ->
    receive
        version -> To ! {version, local()}, loop(To);
        switch -> To ! switching, ?MODULE:loop(To);
        crash -> error(crash_in_two)
    end.
local() -> two.
keep() -> receive go -> ok end, local().
fun_of(X) -> fun() -> {two, X, local()} end.
literal() -> {literal, [two, "string", #{version => 2}]}.
