%% Starts an experiment from the command line and prints how long it took:
%%   erl -noshell -s timed tc create_process start 1000000 -s erlang halt
%% prints `timed: MICROSECONDS`, measured by timer:tc/3.
-module(timed).
-export([tc/1, waiting/1]).

tc([Module, Function | Arguments]) ->
    {Micros, _} = timer:tc(Module, Function, [number(A) || A <- Arguments]),
    io:format("timed: ~b~n", [Micros]).

%% Creates N processes that wait, prints how long that took, then `waiting`, and then waits
%% too, so that the memory of the VM can be read from outside.
waiting([Count]) ->
    N = number(Count),
    Starter = self(),
    {Micros, ok} = timer:tc(fun() -> create(N, Starter) end),
    io:format("timed: ~b~nwaiting: ~b~n", [Micros, N]),
    receive after infinity -> ok end.

create(0, _) -> ok;
create(N, Starter) ->
    spawn(fun() -> receive {Starter, stop} -> ok end end),
    create(N - 1, Starter).

number(Atom) -> list_to_integer(atom_to_list(Atom)).
