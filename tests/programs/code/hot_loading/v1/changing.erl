-module(changing).
-export([version/0, loop/1, keep/0, fun_of/1, literal/0]).
version() -> 1.
loop(To) ->
    receive
        version -> To ! {version, local()}, loop(To);
        switch -> To ! switching, ?MODULE:loop(To);
        crash -> error(crash_in_one)
    end.
local() -> one.
keep() -> receive go -> ok end, local().
fun_of(X) -> fun() -> {one, X, local()} end.
literal() -> {literal, [one, "string", #{version => 1}]}.
