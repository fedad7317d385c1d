%% The functions of natives.c, of which the library lies beside this module.
-module(natives).
-export([object/1, take/1]).
-on_load(load/0).

load() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

object(_Bytes) -> erlang:nif_error(not_loaded).
take(_Bytes) -> erlang:nif_error(not_loaded).
