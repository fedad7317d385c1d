%% What native libraries do most: they make terms, and send messages from threads of their own.
%%   erl -noshell -s natives run terms 100000 cc -s erlang halt
%% Times are printed in microseconds. The library is compiled beside this module, by the last argument, when it is first
%% used.
-module(natives).
-export([run/1, make/0, send_from_thread/2]).

run([What, N, Compiler]) ->
    load(filename:join(filename:dirname(code:which(?MODULE)), "natives"), Compiler),
    measure(What, list_to_integer(atom_to_list(N))).

load(Library, Compiler) ->
    filelib:is_file(Library ++ ".so") orelse compile(Library, Compiler),
    ok = erlang:load_nif(Library, 0).

compile(Library, Compiler) ->
    Own = Library ++ os:getpid() ++ ".so",
    Headers = filename:join(code:root_dir(), "usr/include"),
    "" = os:cmd(lists:concat([Compiler, " -shared -fPIC -O2 -pthread -I '", Headers, "' -o '", Own, "' '", Library,
        ".c'"])),
    ok = file:rename(Own, Library ++ ".so").

%% A list of ten integers, a map of four keys and a binary of 100 bytes, in a tuple.
measure(terms, N) ->
    makes(max(1, N div 10)),
    timed(fun() -> makes(N) end);
measure(messages, N) ->
    Self = self(),
    timed(fun() -> spawn(fun() -> send_from_thread(Self, N) end), receives(N) end).

timed(Fun) ->
    Begin = erlang:monotonic_time(microsecond),
    Fun(),
    io:format("timed: ~b~n", [erlang:monotonic_time(microsecond) - Begin]).

makes(0) -> ok;
makes(N) -> _ = make(), makes(N - 1).

receives(0) -> ok;
receives(N) -> receive {_, _} -> receives(N - 1) end.

make() -> erlang:nif_error(not_loaded).
send_from_thread(_, _) -> erlang:nif_error(not_loaded).
