%% Starts the experiments that are written in Elixir.
%%
%%   erl -noshell -s elixir_forms lives agent 30000 /usr/bin/elixir -s erlang halt
%%
%% The libraries of Elixir are found by the path of the program `elixir`. The sources, which lie beside this module, are
%% compiled on the VM that is measured, before anything is timed.
-module(elixir_forms).
-export([lives/1, supervised/1, tasks/1, compute/1]).

lives([Kind, Count, Elixir]) ->
    forms(Elixir),
    lives:of_module(list_to_atom("lab_" ++ atom_to_list(Kind)), lives:number(Count)).

supervised([Count, Elixir]) ->
    forms(Elixir),
    Counter = counters:new(1, []),
    supervised:with(fun lab_supervisor:start/0,
                    fun(Supervisor, Key) -> lab_supervisor:start_child(Supervisor, Counter, Key) end,
                    {lives:number(Count), 10, Counter}).

tasks([Count, Elixir]) ->
    forms(Elixir),
    N = lives:number(Count),
    lives:alone(fun() -> lives:step("stream", fun() -> lab_tasks:stream(N) end) end).

%% A program of `compute`, timed as those in Erlang are.
compute([Name, Elixir]) ->
    compile(Elixir, "compute_" ++ atom_to_list(Name)),
    compute:time([Name]).

forms(Elixir) -> compile(Elixir, "elixir_processes").

compile(Elixir, Name) ->
    Folders = filelib:wildcard(filename:join(libraries(atom_to_list(Elixir)), "*/ebin")),
    ok = code:add_pathsz(Folders),
    {ok, _} = application:ensure_all_started(elixir),
    Source = filename:join(filename:dirname(code:which(?MODULE)), Name ++ ".ex"),
    _ = 'Elixir.Code':compile_file(unicode:characters_to_binary(Source)),
    ok.

%% The program is `bin/elixir` beside `lib`, or something that runs it.
libraries(Elixir) ->
    Real = followed(Elixir),
    Beside = filename:join([filename:dirname(filename:dirname(Real)), "lib"]),
    case filelib:is_dir(filename:join([Beside, "elixir", "ebin"])) of
        true -> Beside;
        false -> filename:dirname(string:trim(os:cmd(Elixir ++ " -e 'IO.puts :code.lib_dir(:elixir)'")))
    end.

followed(Path) ->
    case file:read_link_all(Path) of
        {ok, Target} -> followed(filename:absname(Target, filename:dirname(Path)));
        {error, _} -> Path
    end.
