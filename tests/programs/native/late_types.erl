%% Types of objects that a native library opens when it is loaded already.
%% needs: erl_nif.h
%% releases: 25 27 29
-module(late_types).
-export([main/0, init/0, open/2]).
-on_load(init/0).

-define(CREATE, 1).
-define(TAKEOVER, 2).

init() ->
    ok = erlang:load_nif(filename:rootname(code:which(?MODULE)), 0),
    persistent_term:put(?MODULE, open(during_on_load, ?CREATE)).

%% Whether there is a type, whether it is the one that was opened in time, and what was tried.
open(_, _) -> erlang:nif_error(not_loaded).

main() ->
    see:value(during_on_load, persistent_term:get(?MODULE)),
    [see:value({Name, Flags}, open(Name, Flags))
     || {Name, Flags} <- [{late, ?CREATE}, {in_time, ?CREATE}, {in_time, ?TAKEOVER}, {in_time, ?CREATE bor ?TAKEOVER},
                          {late, ?CREATE bor ?TAKEOVER}, {late, ?TAKEOVER}, {never, ?TAKEOVER}]].
