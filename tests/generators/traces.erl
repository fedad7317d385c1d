%% Random tracing, by seed: flags of processes and ports, patterns of calls and messages with match specifications,
%% tracers, sequential trace. A few actors do one thing at a time, in an order that the main process gives; between that
%% it changes what is traced. After each step it waits until all events have been told, and prints them by who they are
%% of: so nothing depends on schedulers.
-module(traces).
-export([start/0]).

-define(STEPS, 20).
-define(STEP_MS, 5000).

%% `start First Count`: runs the scenarios of these numbers.
%% `start only Number Steps...`: runs one scenario several times, each time with some of its steps (`3,4,17`); its lines
%% then begin with 1, 2 and so on. A step is the same whatever other steps there are.
start() ->
    logger:set_primary_config(level, none),
    {module, _} = code:ensure_loaded(traced),
    [code:ensure_loaded(Module) || Module <- [lists, maps, seq_trace, rand]],
    case init:get_plain_arguments() of
        ["only", Word | Lists] ->
            Number = list_to_integer(Word),
            [scenario(Number, Label, numbers(List)) || {Label, List} <- lists:enumerate(Lists)];
        Words ->
            [First, Count] = [list_to_integer(Word) || Word <- Words],
            [scenario(Number, Number, lists:seq(1, ?STEPS)) || Number <- lists:seq(First, First + Count - 1)]
    end,
    halt().

numbers(List) -> [list_to_integer(Word) || Word <- string:lexemes(List, ",")].

-record(s, {label, actors, tracers, names}).

scenario(Number, Label, Steps) ->
    Main = self(),
    Tracers = [spawn_link(fun() -> tracer(Main, []) end) || _ <- [1, 2]],
    Actors = [spawn(fun() -> actor(Main) end) || _ <- [1, 2, 3]],
    Names = maps:from_list([{Main, main} | lists:zip(Actors, [a, b, c]) ++ lists:zip(Tracers, [t, u])]),
    State = #s{label = Label, actors = Actors, tracers = Tracers, names = Names},
    put(said, []),
    After = lists:foldl(fun(N, S) -> seed({Number, N}), step(N, S) end, State, Steps),
    clear(After),
    [io:format("~b: ~0tp~n", [Of, What]) || {Of, What} <- lists:reverse(erase(said))].

%% Seeds of three numbers whose sums are equal would give the same steps.
seed(Step) -> rand:seed(exsss, erlang:phash2(Step, 1 bsl 32)).

%% Ends all tracing.
clear(#s{actors = Actors, tracers = Tracers}) ->
    [catch erlang:trace(What, false, [all]) || What <- [new, new_processes, new_ports | Actors]],
    [erlang:trace_pattern({M, '_', '_'}, false, Flags) || M <- [traced, lists, maps],
        Flags <- [[local, meta, call_count, call_time], [global]]],
    [erlang:trace_pattern({erlang, F, '_'}, false, Flags) || F <- [crc32, adler32],
        Flags <- [[local, meta, call_count, call_time], [global]]],
    [erlang:trace_pattern(What, true, []) || What <- [send, 'receive']],
    [erlang:trace_pattern(on_load, false, Flags) || Flags <- [[local, meta, call_count, call_time], [global]]],
    seq_trace:reset_trace(),
    seq_trace:set_system_tracer(false),
    [catch unregister(Name) || Name <- [name_a, name_b]],
    [begin
         Monitor = monitor(process, Pid),
         unlink(Pid),
         exit(Pid, kill),
         receive {'DOWN', Monitor, process, Pid, _} -> ok end
     end || Pid <- Actors ++ Tracers],
    drain().

drain() -> receive _ -> drain() after 0 -> ok end.

%% A step: something is changed or asked, or an actor does something.
step(1, State) ->
    [begin
         Flags = trace_flags(State),
         say(State, {trace, Actor, Flags, attempt(fun() -> erlang:trace(Actor, true, Flags) end)})
     end || Actor <- State#s.actors],
    pattern(State);
step(_, State) ->
    case rand:uniform(10) of
        N when N =< 3 -> traced(State);
        N when N =< 5 -> pattern(State);
        6 -> asked(State);
        _ -> acts(State)
    end.

%% Kept until the end of the scenario: printing must not be traced.
say(#s{label = Label, names = Names}, What) -> put(said, [{Label, named(What, Names)} | get(said)]).

attempt(Fun) ->
    try Fun()
    catch
        error:Reason:Stack -> {error, Reason, info(Stack)}
    end.

%% Which argument is wrong, as the shell would tell.
info([{_, _, Arguments, Location} | _] = Stack) when is_list(Arguments) ->
    case lists:keyfind(error_info, 1, Location) of
        {error_info, Info} ->
            Module = maps:get(module, Info, erl_erts_errors),
            maps:to_list(catch Module:format_error(badarg, Stack));
        false -> none
    end;
info(_) -> none.

%%% What is traced.

traced(State) ->
    Who = one_of([some_actor(State), some_actor(State), some_actor(State), some_actor(State), new, new_processes,
        new_ports, wrong()]),
    On = one_of([true, true, true, false]),
    Flags = trace_flags(State),
    say(State, {trace, Who, On, Flags, attempt(fun() -> erlang:trace(Who, On, Flags) end)}),
    events(State).

trace_flags(State) ->
    Flags = [one_of([send, 'receive', call, call, call, procs, ports, arity, return_to, timestamp, monotonic_timestamp,
        strict_monotonic_timestamp, set_on_spawn,
                     set_on_first_spawn, set_on_link, set_on_first_link, silent])
             || _ <- lists:seq(1, rand:uniform(4))],
    Tracer = case rand:uniform(8) of
                 1 -> [{tracer, second_tracer(State)}];
                 2 -> [{tracer, one_of([wrong(), first_tracer(State)])}];
                 _ -> [{tracer, first_tracer(State)}]
             end,
    Tracer ++ Flags ++ [wrong() || rand:uniform(25) =:= 1].

pattern(State) ->
    What = one_of([mfa(), mfa(), mfa(), mfa(), mfa(), mfa(), {traced, '_', '_'}, {traced, '_', '_'}, send, 'receive',
        on_load, wrong()]),
    Specification = one_of([true, true, true, false | [specification(State) || _ <- lists:seq(1, 6)]] ++
        [restart, pause, wrong()]),
    Flags = case What of
                send -> [];
                'receive' -> [];
                _ -> pattern_flags(State)
            end,
    say(State, {pattern, What, Specification, Flags, attempt(fun() -> erlang:trace_pattern(What, Specification, Flags)
        end)}),
    events(State).

pattern_flags(State) ->
    case rand:uniform(12) of
        1 -> [call_count];
        2 -> [call_time];
        3 -> [{meta, first_tracer(State)}];
        4 -> [local, call_count];
        5 -> [local, {meta, second_tracer(State)}];
        6 -> [global, local];
        7 -> [wrong()];
        N when N =< 9 -> [global];
        _ -> [local]
    end.

mfa() ->
    {F, Arity} = one_of([{twice, 1}, {outer, 1}, {inner, 2}, {own, 1}, {down, 1}, {last, 2}, {choose, 1}, {fails, 1},
        {catches, 1}, {throws, 1},
                         {many, 5}, {bifs, 1}, {none, 0}]),
    one_of([{traced, '_', '_'}, {traced, F, '_'}, {traced, F, Arity}, {erlang, crc32, 1}, {erlang, adler32, 1},
        {erlang, crc32, '_'},
            {lists, sublist, 2}, {lists, sublist, '_'}, {lists, concat, 1}, {maps, find, 2}, {no_module, f, 1},
            {traced, none, 7}]).

asked(State) ->
    {Who, Item} =
        case rand:uniform(3) of
            1 -> {some_actor(State), one_of([flags, tracer, wrong()])};
            2 -> {one_of([mfa(), send, 'receive', on_load]),
                one_of([traced, match_spec, meta, meta_match_spec, call_count, all, wrong()])};
            3 -> {one_of([new, new_processes, new_ports, wrong()]), one_of([flags, tracer])}
        end,
    %% A process whose last flag was set_on_first_spawn keeps its tracer on stock when it has spawned.
    HasFlags = not is_pid(Who) orelse erlang:trace_info(Who, flags) =/= {flags, []},
    HasFlags andalso say(State, {info, Who, Item, sorted(attempt(fun() -> erlang:trace_info(Who, Item) end))}),
    State.

%% Times, and orders that are the machine's own.
sorted({flags, Flags}) when is_list(Flags) -> {flags, lists:sort(Flags)};
sorted({all, Items}) when is_list(Items) ->
    {all, [case Item of {call_time, Times} when is_list(Times) -> call_time; _ -> Item end || Item <- Items]};
sorted(Other) -> Other.

%%% Match specifications.

specification(State) ->
    case rand:uniform(15) of
        1 -> [];
        2 -> [wrong()];
        _ -> [clause(State) || _ <- lists:seq(1, one_of([1, 1, 2]))]
    end.

clause(State) ->
    {head(), [guard() || _ <- lists:seq(1, one_of([0, 0, 1, 2]))],
        [action(State) || _ <- lists:seq(1, one_of([0, 1, 1, 2, 3]))]}.

head() -> one_of(['_', '_', ['$1'], ['$1', '$2'], ['$1' | '_'], [{'$1', '_'}], [a], '$1', ['$1', '$1'], [[], '$1'],
    ['_', {'$1', '$2'}], [{'_', '$1', '$2'}, '_']]).

guard() ->
    one_of([{is_integer, '$1'}, {is_atom, '$1'}, {'>', '$1', 2}, {'==', '$1', '$2'}, {'=:=', {hd, '$$'}, a},
        {'not', {is_list, '$1'}}, {'<', {length, '$$'}, 2},
            {'orelse', {is_tuple, '$1'}, {is_atom, '$1'}}, {'andalso', true, {is_list, '$_'}},
            {'/=', '$1', {const, {b}}}, {is_pid, {self}}, true, false, {'==', {size, '$1'}, 2},
            {'=:=', {'+', '$1', 1}, 4}, {'=:=', {get_tcw}, 0}, {'=:=', {self}, {self}}, true, true, {is_list, '$$'},
            one_of([true, wrong()])]).

action(State) ->
    one_of([true, false, {return_trace}, {return_trace}, {exception_trace}, {message, {caller}},
        {message, {{a, '$1', '$_'}}}, {message, '$$'}, {message, false}, {message, true},
            {message, {self}}, {caller}, {silent, true}, {silent, false},
            {enable_trace, one_of([send, 'receive', procs, call, return_to])},
            {disable_trace, one_of([send, 'receive', procs, call, timestamp])}, {enable_trace, some_actor(State), call},
            {disable_trace, some_actor(State), send},
            {trace, [one_of([send, call])], [one_of(['receive', procs, arity])]},
            {trace, some_actor(State), [send], []},
            {message, {get_seq_token}}, {is_seq_trace}, {message, {is_seq_trace}}, {set_seq_token, label, 5},
            {set_seq_token, send, true}, {set_tcw, 3}, {message, {get_tcw}},
            {message, {hd, '$1'}}, {message, {const, [x]}}, '$1', {return_trace},
            one_of([{caller}, {wrong_action}, {display, 1, 2}, {return_trace, 1}])]).

%%% What actors do.

actor(Main) ->
    receive
        {act, Action} ->
            Done = try act(Action) catch Class:Reason -> {Class, Reason} end,
            Main ! {done, self(), Done},
            actor(Main);
        stop -> ok;
        _ -> actor(Main)
    end.

act({call, F, Arguments}) -> apply(traced, F, Arguments);
act({through_fun, F, Arguments}) -> apply(fun traced:F/1, Arguments);
act({library, M, F, Arguments}) -> apply(M, F, Arguments);
act({send, To, What}) -> To ! What, sent;
act({send_to_self, What}) -> self() ! {own, What}, receive {own, What} -> received end;
act({spawn, F, Arguments}) ->
    {_, Monitor} = spawn_monitor(traced, F, Arguments),
    receive {'DOWN', Monitor, process, _, Reason} -> reason(Reason) end;
act({spawn_link, F, Arguments}) ->
    Trapped = process_flag(trap_exit, true),
    Pid = spawn_link(traced, F, Arguments),
    Reason = receive {'EXIT', Pid, R} -> reason(R) end,
    process_flag(trap_exit, Trapped),
    Reason;
act({link, Pid}) -> link(Pid), unlink(Pid);
act({monitor, Pid}) -> demonitor(monitor(process, Pid));
act({register, Name}) -> register(Name, self()), unregister(Name);
act(port) ->
    Port = open_port({spawn, "cat"}, [binary]),
    Port ! {self(), {command, <<"x">>}},
    receive {Port, {data, <<"x">>}} -> ok end,
    port_close(Port);
act({token, What, Value}) -> seq_trace:set_token(What, Value);
act({print, Value}) -> seq_trace:print(Value);
act(no_token) -> seq_trace:set_token([]), done;
act({timer, What}) -> erlang:send_after(0, self(), {timer, What}), receive {timer, What} -> came end.

reason({Reason, [{_, _, _, _} | _]}) -> Reason;
reason(Reason) -> Reason.

acts(State) ->
    Pid = some_actor(State),
    Action = action_of(State),
    Pid ! {act, Action},
    Done = receive
               {done, Pid, Result} -> Result
           after ?STEP_MS -> nothing
           end,
    say(State, {Pid, Action, Done}),
    %% Who was sent something has seen it.
    [begin
         Other ! {act, {call, none, []}},
         receive {done, Other, _} -> ok after ?STEP_MS -> ok end
     end || Other <- State#s.actors, Other =/= Pid],
    events(State).

action_of(State) ->
    case rand:uniform(14) of
        N when N =< 5 ->
            {F, Arguments} = called(),
            {one_of([call, call, call, spawn, spawn_link]), F, Arguments};
        6 -> {through_fun, one_of([twice, outer, choose, down]), [value()]};
        7 -> one_of([{library, lists, sublist, [[1, 2, value()], 2]}, {library, erlang, crc32, ["abc"]},
            {library, lists, concat, [[a, 1]]},
                     {library, maps, find, [a, #{a => value()}]}, {library, erlang, adler32, [value()]}]);
        8 -> {send, one_of([some_actor(State), some_actor(State), no_such_name, wrong()]), {value(), value()}};
        9 -> {send_to_self, value()};
        10 -> one_of([{link, some_actor(State)}, {monitor, some_actor(State)}, {register, one_of([name_a, name_b])}]);
        11 -> port;
        12 -> {token, one_of([label, send, 'receive', print, timestamp, serial]),
            one_of([true, true, false, 7, {1, 2}])};
        13 -> one_of([{print, value()}, no_token]);
        14 -> {timer, value()}
    end.

called() ->
    {F, Arity} = one_of([{twice, 1}, {outer, 1}, {inner, 2}, {down, 1}, {last, 2}, {choose, 1}, {fails, 1},
        {catches, 1}, {many, 5}, {bifs, 1}, {none, 0}, {on_list, 1}, {missing, 1}]),
    {F, [value() || _ <- lists:seq(1, Arity)]}.

value() -> one_of([a, b, 0, 1, 3, {a, b}, {1, 2}, [], [a], [1, 2], "text", #{a => 1}]).

wrong() -> one_of([foo, 1, [], {a}, <<1>>, "abc", #{}, {1, 2, 3}]).

%%% Tracers and their events.

tracer(Main, Kept) ->
    receive
        {give, Main} -> Main ! {given, self(), lists:reverse(Kept)}, tracer(Main, []);
        Event -> tracer(Main, [Event | Kept])
    end.

%% Prints all events, those of one process or port together, in the order in which the tracer got them.
events(State = #s{tracers = Tracers}) ->
    Delivered = erlang:trace_delivered(all),
    receive {trace_delivered, all, Delivered} -> ok after ?STEP_MS -> say(State, not_delivered) end,
    lists:foldl(fun events_of/2, State, Tracers).

events_of(Tracer, State) ->
    Tracer ! {give, self()},
    Events = receive {given, Tracer, All} -> All end,
    Names = lists:foldl(fun name_new/2, State#s.names, Events),
    Named = State#s{names = Names},
    Sorted = lists:sort(fun(A, B) -> of_whom(A, Names) =< of_whom(B, Names) end, Events),
    [say(Named, {Tracer, stamped(Event)}) || Event <- Sorted, not is_own(Event)],
    Named.

%% How open_port answers is stock's own affair, and whether port_close does in a message: if the port is busy, on both.
is_own({_, _, 'receive', Answer}) -> is_answer(Answer);
is_own({_, _, 'receive', Answer, _}) -> is_answer(Answer);
is_own(_) -> false.

is_answer({Reference, Result}) -> is_reference(Reference) andalso (is_port(Result) orelse Result =:= true);
is_answer(_) -> false.

of_whom(Event, Names) when element(1, Event) =:= seq_trace ->
    {seq, maps:get(element(3, element(3, Event)), Names, other)};
of_whom(Event, Names) when tuple_size(Event) > 1 -> {whom(element(2, Event), Names), 0};
of_whom(_, _) -> {other, 0}.

whom(Who, Names) when is_pid(Who); is_port(Who) -> maps:get(Who, Names, other);
whom(_, _) -> other.

%% A process that is spawned, and a port that is opened, get names in the order in which events tell of them.
name_new({trace, _, spawn, New, _}, Names) -> name(New, Names);
name_new({trace_ts, _, spawn, New, _, _}, Names) -> name(New, Names);
name_new(Event, Names) when tuple_size(Event) > 1 -> name(element(2, Event), Names);
name_new(_, Names) -> Names.

name(Who, Names) when is_pid(Who), not is_map_key(Who, Names) -> Names#{Who => {child, map_size(Names)}};
name(Who, Names) when is_port(Who), not is_map_key(Who, Names) -> Names#{Who => {port, map_size(Names)}};
name(_, Names) -> Names.

stamped(Event) when element(1, Event) =:= trace_ts; element(1, Event) =:= seq_trace, tuple_size(Event) =:= 4 ->
    Place = tuple_size(Event),
    setelement(Place, Event, kind(element(Place, Event)));
stamped(Event) -> Event.

kind({A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> now;
kind({A, B}) when is_integer(A), is_integer(B) -> strict;
kind(A) when is_integer(A) -> monotonic;
kind(Other) -> Other.

named(Term, Names) when is_pid(Term); is_port(Term); is_reference(Term) ->
    case Names of
        #{Term := Name} -> Name;
        _ when is_pid(Term) -> 'PID';
        _ when is_port(Term) -> 'PORT';
        _ -> 'REF'
    end;
named(Term, _) when is_function(Term) ->
    {module, Module} = erlang:fun_info(Term, module),
    {'FUN', Module, element(2, erlang:fun_info(Term, arity))};
named([H | T], Names) -> [named(H, Names) | named(T, Names)];
named(Term, Names) when is_tuple(Term) -> list_to_tuple([named(Element, Names) || Element <- tuple_to_list(Term)]);
named(Term, Names) when is_map(Term) -> maps:from_list(named(maps:to_list(Term), Names));
named(Term, _) -> Term.

some_actor(#s{actors = Actors}) -> one_of(Actors).

first_tracer(#s{tracers = [First, _]}) -> First.
second_tracer(#s{tracers = [_, Second]}) -> Second.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).
