-module(loads_well).
-on_load(init/0).
-export([value/0]).
init() -> persistent_term:put(loads_well, set_by_on_load), helper(), ok.
helper() -> ok.
value() -> persistent_term:get(loads_well).
