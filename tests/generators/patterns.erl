%% Random patterns and tracees under load, by seed.
%%
%% Workers call the functions of `traced` and send each other messages, while one process changes their tracing and all
%% kinds of patterns at random, and another loads the module anew and purges it. Whatever is traced, what the functions
%% return must be right. In each round a process of its own does what is counted, and is traced alone: all of that must
%% be told, once and in order.
-module(patterns).
-export([start/0]).
-export([plain/1, paired/1, broad/1, written/1]).

-define(CALLS, 500).

%% `start Seed Rounds Milliseconds`: ends after the rounds, or after the time if it is not 0; prints what went wrong.
start() ->
    [Seed, Rounds, Milliseconds] = [list_to_integer(Word) || Word <- init:get_plain_arguments()],
    logger:set_primary_config(level, none),
    {ok, Code} = file:read_file(code:which(traced)),
    Sink = spawn_link(fun() -> sink(0) end),
    Workers = [seeded(fun() -> worker(undefined) end, {Seed, N, 1}) || N <- lists:seq(1, 8)],
    [Worker ! {peer, Peer} || {Worker, Peer} <- lists:zip(Workers, tl(Workers) ++ [hd(Workers)])],
    Reloader = seeded(fun() -> reload(Code) end, {Seed, 0, 2}),
    Changer = seeded(fun() -> change(Workers, Sink, 1) end, {Seed, 0, 3}),
    rand:seed(exsss, {Seed, 0, 4}),
    End = case Milliseconds of 0 -> never; _ -> erlang:monotonic_time(millisecond) + Milliseconds end,
    {Done, Wrong} = rounds(1, Rounds, End, 0),
    [stopped(Pid) || Pid <- [Changer, Reloader]],
    all_off(Workers),
    Calls = lists:sum([stopped(Worker) || Worker <- Workers]),
    Left = [Function || {Name, Arity} <- traced:module_info(exports), Function <- [{traced, Name, Arity}],
                        What <- [traced, match_spec, meta, call_count, call_time],
                        not is_off(erlang:trace_info(Function, What))],
    Left =:= [] orelse io:format("WRONG still traced: ~0tp~n", [Left]),
    Sink ! {count, self()},
    Events = receive {events, Counted} -> Counted end,
    Faults = Wrong + length(Left),
    io:format("~b rounds, ~b calls by workers, ~b events of random patterns, ~b wrong~n",
        [Done, Calls, Events, Faults]),
    halt(min(1, Faults)).

is_off({_, Value}) -> Value =:= false orelse Value =:= undefined.

%% A linked process: what fails in it ends the run.
seeded(Fun, Seed) -> spawn_link(fun() -> rand:seed(exsss, Seed), Fun() end).

stopped(Pid) ->
    Pid ! {stop, self()},
    receive {stopped, Pid, Result} -> Result end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

sink(Count) ->
    receive
        {count, Pid} -> Pid ! {events, Count};
        _ -> sink(Count + 1)
    end.

%% Calls traced functions and checks what they return.
worker(Peer) -> worker(Peer, 0).

worker(Peer, Calls) ->
    receive
        {peer, New} -> worker(New, Calls);
        {message, _} -> worker(Peer, Calls);
        {stop, Pid} -> Pid ! {stopped, self(), Calls}
    after 0 ->
        X = rand:uniform(5),
        [X, X] = traced:twice(X),
        [{own, X}, {{own, X}, a}] = traced:outer(X),
        zero = traced:down(20),
        {'EXIT', {{failed, X}, _}} = (catch traced:fails(X)),
        {again, {failed, X}} = traced:catches(X),
        an_atom = traced:choose({a, X}),
        [{own, {1, X}}, {own, {2, X}}] = [{own, {N, Of}} || {own, {Of, N}} <- traced:on_list(X), Of =:= X],
        [Crc, [X], Adler, {'EXIT', {badarg, _}}, {ok, 1}] = traced:bifs(X),
        true = is_integer(Crc) andalso is_integer(Adler),
        is_pid(Peer) andalso (Peer ! {message, X}),
        case rand:uniform(50) of
            1 ->
                spawn_link(fun() -> {{{own, 1}, 2}, 3, 4, 5} = traced:many(1, 2, 3, 4, 5) end),
                timer:sleep(1);
            _ -> ok
        end,
        worker(Peer, Calls + 8)
    end.

%% Loads the module anew. A process that is in old code is killed by no purge here: it leaves it soon.
reload(Code) ->
    receive
        {stop, Pid} -> Pid ! {stopped, self(), ok}
    after rand:uniform(40) ->
        code:soft_purge(traced) andalso ({module, traced} = code:load_binary(traced, "traced.erl", Code)),
        reload(Code)
    end.

%% Changes what is traced.
change(Workers, Sink, Nth) ->
    Flags = [one_of(flags()) || _ <- [1, 2, 3]],
    catch erlang:trace(one_of(Workers), one_of([true, true, false]), [{tracer, Sink} | Flags]),
    Name = one_of([twice, outer, inner, own, down, catches, fails, choose, bifs, many, on_list]),
    Functions = one_of([{traced, '_', '_'}, {traced, Name, '_'}, {lists, map, 2}, {erlang, crc32, 1}]),
    Options = one_of([[local], [global], [call_count], [call_time], [{meta, Sink}], [local, call_count],
        [local, call_time, {meta, Sink}]]),
    catch erlang:trace_pattern(Functions, one_of(specifications()), Options),
    catch erlang:trace_pattern(on_load, one_of([true, false]), [one_of([local, global])]),
    Nth rem 20 =:= 0 andalso all_off(Workers),
    _ = erlang:trace_info({traced, twice, 1}, all),
    _ = erlang:trace_info(one_of(Workers), flags),
    receive
        {stop, Pid} -> Pid ! {stopped, self(), ok}
    after rand:uniform(5) -> change(Workers, Sink, Nth + 1)
    end.

flags() ->
    [send, 'receive', call, procs, return_to, arity, timestamp, monotonic_timestamp, set_on_spawn, set_on_first_link,
        running,
     running_procs, garbage_collection, silent, exiting, scheduler_id].

specifications() ->
    [true, false, restart, pause, [{'_', [], [{return_trace}]}], [{'_', [], [{exception_trace}, {message, {caller}}]}],
     [{['$1'], [{is_integer, '$1'}], [{message, {process_dump}}]}], [{'_', [], [{silent, false}]}],
     [{'_', [], [{enable_trace, send}, {disable_trace, procs}]}], [{['_'], [], [{message, false}]}]].

all_off(Workers) ->
    [erlang:trace(Worker, false, [all]) || Worker <- Workers, is_process_alive(Worker)],
    [erlang:trace_pattern(Functions, false, Options) || Functions <- [{traced, '_', '_'}, {lists, map, 2},
        {erlang, crc32, 1}, on_load],
                                                         Options <- [[local, meta, call_count, call_time], [global]]].

rounds(Number, Rounds, End, Wrong) ->
    case End =:= never andalso Number > Rounds orelse End =/= never andalso erlang:monotonic_time(millisecond) >= End of
        true -> {Number - 1, Wrong};
        false -> rounds(Number + 1, Rounds, End, Wrong + round_of(Number))
    end.

%% Returns the number of faults.
round_of(Number) ->
    Kind = one_of([local, global, meta, call_count, 'receive', 'receive', send]),
    Name = one_of([plain, paired, broad, written]),
    case told(Kind, Name, one_of([0, 0, 0, 1000, 100000])) of
        right -> 0;
        Wrong -> io:format("WRONG in round ~b, ~w of ~w: ~0tp~n", [Number, Kind, Name, Wrong]), 1
    end.

%% Most of them may collect when they have hardly begun.
plain(X) -> X.

paired(X) -> {X, X}.

broad(X) ->
    {X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
     X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X}.

written(X) -> <<X:320, "after it">>.

%% A process that holds so much calls a function, and all is told.
told(call_count, Name, Held) ->
    Function = {?MODULE, Name, 1},
    erlang:trace_pattern(Function, true, [call_count]),
    run(fun() -> call(Name, Held) end, fun(_) -> ok end),
    {call_count, Count} = erlang:trace_info(Function, call_count),
    erlang:trace_pattern(Function, false, [call_count]),
    same(?CALLS, Count);
told('receive', _, _) ->
    Senders = [spawn_link(fun() -> receive {go, To} -> [To ! {N, self()} || N <- lists:seq(1, 50)] end end)
        || _ <- [1, 2, 3]],
    Receive = fun() -> [Sender ! {go, self()} || Sender <- Senders],
        [receive {_, Sender} -> ok end || Sender <- Senders, _ <- lists:seq(1, 50)] end,
    Kept = lists:nth(2, Senders),
    Pattern = [{['$1', Kept, {'$2', Kept}], [], [{message, {{'$1', '$2'}}}]}],
    Pid = run(Receive, fun(Pid) -> 1 = erlang:trace_pattern('receive', Pattern, []),
        1 = erlang:trace(Pid, true, ['receive', {tracer, self()}]) end),
    1 = erlang:trace_pattern('receive', true, []),
    same([{{N, Kept}, {node(), N}} || N <- lists:seq(1, 50)],
        [{Message, Sender} || {trace, _, 'receive', Message, Sender} <- events(Pid)]);
told(send, _, _) ->
    Self = self(),
    Pid = run(fun() -> [Self ! {sent, N} || N <- lists:seq(1, 50)] end,
        fun(Pid) -> 1 = erlang:trace(Pid, true, [send, {tracer, Self}]) end),
    [receive {sent, N} -> ok end || N <- lists:seq(1, 50)],
    same([{sent, N} || N <- lists:seq(1, 50)], [Message || {trace, _, send, Message, To} <- events(Pid), To =:= Self]);
told(How, Name, Held) ->
    Function = {?MODULE, Name, 1},
    Option = case How of meta -> {meta, self()}; _ -> How end,
    Begin = fun(Pid) ->
        1 = erlang:trace_pattern(Function, true, [Option]),
        How =:= meta orelse erlang:trace(Pid, true, [call, {tracer, self()}])
    end,
    Pid = run(fun() -> call(Name, Held) end, Begin),
    1 = erlang:trace_pattern(Function, false, [Option]),
    same([[N] || N <- lists:seq(1, ?CALLS)],
        [Arguments || Event <- events(Pid), {?MODULE, Called, Arguments} <- [call_of(Event)], Called =:= Name]).

call_of({trace, _, call, Call}) -> Call;
call_of({trace_ts, _, call, Call, _}) -> Call.

call(Name, Held) ->
    List = lists:seq(1, Held),
    [true = is(Name, N, ?MODULE:Name(N)) || N <- lists:seq(1, ?CALLS)],
    Held = length(List).

is(plain, N, Value) -> Value =:= N;
is(paired, N, Value) -> Value =:= {N, N};
is(broad, N, Value) -> Value =:= list_to_tuple(lists:duplicate(60, N));
is(written, N, Value) -> Value =:= <<N:320, "after it">>.

%% Has a new process do something, after Begin, and waits for its end.
run(Fun, Begin) ->
    {Pid, Monitor} = spawn_monitor(fun() -> receive begin_now -> Fun() end end),
    Begin(Pid),
    Pid ! begin_now,
    receive {'DOWN', Monitor, process, Pid, normal} -> Pid end.

%% What has been told of a process. What random flags have it inherit is not told here.
events(Pid) ->
    Delivered = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Delivered} -> ok end,
    told_of(Pid).

told_of(Pid) ->
    receive
        Event when element(2, Event) =:= Pid, element(1, Event) =:= trace orelse element(1, Event) =:= trace_ts ->
            [Event | told_of(Pid)]
    after 0 -> []
    end.

same(Same, Same) -> right;
same(Wanted, Found) when is_list(Wanted) ->
    {missing, lists:sublist(Wanted -- Found, 5), more, lists:sublist(Found -- Wanted, 5), length(Found)};
same(Wanted, Found) -> {wanted, Wanted, found, Found}.
