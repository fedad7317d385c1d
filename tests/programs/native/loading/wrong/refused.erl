-module(refused).
-export([load/1, native/0, plain/0]).
-nifs([native/0]).

load(Name) -> erlang:load_nif(filename:join(filename:dirname(code:which(?MODULE)), Name), 0).

native() -> erlang:nif_error(not_loaded).
plain() -> plain.
