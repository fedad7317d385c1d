-module(loads_crashing).
-on_load(init/0).
-export([value/0]).
init() -> exit(crashed_on_load).
value() -> wrong.
