%% Collects trace messages and shows them alike in every run: processes, ports and references have names, times are
%% signs of their kind.
-module(tracelog).
-export([start/0, start/1, events/2, events/3, stop/1, show/3, named/2, clean/2]).

%% A tracer that keeps what it gets.
start() -> start([]).

start(Options) -> spawn_opt(fun() -> process_flag(trap_exit, true), keep([]) end, Options).

keep(Kept) ->
    receive
        {?MODULE, From, give} -> From ! {?MODULE, self(), lists:reverse(Kept)}, keep([]);
        {?MODULE, From, stop} -> From ! {?MODULE, self(), stopped};
        Event -> keep([Event | Kept])
    end.

%% All that a tracer has got since the last call; whatever the tracees have done until now has been told. The pids of
%% tracees may belong to processes that have ended.
events(Tracer, Tracees) ->
    [begin
         Reference = erlang:trace_delivered(Tracee),
         receive {trace_delivered, Tracee, Reference} -> ok end
     end || Tracee <- Tracees],
    Tracer ! {?MODULE, self(), give},
    receive {?MODULE, Tracer, Events} -> Events end.

events(Tracer, Tracees, Names) -> [named(Event, Names) || Event <- events(Tracer, Tracees)].

%% Prints the events, one a line.
show(Label, Events, Names) ->
    io:format("~w:~n", [Label]),
    [io:format("    ~0tp~n", [named(Event, Names)]) || Event <- Events],
    ok.

stop(Tracer) ->
    Tracer ! {?MODULE, self(), stop},
    receive {?MODULE, Tracer, stopped} -> ok end.

%% Replaces processes, ports and references by their names; those without one by their kind.
named(Term, Names) when is_pid(Term); is_port(Term); is_reference(Term) ->
    case maps:find(Term, Names) of
        {ok, Name} -> Name;
        error when is_pid(Term) -> 'PID';
        error when is_port(Term) -> 'PORT';
        error -> 'REF'
    end;
named(Term, _) when is_function(Term) ->
    {module, M} = erlang:fun_info(Term, module),
    {'FUN', M, element(2, erlang:fun_info(Term, arity))};
named([H | T], Names) -> [named(H, Names) | named(T, Names)];
named(Term, Names) when is_tuple(Term) -> list_to_tuple(named(tuple_to_list(Term), Names));
named(Term, Names) when is_map(Term) -> maps:from_list(named(maps:to_list(Term), Names));
named(Term, _) -> Term.

%% Events with their timestamps, the last elements, replaced by their kind.
clean(Events, Names) ->
    [named(case element(1, E) of
               trace_ts -> setelement(size(E), E, stamp(element(size(E), E)));
               _ -> E
           end, Names) || E <- Events].

stamp({A, B, C}) when is_integer(A), is_integer(B), is_integer(C), B < 1000000, C < 1000000 -> now;
stamp({A, B}) when is_integer(A), is_integer(B) -> strict;
stamp(A) when is_integer(A) -> monotonic;
stamp(Other) -> {no_timestamp, Other}.
