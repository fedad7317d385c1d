%% Times the programs of this folder. Each module `compute_NAME` exports `run/0`, which does some tens of milliseconds
%% of ordinary work in one process and returns its result.
%%
%%   erl -noshell -s compute time fib -s erlang halt
%%
%% runs one of them in new processes, once to warm up and then several times, and prints the least time:
%%
%%   compute: MICROSECONDS us, answer HASH
-module(compute).
-export([time/1, all/0, all/1]).

-define(ROUNDS, 5).

time([Name]) ->
    {Micros, Answer} = measure(Name),
    io:format("compute: ~b us, answer ~b~n", [Micros, erlang:phash2(Answer)]).

%% All of them, or those named, in one VM: `erl -noshell -s compute all -s erlang halt`.
all() ->
    {ok, Files} = file:list_dir("."),
    Names = [list_to_atom(lists:sublist(File, 9, length(File) - 13))
             || File <- lists:sort(Files),
                lists:prefix("compute_", File), lists:suffix(".beam", File)],
    all(Names).

all(Names) ->
    lists:foreach(
      fun(Name) ->
              {Micros, Answer} = measure(Name),
              io:format("~-20s ~8b ~b~n", [Name, Micros, erlang:phash2(Answer)])
      end, Names).

measure(Name) ->
    Module = list_to_atom("compute_" ++ atom_to_list(Name)),
    {module, Module} = code:ensure_loaded(Module),
    {_, Answer} = run(Module),
    Times = [begin {Time, Answer} = run(Module), Time end || _ <- lists:seq(1, ?ROUNDS)],
    {lists:min(Times), Answer}.

run(Module) ->
    {_, Monitor} =
        spawn_monitor(
          fun() ->
                  Start = erlang:monotonic_time(),
                  Answer = Module:run(),
                  Time = erlang:monotonic_time() - Start,
                  exit({done, erlang:convert_time_unit(Time, native, microsecond), Answer})
          end),
    receive
        {'DOWN', Monitor, process, _, {done, Time, Answer}} -> {Time, Answer};
        {'DOWN', Monitor, process, _, Reason} -> exit({Module, Reason})
    end.
