%% What is told of a process that another node spawns: as a new process, by tracers of both nodes, and with a token of
%% sequential trace.
%% args: -connect_all false
%% timeout: 20
-module(spawn_traced).
-export([main/1, tracer/0, tracer/1, child/2]).

main([B]) ->
    cluster:quiet(),
    true = net_kernel:connect_node(B),
    cluster:on(B, fun() -> {module, ?MODULE} = code:ensure_loaded(?MODULE) end),
    [new(B, Label, Spawn) || {Label, Spawn} <- ways(B)],
    [token(B, Label, Spawn) || {Label, Spawn} <- ways(B) ++ refused(B)].

ways(B) ->
    [{spawn, fun(Fun) -> spawn(B, Fun) end},
     {spawn_link, fun(Fun) -> spawn_link(B, Fun) end},
     {spawn_monitor, fun(Fun) -> element(1, spawn_monitor(B, Fun)) end},
     {request, fun(Fun) -> Request = spawn_request(B, Fun, [link, {reply_tag, tag}]),
         receive {tag, Request, ok, Pid} -> Pid end end},
     {no_reply, fun(Fun) -> spawn_request(B, Fun, [{reply, no}]) end}].

refused(B) ->
    [{bad_option, fun(Fun) -> Request = spawn_request(B, Fun, [lunk, {reply_tag, tag}]),
        receive {tag, Request, error, Reason} -> Reason end end},
     {no_fun, fun(_) -> Request = spawn_request(B, ?MODULE, child, [self(), token]),
         receive {spawn_reply, Request, ok, Pid} -> Pid end end}].

child(Pid, Word) -> Pid ! {Word, self()}, receive stop -> ok end.

%% Processes that are made on the other node are traced there.
new(B, Label, Spawn) ->
    Self = self(),
    Tracer = cluster:on(B, fun() -> tracer() end),
    cluster:on(B, fun() -> erlang:trace(new_processes, true, [procs, {tracer, Tracer}]) end),
    spawn(fun() -> Spawn(fun() -> child(Self, hello) end), timer:sleep(infinity) end),
    Child = receive {hello, Pid} -> Pid end,
    cluster:on(B, fun() -> erlang:trace(new_processes, false, [procs]) end),
    Told = told(B, Tracer, Child),
    io:format("~w~n", [Label]),
    [io:format("    ~0tp~n", [named(Event, Child, Self)]) || Event <- Told, element(2, Event) =:= Child],
    exit(Child, kill).

%% A token goes with the request and with its answer.
token(B, Label, Spawn) ->
    Self = self(),
    Tracers = [{Node, cluster:on(Node, fun() -> Tracer = tracer(), seq_trace:set_system_tracer(Tracer), Tracer end)}
        || Node <- [node(), B]],
    seq_trace:set_token(label, 17),
    [seq_trace:set_token(Flag, true) || Flag <- [send, 'receive']],
    Made = Spawn(fun() -> child(Self, token) end),
    Token = case Made of
        badopt -> none;
        _ -> receive {token, Pid} -> {seq_trace:get_token(label), Pid} end
    end,
    Serial = seq_trace:get_token(serial),
    seq_trace:set_token([]),
    Child = case Token of none -> none; {_, Its} -> Its end,
    io:format("~w ~0tp~n", [Label, {named(Token, Child, Self), Serial}]),
    [begin
         Told = told(Node, Tracer, Child),
         [io:format("    ~w ~0tp~n", [Node, named(Event, Child, Self)]) || Event <- lists:keysort(3, Told)],
         cluster:on(Node, fun() -> seq_trace:set_system_tracer(false) end)
     end || {Node, Tracer} <- Tracers],
    is_pid(Child) andalso exit(Child, kill).

tracer() -> spawn(?MODULE, tracer, [[]]).

tracer(Events) ->
    receive
        {give, From} -> From ! {given, self(), lists:reverse(Events)};
        Event -> tracer([Event | Events])
    end.

told(Node, Tracer, Child) ->
    cluster:on(Node, fun() ->
        _ = is_pid(Child) andalso node(Child) =:= node() andalso process_info(Child, status),
        Delivered = erlang:trace_delivered(all),
        receive {trace_delivered, all, Delivered} -> ok end
    end),
    Tracer ! {give, self()},
    receive {given, Tracer, Events} -> Events end.

named(Child, Child, _) -> child;
named(Self, _, Self) -> main;
named(Pid, _, _) when is_pid(Pid) -> {'a pid of', node(Pid)};
named(Reference, _, _) when is_reference(Reference) -> 'a reference';
named(Fun, _, _) when is_function(Fun) -> 'a fun';
named(Tuple, Child, Self) when is_tuple(Tuple) -> list_to_tuple(named(tuple_to_list(Tuple), Child, Self));
named([Head | Tail], Child, Self) -> [named(Head, Child, Self) | named(Tail, Child, Self)];
named(Other, _, _) -> Other.
