%% The names of the system's error numbers: OTP 29 has more, and tells apart those that have none.
%% needs: erl_nif.h
-module(error_names).
-export([main/0, init/0, name/1]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

name(_) -> erlang:nif_error(not_loaded).

main() -> [see:value(Number, name(Number)) || Number <- lists:seq(-1, 140) ++ [4095, 1 bsl 30]].
