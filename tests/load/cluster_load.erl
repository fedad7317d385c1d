%% Five nodes, of ferl and of stock, under a random load for so many minutes, while nodes are killed, stopped,
%% disconnected and parted from each other. What must hold whatever happens is checked where it can be seen:
%%
%% - messages of one process to another arrive in order and once, whole, and none is missing while the connection lasts;
%% - `nodeup' and `nodedown' alternate, with one number for each connection, and no message comes between a
%%   `nodedown' and the next `nodeup';
%% - each monitor, link, call and spawn request is answered, once;
%% - in the end, when all load has ended, nodes have the processes, ports and memory that they had before.
%%
%% The director, which is no node of the cluster, controls the nodes by their standard input and output.
-module(cluster_load).
-export([start/0, begins/2, ends/0, figures/0, receiver/1, sender/2, relations/2, victim/0]).

-define(NAMES, [n1, n2, n3, n4, n5]).
%% Nodes of these names are of machine a.
-define(OF_A, [n1, n2, n3]).
-define(RECEIVERS, 4).
-define(SENDERS, 8).
-define(RELATED, 4).
%% A node that stands still is taken for gone after so many seconds.
-define(TICK_TIME, 4).
%% An answer must come within this many milliseconds: longer than a node may stand still or be parted.
-define(PATIENCE, 60_000).

%%% The director

start() ->
    [Minutes, Seed] = [list_to_integer(A) || A <- init:get_plain_arguments()],
    rand:seed(exsss, Seed),
    io:format("seed ~b, ~b minutes; a: ~ts, b: ~ts~n", [Seed, Minutes, os:getenv("CLUSTER_A"), os:getenv("CLUSTER_B")]),
    Cluster = maps:from_list([{Name, started(Name)} || Name <- ?NAMES]),
    Before = settled(Cluster),
    load(Cluster),
    End = erlang:monotonic_time(second) + Minutes * 60,
    {Last, Sums, Events} = disturbed(Cluster, End, #{}, #{}, erlang:monotonic_time(second)),
    receive after (?TICK_TIME + 2) * 1000 -> ok end,
    Result = add(Sums, ended(Last)),
    After = settled(Last),
    report(Result, Events),
    Growth = growth(Before, After),
    io:format("processes, ports and megabytes of each node before: ~0p~nand afterwards: ~0p~n", [Before, After]),
    _ = [peer:stop(Peer) || {Peer, _} <- maps:values(Last)],
    Faults = maps:filter(fun({fault, _}, _) -> true; (_, _) -> false end, Result),
    io:format("~b messages, ~b faults, ~b nodes grown~n",
              [maps:get(received, Result, 0), lists:sum([0 | maps:values(Faults)]), length(Growth)]),
    halt(case {maps:size(Faults), Growth} of {0, []} -> 0; _ -> 1 end).

started(Name) ->
    Machine = case lists:member(Name, ?OF_A) of true -> a; false -> b end,
    Ticks = ["-kernel", "net_ticktime", integer_to_list(?TICK_TIME), "-kernel", "prevent_overlapping_partitions",
        "false"],
    cluster:start(Name, #{machine => Machine, args => Ticks}).

load(Cluster) ->
    Nodes = [Node || {_, Node} <- maps:values(Cluster)],
    [begins_on(Peer, Nodes) || {Peer, _} <- maps:values(Cluster)].

begins_on(Peer, Nodes) -> ok = peer:call(Peer, ?MODULE, begins, [Nodes, rand:uniform(1 bsl 30)], ?PATIENCE).

%% Something happens every few seconds. A node that is killed takes its figures along; what it found wrong it has
%% written by then.
disturbed(Cluster, End, Sums, Events, Told) ->
    Now = erlang:monotonic_time(second),
    case Now >= End of
        true -> {Cluster, Sums, Events};
        false ->
            receive after 1000 + rand:uniform(4000) -> ok end,
            Event = chosen(rand:uniform(10)),
            {Next, More} = disturb(Event, Cluster),
            NewSums = add(Sums, More),
            NewEvents = add(Events, #{Event => 1}),
            case Now - Told >= 30 of
                true ->
                    report(add(NewSums, [figures_of(Peer) || {Peer, _} <- maps:values(Next)]), NewEvents),
                    io:format("~b s are left~n", [End - Now]),
                    disturbed(Next, End, NewSums, NewEvents, Now);
                false -> disturbed(Next, End, NewSums, NewEvents, Told)
            end
    end.

chosen(N) when N =< 2 -> kill;
chosen(N) when N =< 4 -> stop_long;
chosen(5) -> stop_short;
chosen(N) when N =< 8 -> disconnect;
chosen(_) -> part.

disturb(kill, Cluster) ->
    {Name, {Peer, _}} = one_of(maps:to_list(Cluster)),
    Figures = figures_of(Peer),
    ok = cluster:kill(Peer),
    receive after rand:uniform(3000) -> ok end,
    New = started(Name),
    Changed = Cluster#{Name := New},
    begins_on(element(1, New), [Node || {_, Node} <- maps:values(Changed)]),
    {Changed, Figures};
disturb(stop_long, Cluster) -> stopped(Cluster, (?TICK_TIME + 1 + rand:uniform(4)) * 1000);
disturb(stop_short, Cluster) -> stopped(Cluster, rand:uniform(1500));
disturb(disconnect, Cluster) ->
    {Peer, _} = one_of(maps:values(Cluster)),
    {_, Other} = one_of(maps:values(Cluster)),
    _ = peer:call(Peer, erlang, disconnect_node, [Other], ?PATIENCE),
    {Cluster, #{}};
%% The two sides have different cookies for each other for some seconds.
disturb(part, Cluster) ->
    {Left, Right} = lists:partition(fun(_) -> rand:uniform(2) =:= 1 end, maps:values(Cluster)),
    with_cookies(Left, Right, parted),
    [_ = peer:call(Peer, erlang, disconnect_node, [Node], ?PATIENCE) || {Peer, _} <- Left, {_, Node} <- Right],
    receive after 2000 + rand:uniform(6000) -> ok end,
    {Peer, _} = hd(maps:values(Cluster)),
    with_cookies(Left, Right, peer:call(Peer, erlang, get_cookie, [], ?PATIENCE)),
    {Cluster, #{}}.

with_cookies(Left, Right, Cookie) ->
    [true = peer:call(Peer, erlang, set_cookie, [Node, Cookie], ?PATIENCE)
     || {Some, Others} <- [{Left, Right}, {Right, Left}], {Peer, _} <- Some, {_, Node} <- Others],
    ok.

stopped(Cluster, Milliseconds) ->
    {Peer, _} = one_of(maps:values(Cluster)),
    Stopped = cluster:stop(Peer),
    receive after Milliseconds -> ok end,
    ok = cluster:go_on(Stopped),
    {Cluster, #{}}.

figures_of(Peer) -> peer:call(Peer, ?MODULE, figures, [], ?PATIENCE).

ended(Cluster) -> [peer:call(Peer, ?MODULE, ends, [], 2 * ?PATIENCE) || {Peer, _} <- maps:values(Cluster)].

report(Figures, Events) ->
    io:format("~ts~n", [lists:join(", ",
        [io_lib:format("~0p ~b", [What, N]) || {What, N} <- lists:sort(maps:to_list(maps:merge(Figures, Events)))])]).

%% Processes, ports and megabytes (all, of processes, of binaries, of ETS, of the machine) of each node, when it is at
%% rest.
settled(Cluster) ->
    [{Name, peer:call(Peer, erlang, apply, [fun() -> at_rest(40, none) end, []], ?PATIENCE)}
        || {Name, {Peer, _}} <- maps:to_list(Cluster)].

at_rest(Looks, Last) ->
    _ = [erlang:garbage_collect(P) || P <- processes()],
    receive after 250 -> ok end,
    Megabytes = [erlang:memory(Kind) div 1_000_000 || Kind <- [total, processes, binary, ets, system]],
    Now = {length(processes()), length(erlang:ports()), Megabytes},
    case Now =:= Last orelse Looks =:= 0 of
        true -> Now;
        false -> at_rest(Looks - 1, Now)
    end.

%% Connections (a port, a process or two each) may be there or not; what the load leaves behind is not.
growth(Before, After) ->
    [Name || {{Name, {P0, O0, [M0 | _]}}, {Name, {P, O, [M | _]}}} <- lists:zip(Before, After),
        P > P0 + 20 orelse O > O0 + 10 orelse M > M0 + 40].

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

add(Map, List) when is_list(List) -> lists:foldl(fun(More, Sum) -> add(Sum, More) end, Map, List);
add(Map, More) -> maps:merge_with(fun(_, A, B) -> A + B end, Map, More).

%%% On each node

%% The load's processes belong to a group leader of their own, so that they are found.
begins(Nodes, Seed) ->
    Self = self(),
    Holder = spawn(fun() ->
        register(?MODULE, self()),
        ets:new(?MODULE, [named_table, public, {write_concurrency, true}]),
        Receivers = [spawn_link(?MODULE, receiver, [name(N)]) || N <- lists:seq(1, ?RECEIVERS)],
        Others = [spawn_link(?MODULE, sender, [Nodes, Seed + N]) || N <- lists:seq(1, ?SENDERS)]
            ++ [spawn_link(?MODULE, relations, [Nodes, Seed - N]) || N <- lists:seq(1, ?RELATED)],
        Self ! {self(), begun},
        process_flag(trap_exit, true),
        held(Receivers, Others)
    end),
    receive {Holder, begun} -> ok end.

held(Receivers, Others) ->
    receive
        {figures, From} ->
            From ! {figures, maps:from_list(ets:tab2list(?MODULE))},
            held(Receivers, Others);
        {ends, From} ->
            [exit(P, kill) || P <- Others ++ Receivers],
            From ! {figures, maps:from_list(ets:tab2list(?MODULE))};
        {'EXIT', P, Reason} ->
            fault(process_died, {P, Reason}),
            held(Receivers, Others)
    end.

figures() -> ask(figures).

ends() ->
    Figures = ask(ends),
    false = cluster:wait(fun() -> lists:member(?MODULE, registered()) end, false),
    Figures.

ask(What) ->
    ?MODULE ! {What, self()},
    receive {figures, Figures} -> Figures end.

name(N) -> list_to_atom("receiver" ++ integer_to_list(N)).

count(What) -> ets:update_counter(?MODULE, What, 1, {What, 0}).

%% What is wrong is told at once: the node may be killed.
fault(What, Details) ->
    count({fault, What}),
    io:format(user, "FAULT on ~p: ~p: ~0tP~n", [node(), What, Details, 30]).

%%% Messages

%% Sends to receivers of all nodes, by name or by pid, numbered for each.
sender(Nodes, Seed) ->
    rand:seed(exsss, Seed),
    sender(Nodes -- [node()], #{}, #{}).

sender(Nodes, Numbers, Pids) ->
    Node = one_of(Nodes),
    Name = name(rand:uniform(?RECEIVERS)),
    {To, NewPids} = whom(rand:uniform(3), Name, Node, Pids),
    Number = maps:get(To, Numbers, 0) + 1,
    Payload = payload(rand:uniform(1000)),
    To ! {numbered, self(), To, Number, erlang:phash2(Payload), Payload},
    count(sent),
    case rand:uniform(20) of
        1 -> receive after rand:uniform(40) -> ok end;
        _ -> ok
    end,
    sender(Nodes, Numbers#{To => Number}, NewPids).

%% A pid of a node's earlier life is asked for again, now and then.
whom(1, Name, Node, Pids) ->
    Key = {Name, Node},
    case Pids of
        #{Key := Pid} when Pid =/= undefined ->
            case rand:uniform(500) of
                1 -> {Key, maps:remove(Key, Pids)};
                _ -> {Pid, Pids}
            end;
        #{} ->
            try {Key, Pids#{Key => erpc:call(Node, erlang, whereis, [Name], ?PATIENCE)}}
            catch error:{erpc, noconnection} -> {Key, Pids}
            end
    end;
whom(_, Name, Node, Pids) -> {{Name, Node}, Pids}.

payload(1) -> binary:copy(<<(rand:uniform(255))>>, 1_000_000 + rand:uniform(1_000_000));
payload(N) when N < 20 -> lists:seq(1, rand:uniform(5000));
payload(N) when N < 100 -> #{node() => self(), ref => make_ref(), text => "text", binary => binary:copy(<<N>>, 500),
    float => N / 3};
payload(N) -> N.

%% Registered under a name; sees which nodes come and go.
receiver(Name) ->
    true = register(Name, self()),
    ok = net_kernel:monitor_nodes(true, #{connection_id => true}),
    %% Those that are connected by now have told, or will.
    received(#{}, #{}).

%% `Up' has the number of the connection to each node of which a `nodeup' was seen, or `down'.
%% `Seen' has each sender's last number, by how it was sent to, and whether the connection has lasted since.
received(Up, Seen) ->
    receive
        {numbered, From, To, Number, Hash, Payload} ->
            count(received),
            case erlang:phash2(Payload) of
                Hash -> ok;
                _ -> fault(payload, {From, Number})
            end,
            case maps:get(node(From), Up, unknown) of
                down -> fault(message_while_down, {From, Number});
                _ -> ok
            end,
            Key = {From, To},
            case Seen of
                #{Key := {Last, _}} when Number =< Last -> fault(order, {From, Last, Number});
                #{Key := {Last, true}} when Number =/= Last + 1 -> fault(missing, {From, Last, Number});
                #{} -> ok
            end,
            received(Up, Seen#{Key => {Number, true}});
        {nodeup, Node, #{connection_id := Id}} ->
            count(nodeup),
            case maps:get(Node, Up, unknown) of
                Other when is_integer(Other) -> fault(nodeup_twice, {Node, Other, Id});
                _ -> ok
            end,
            received(Up#{Node => Id}, Seen);
        {nodedown, Node, #{connection_id := Id}} ->
            count(nodedown),
            case maps:get(Node, Up, unknown) of
                down -> fault(nodedown_twice, {Node, Id});
                Other when is_integer(Other), Other =/= Id -> fault(nodedown_of_another, {Node, Other, Id});
                _ -> ok
            end,
            Broken = maps:map(fun({From, _}, {Last, _}) when node(From) =:= Node -> {Last, false}; (_, Value) -> Value
                end, Seen),
            received(Up#{Node => down}, Broken);
        Other ->
            fault(strange_message, Other),
            received(Up, Seen)
    end.

%%% Links, monitors, calls and spawned processes

relations(Nodes, Seed) ->
    rand:seed(exsss, Seed),
    process_flag(trap_exit, true),
    related(Nodes -- [node()]).

related(Nodes) ->
    Node = one_of(Nodes),
    relate(rand:uniform(8), Node),
    receive
        %% From a process that did not notice that the connection was lost meanwhile.
        {linked, _} -> count(linked_late);
        Message -> fault(unexpected, Message)
    after rand:uniform(10) -> ok
    end,
    related(Nodes).

%% Ends when it is told to, or with the load. A node that has just been started is asked for processes before it has a
%% load.
victim() -> victim(monitor(process, ?MODULE), 100).

victim(Load, Looks) ->
    receive
        {ends, Reason} -> exit(Reason);
        {links, Pid, From} ->
            link(Pid),
            From ! {linked, self()},
            victim(Load, Looks);
        {'DOWN', Load, process, _, noproc} when Looks > 0 ->
            erlang:send_after(100, self(), look),
            victim(Load, Looks - 1);
        look -> victim(monitor(process, ?MODULE), Looks);
        {'DOWN', Load, process, _, _} -> exit(load_ended)
    end.

%% A process of the other node, or `none' if there is no connection.
spawned(Node) ->
    Ref = spawn_request(Node, ?MODULE, victim, []),
    receive
        {spawn_reply, Ref, ok, Pid} -> count(spawned), Pid;
        {spawn_reply, Ref, error, noconnection} -> none
    after ?PATIENCE -> fault(no_spawn_reply, Node), none
    end.

relate(Kind, Node) when Kind =< 2 ->
    Pid = spawned(Node),
    is_pid(Pid) andalso begin
        Ref = monitor(process, Pid),
        Kind =:= 1 andalso exit(Pid, shutdown),
        Kind =:= 2 andalso (Pid ! {ends, {given, Ref}}),
        Wanted = case Kind of 1 -> shutdown; 2 -> {given, Ref} end,
        receive
            {'DOWN', Ref, process, Pid, Wanted} -> count(down);
            {'DOWN', Ref, process, Pid, noconnection} -> count(down_by_loss);
            {'DOWN', Ref, process, Pid, noproc} -> count(down);
            {'DOWN', Ref, process, Pid, Other} -> fault(reason, {Pid, Other})
        after ?PATIENCE -> fault(no_down, {Pid, erlang:process_info(self(), messages)})
        end
    end;
relate(3, Node) ->
    Pid = spawned(Node),
    is_pid(Pid) andalso begin
        link(Pid),
        Pid ! {ends, given},
        receive
            {'EXIT', Pid, given} -> count(exit);
            {'EXIT', Pid, noproc} -> count(exit);
            {'EXIT', Pid, noconnection} -> count(exit_by_loss);
            {'EXIT', Pid, Other} -> fault(exit_reason, {Pid, Other})
        after ?PATIENCE -> fault(no_exit, Pid)
        end
    end;
%% What is taken back is not answered.
relate(4, Node) ->
    Pid = spawned(Node),
    is_pid(Pid) andalso begin
        Ref = monitor(process, Pid),
        link(Pid),
        unlink(Pid),
        receive {'EXIT', Pid, _} -> ok after 0 -> ok end,
        demonitor(Ref, [flush]),
        Pid ! {ends, given},
        count(taken_back)
    end;
relate(5, Node) ->
    try erpc:call(Node, erlang, node, [], ?PATIENCE) of
        Node -> count(called);
        Other -> fault(called, Other)
    catch
        error:{erpc, noconnection} -> count(call_lost);
        Class:Reason -> fault(call, {Class, Reason})
    end;
relate(6, Node) ->
    {Pid, Ref} = spawn_monitor(Node, fun() -> exit(done) end),
    receive
        {'DOWN', Ref, process, Pid, done} -> count(spawn_monitor);
        {'DOWN', Ref, process, Pid, noconnection} -> count(down_by_loss);
        {'DOWN', Ref, process, Pid, Other} -> fault(spawn_monitor, Other)
    after ?PATIENCE -> fault(no_down_of_spawned, Pid)
    end;
%% Linked from the other side; many at once.
relate(7, Node) ->
    Pid = spawned(Node),
    is_pid(Pid) andalso begin
        Ref = monitor(process, Pid),
        Linked = [spawn(fun() -> receive after infinity -> ok end end) || _ <- lists:seq(1, 10)],
        Watched = [monitor(process, P) || P <- Linked],
        [Pid ! {links, P, self()} || P <- Linked],
        Pid ! {ends, given},
        receive
            {'DOWN', Ref, process, Pid, _} -> ok
        after ?PATIENCE -> fault(no_down, Pid)
        end,
        [receive {linked, Pid} -> ok after 0 -> ok end || _ <- Linked],
        %% Those whose link was lost with the connection, or was never made, end by hand.
        [exit(P, kill) || P <- Linked],
        [receive {'DOWN', W, process, _, _} -> ok after ?PATIENCE -> fault(no_down_here, W) end || W <- Watched],
        count(linked_from_there)
    end;
relate(8, Node) ->
    Alias = alias([reply]),
    erpc:cast(Node, fun() -> Alias ! {answer, Alias} end),
    receive {answer, Alias} -> count(alias) after 2000 -> unalias(Alias), count(alias_lost) end,
    receive {answer, Alias} -> ok after 0 -> ok end.
