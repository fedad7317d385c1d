-module(leaver).
-export([load/1, lacks/0, set/0, set_twice/0, object/0]).

load(Path) -> erlang:load_nif(Path, 0).

lacks() -> erlang:nif_error(not_loaded).
set() -> erlang:nif_error(not_loaded).
set_twice() -> erlang:nif_error(not_loaded).
object() -> erlang:nif_error(not_loaded).
