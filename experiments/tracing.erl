%% What tracing costs: a process does what is traced, until its tracer has been told all of it.
%%   erl +S 1:1 -noshell -s tracing run calls 300000 -s erlang halt
%% prints `timed: MICROSECONDS` for so many events. `patterns` turns a pattern for all functions of so many modules on
%% and off; `profile` compiles so many small modules under fprof and reads its trace.
-module(tracing).
-export([run/1]).
-export([called/1, counted/2, timed/2]).

run([patterns, Size]) ->
    Modules = modules(number(Size)),
    turn(Modules),
    print(element(1, timer:tc(fun() -> turn(Modules) end)));
run([profile, Size]) ->
    profile(number(Size));
run([Kind, Size]) ->
    Count = number(Size),
    events(Kind, Count div 10),
    print(events(Kind, Count)).

number(Size) -> list_to_integer(atom_to_list(Size)).

print(Microseconds) -> io:format("timed: ~b~n", [Microseconds]).

%% How long it takes until the tracer has been told of so many events.
events(Kind, Count) ->
    Tracer = spawn(fun() -> tracer(0) end),
    {Program, Flags, Pattern, IsTold} = what(Kind, Count),
    set(Pattern, true),
    Me = self(),
    Tracee = spawn(fun() -> receive go -> ok end, Program(), Me ! {done, self()}, receive stop -> ok end end),
    Flags =:= [] orelse erlang:trace(Tracee, true, Flags ++ [{tracer, Tracer} || IsTold]),
    {Time, _} = timer:tc(fun() -> Told = traced(Tracee, Tracer), IsTold andalso Told < Count
        andalso exit({missing, Told}) end),
    set(Pattern, false),
    Tracee ! stop,
    exit(Tracer, kill),
    Time.

traced(Tracee, Tracer) ->
    Tracee ! go,
    receive {done, Tracee} -> ok end,
    Delivered = erlang:trace_delivered(Tracee),
    receive {trace_delivered, _, Delivered} -> ok end,
    Tracer ! {count, self()},
    receive {told, Told} -> Told end.

tracer(Told) ->
    receive
        {count, Pid} -> Pid ! {told, Told}, tracer(0);
        _ -> tracer(Told + 1)
    end.

set(none, _) -> ok;
set({Function, Options}, On) -> 1 = erlang:trace_pattern(Function, On, Options).

%% What the traced process does, how it is traced, the pattern, and whether the tracer is told of each event.
what(calls, Count) -> {fun() -> call(Count) end, [call], {{?MODULE, called, 1}, [local]}, true};
what(call_count, Count) -> {fun() -> counted(Count, 0) end, [], {{?MODULE, counted, 2}, [call_count]}, false};
what(call_time, Count) -> {fun() -> timed(Count, 0) end, [call], {{?MODULE, timed, 2}, [call_time]}, false};
what(messages, Count) -> {fun() -> messages(Count div 2) end, [send, 'receive'], none, true};
what(collections, Count) -> {fun() -> collect(Count div 2) end, [garbage_collection], none, true}.

call(0) -> ok;
call(N) -> called(N), call(N - 1).

called(N) -> N.

counted(0, Sum) -> Sum;
counted(N, Sum) -> counted(N - 1, Sum + N).

timed(0, Sum) -> Sum;
timed(N, Sum) -> timed(N - 1, Sum + N).

messages(0) -> ok;
messages(N) -> self() ! N, receive N -> messages(N - 1) end.

collect(0) -> ok;
collect(N) -> erlang:garbage_collect(), collect(N - 1).

modules(Count) ->
    Files = [File || Application <- [compiler, stdlib, kernel],
        File <- filelib:wildcard(code:lib_dir(Application, ebin) ++ "/*.beam")],
    Names = [list_to_atom(filename:basename(File, ".beam")) || File <- Files],
    [Name || Name <- lists:sublist(Names, Count), {module, _} <- [code:ensure_loaded(Name)]].

turn(Modules) ->
    [erlang:trace_pattern({Module, '_', '_'}, On, [local]) || On <- [true, false], Module <- Modules].

%% Prints how long the traced compilations took as `traced:`, and how long it took to read their trace as `read:`.
profile(Count) ->
    File = "tracing." ++ os:getpid() ++ ".trace",
    compile_module(),
    {Traced, _} = timer:tc(fun() ->
                                   fprof:trace([start, {file, File}]),
                                   [compile_module() || _ <- lists:seq(1, Count)],
                                   fprof:trace(stop)
                           end),
    {Read, ok} = timer:tc(fun() -> fprof:profile([{file, File}]) end),
    file:delete(File),
    io:format("traced: ~b~nread: ~b~n", [Traced, Read]).

%% A module of one function, with the compiler's own passes for a body of some size.
compile_module() ->
    {ok, Tokens, _} = erl_scan:string("-module(m). -export([f/2]). f([{K, V} | T], D) -> f(T, D#{K => [V, K]}); f([], D) -> D."),
    {ok, m, _} = compile:forms(forms(Tokens, []), [binary]).

forms([], []) -> [];
forms([{dot, _} = Dot | Rest], Form) ->
    {ok, Parsed} = erl_parse:parse_form(lists:reverse([Dot | Form])),
    [Parsed | forms(Rest, [])];
forms([Token | Rest], Form) -> forms(Rest, [Token | Form]).
