-module(loads_slowly).
-on_load(init/0).
-export([value/0]).
init() -> receive after 50 -> ok end.
value() -> slow.
