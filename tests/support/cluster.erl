%% What the programs under tests/cluster do with nodes beside their own. Other nodes run funs for them by messages
%% alone, so that a program depends on nothing that it does not show.
-module(cluster).
-export([up/0, serve/0, quiet/0, on/2, start/1, start/2, kill/1, stop/1, go_on/1, call/2, connect/1, disconnect/1]).
-export([that/2, value/2, plain/1, next/0, next/1, take/1, rest/0, rest/1, gone/1, wait/1, wait/2]).

%% How long to wait for what must come. Only a program that fails waits so long.
-define(PATIENCE, 30_000).

%% Node b tells that it is there.
up() ->
    serve(),
    io:put_chars("up\n").

%% Has this node run funs for others.
serve() ->
    Server = spawn(fun served/0),
    true = register(?MODULE, Server),
    case init:get_argument(connect_all) of
        {ok, _} -> quiet();
        error -> ok
    end.

%% Keeps the server of `rpc' from greeting each node that comes up: a greeting that is sent after the connection has
%% ended makes another. Programs that end connections and count them call this first, and have
%% `-connect_all false', because `global' greets too.
quiet() ->
    Self = self(),
    Holder = spawn(fun() ->
                 #{nodes_observer := {Observer, _}} = sys:get_state(rex),
                 true = erlang:suspend_process(Observer),
                 Self ! {self(), quiet},
                 receive after infinity -> ok end
             end),
    receive {Holder, quiet} -> ok end.

served() ->
    receive
        {run, From, Tag, Fun} ->
            spawn(fun() -> From ! {Tag, outcome(Fun)} end),
            served()
    end.

outcome(Fun) ->
    try {value, Fun()}
    catch Class:Reason:Stack -> {Class, Reason, Stack}
    end.

%% What a fun returns or raises on a node.
on(Node, Fun) when Node =:= node() -> Fun();
on(Node, Fun) ->
    Tag = make_ref(),
    {?MODULE, Node} ! {run, self(), Tag, Fun},
    receive
        {Tag, Outcome} -> given(Outcome)
    after ?PATIENCE -> exit({no_answer_from, Node})
    end.

given({value, Value}) -> Value;
given({Class, Reason, Stack}) -> erlang:raise(Class, Reason, Stack).

%% Another node, on the machine of node b. What controls it is no connection between nodes. Whether nodes connect to all
%% others is as with this node.
start(Name) -> start(Name, #{}).

%% `machine' is `a' or `b'; `args' are further flags; anything else is an option of `peer'.
start(Name, Options) ->
    Variable = case maps:get(machine, Options, b) of
                   a -> "CLUSTER_A";
                   b -> "CLUSTER_B"
               end,
    {ok, [Folders | _]} = init:get_argument(pa),
    Mesh = case init:get_argument(connect_all) of
               {ok, [[Value]]} -> ["-connect_all", Value];
               error -> []
           end,
    Flags = Mesh ++ ["-kernel", "logger_level", "none", "-kernel", "inet_dist_use_interface", "{127,0,0,1}", "-kernel",
        "net_setuptime", "60", "-pa"]
        ++ Folders ++ ["-s", "cluster", "serve"] ++ maps:get(args, Options, []),
    Named = case Name of
                none -> #{};
                _ -> #{name => Name, host => "localhost"}
            end,
    Own = maps:without([machine, args], Options),
    Defaults = Named#{exec => os:getenv(Variable), connection => standard_io, args => Flags, wait_boot => 60_000},
    case peer:start(maps:merge(Defaults, Own)) of
        {ok, Peer, Node} -> {Peer, Node};
        {ok, Peer} -> {Peer, none}
    end.

%% Ends a node as the system does that has no memory left, and waits until it is gone.
kill(Peer) ->
    Process = peer:call(Peer, os, getpid, []),
    Monitor = monitor(process, Peer),
    os:cmd("kill -KILL " ++ Process),
    receive {'DOWN', Monitor, process, Peer, _} -> ok after ?PATIENCE -> exit({still_there, Process}) end.

%% Stops a node as the terminal does with a program, and waits until all of its threads stand still: the system tells
%% them one by one.
stop(Peer) ->
    Process = peer:call(Peer, os, getpid, []),
    os:cmd("kill -STOP " ++ Process),
    ["T"] = wait(fun() -> lists:usort(states(Process)) end, ["T"]),
    {stopped, Process}.

states(Process) ->
    string:lexemes(os:cmd("cat /proc/" ++ Process ++ "/task/*/status | sed -n 's/^State:[^A-Za-z]*\\(.\\).*/\\1/p'"),
        "\n").

%% Lets a node go on that was stopped.
go_on({stopped, Process}) ->
    os:cmd("kill -CONT " ++ Process),
    ok.

%% What a fun returns on a node that is controlled.
call(Peer, Fun) ->
    peer:call(Peer, erlang, apply, [Fun, []], ?PATIENCE).

%% Connects, and waits until both nodes tell so.
connect(Node) ->
    Own = node(),
    true = net_kernel:connect_node(Node),
    true = on(Node, fun() -> wait(fun() -> lists:member(Own, nodes(connected)) end, true) end),
    ok.

%% Disconnects, and waits until this node tells so.
disconnect(Node) ->
    true = erlang:disconnect_node(Node),
    false = wait(fun() -> lists:member(Node, nodes(connected)) end, false),
    ok.

%% Prints what a fun returns, or how it fails.
that(Label, Fun) ->
    try Fun() of
        Value -> value(Label, Value)
    catch
        Class:Reason -> value([text(Label), " ", atom_to_list(Class)], Reason)
    end.

value(Label, Value) ->
    io:format("~ts: ~0tp~n", [text(Label), plain(Value)]).

text(Label) when is_atom(Label) -> atom_to_list(Label);
text(Label) -> Label.

%% A term with what differs from run to run replaced by what it is and where it is from.
plain(P) when is_pid(P) -> {'a pid of', node(P)};
plain(R) when is_reference(R) -> {'a reference of', node(R)};
plain(P) when is_port(P) -> {'a port of', node(P)};
plain(F) when is_function(F) -> plain_fun(F, erlang:fun_info(F, type));
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain(M) when is_map(M) -> in_order(maps:from_list([{plain(K), plain(V)} || {K, V} <- maps:to_list(M)]));
plain([H | T]) -> [plain(H) | plain(T)];
plain(Other) -> Other.

%% The order in large maps is open.
in_order(M) when map_size(M) > 32 -> {'a map of', lists:sort(maps:to_list(M))};
in_order(M) -> M.

plain_fun(F, {type, external}) -> F;
plain_fun(F, {type, local}) ->
    [{_, Module}, {_, Arity}] = [erlang:fun_info(F, Item) || Item <- [module, arity]],
    {'a fun of', Module, Arity}.

%% The next message of this process.
next() -> next(?PATIENCE).

next(Timeout) ->
    receive Message -> Message after Timeout -> nothing end.

%% So many messages, and then all that have come by then.
take(0) -> rest();
take(Count) ->
    Message = next(),
    [Message | take(Count - 1)].

%% All messages that this process has.
rest() ->
    case next(0) of
        nothing -> [];
        Message -> [Message | rest()]
    end.

%% All messages, when whatever the other node sent before now has had time to come.
rest(Node) ->
    ok = on(Node, fun() -> ok end),
    receive after 50 -> rest() end.

%% How a process ends.
gone(Pid) ->
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, process, Pid, Reason} -> Reason after ?PATIENCE -> still_there end.

%% Waits until a fun returns true.
wait(Fun) -> wait(Fun, true).

%% What a fun returns, as soon as it is what is wanted, or when it was not for too long.
wait(Fun, Wanted) -> apart:wait(Fun, Wanted, ?PATIENCE div 25).
