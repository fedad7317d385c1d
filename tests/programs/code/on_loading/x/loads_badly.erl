-module(loads_badly).
-on_load(init/0).
-export([value/0]).
init() -> {error, not_today}.
value() -> wrong.
