%% Random scenarios on three nodes, by seed, whose outcome the language fixes: a and b, and c, which the program starts
%% and kills.
%%
%% Every node has two *workers* and a server. In each of its phases a worker plays short *games*: it starts children on
%% any of the nodes, which link, monitor, spawn, forward, answer and end, and it logs what comes of that. A game waits
%% for all that it is owed, so what one worker logs does not depend on the others. Then each worker sets up relations
%% with workers of other nodes, and a *disturbance* comes: two nodes are disconnected, or c is killed and comes again.
%% Each worker logs what it is told of the nodes that were cut off, and calls off the rest.
-module(scenario).
-export([main/2, serve/0, work/3, child/0, some_function/1]).

-record(worker, {number, server, workers = [], nodes = [], log = []}).

-define(PATIENCE, 30_000).
-define(WORKERS_PER_NODE, 2).

main(Seed, B) ->
    cluster:quiet(),
    rand:seed(exsss, {Seed, 0, 0}),
    logger:set_primary_config(level, none),
    cluster:on(B, fun() -> logger:set_primary_config(level, none) end),
    Machine = one_of([a, b]),
    [prepare(Node, Seed) || Node <- [node(), B]],
    phases(1, 2 + rand:uniform(4), Seed, B, Machine, third(Machine, Seed)).

%% Node c; each has another creation.
third(Machine, Seed) ->
    {Peer, Node} = cluster:start(c, #{machine => Machine}),
    cluster:connect(Node),
    prepare(Node, Seed),
    {Peer, Node}.

prepare(Node, Seed) ->
    cluster:on(Node, fun() ->
        Server = spawn(?MODULE, serve, []),
        true = register(server, Server),
        [begin
             Worker = spawn(?MODULE, work, [Seed, Name, Server]),
             true = register(Name, Worker)
         end || K <- lists:seq(1, ?WORKERS_PER_NODE), Name <- [name(K)]]
    end).

name(1) -> worker_1;
name(2) -> worker_2.

phases(Phase, Last, _, _, _, {Peer, _}) when Phase > Last -> peer:stop(Peer);
phases(Phase, Last, Seed, B, Machine, {Peer, C}) ->
    A = node(),
    Nodes = [A, B, C],
    [ok = cluster:on(From, fun() -> cluster:connect(To) end) || {From, To} <- [{A, B}, {A, C}, {B, C}]],
    Names = [{Node, name(K)} || Node <- Nodes, K <- lists:seq(1, ?WORKERS_PER_NODE)],
    Workers = [{Node, cluster:on(Node, fun() -> whereis(Name) end)} || {Node, Name} <- Names],
    Games = rand:uniform(12),
    [Pid ! {phase, self(), Phase, Number, Workers, Nodes, Games} || {Number, {_, Pid}} <- lists:enumerate(Workers)],
    print(Phase, "games", Workers),
    {Cut, Left} = disturb(one_of([none, disconnect, disconnect, kill]), Nodes, Peer),
    io:format("~b cut: ~0tp~n", [Phase, Cut]),
    [Pid ! {disturbed, self(), Cut} || {Node, Pid} <- Workers, lists:member(Node, Left)],
    print(Phase, "told", [W || {Node, _} = W <- Workers, lists:member(Node, Left)]),
    Third = case lists:member(C, Left) of
                true -> {Peer, C};
                false -> third(Machine, Seed)
            end,
    phases(Phase + 1, Last, Seed, B, Machine, Third).

%% What each worker has logged, in the workers' order.
print(Phase, What, Workers) ->
    [receive
         {logged, Pid, Log} -> [io:format("~b ~s ~s: ~0tp~n", [Phase, What, Node, cluster:plain(Entry)])
             || Entry <- Log]
     after 3 * ?PATIENCE ->
         io:format("~b ~s ~s: nothing logged~n~p~n",
             [Phase, What, Node, erpc:call(Node, erlang, process_info, [Pid, [current_stacktrace, messages]])]),
         halt(2)
     end || {Node, Pid} <- Workers].

%% The pairs of nodes that are cut off from each other, and the nodes that are left.
disturb(none, Nodes, _) -> {[], Nodes};
disturb(disconnect, [A, B, C] = Nodes, _) ->
    {From, To} = one_of([{A, B}, {A, C}, {B, C}, {C, A}, {C, B}, {B, A}]),
    %% The answer would connect a and b again.
    case {From, To} of
        {A, _} -> cluster:disconnect(To);
        {B, A} -> cluster:disconnect(B);
        {C, A} -> cluster:disconnect(C);
        _ -> cluster:on(From, fun() -> cluster:disconnect(To) end)
    end,
    {[lists:sort([From, To])], Nodes};
disturb(kill, [A, B, C], Peer) ->
    cluster:kill(Peer),
    {[[A, C], [B, C]], [A, B]}.

%%% A worker.

work(Seed, Name, Server) ->
    process_flag(trap_exit, true),
    Number = erlang:phash2({node(), Name}),
    rand:seed(exsss, {Seed, Number, 0}),
    work(#worker{server = Server}).

work(W) ->
    receive
        {phase, Main, _, Number, Workers, Nodes, Games} ->
            Played = play(Games, W#worker{number = Number, workers = Workers, nodes = Nodes, log = []}),
            Related = [relate(Peer) || _ <- lists:seq(1, rand:uniform(5)),
                Peer <- [one_of([P || {N, P} <- Workers, N =/= node()])]],
            %% Whoever answers has taken what was sent before.
            [erpc:call(N, erlang, is_process_alive, [P]) || {N, P} <- Workers, N =/= node()],
            Main ! {logged, self(), lists:reverse(Played#worker.log)},
            told(Main, Related),
            work(W)
    end.

play(0, W) -> W;
play(Games, W) ->
    Game = one_of([echo, echo, child, child, child, chain, named, alias, forwarded, unlinked, called, leader,
        monitored_node, nobody, remote_table,
                   requested, demonitored, order]),
    Result = try game(Game, W)
             catch Class:Reason:Stack -> {Class, Reason, [{M, F} || {M, F, _, _} <- lists:sublist(Stack, 2)]}
             end,
    play(Games - 1, W#worker{log = [{Game, Result} | W#worker.log]}).

%% Relations with a worker of another node, and what is to come if that node is cut off.
relate(Peer) ->
    case rand:uniform(4) of
        1 -> link(Peer), {link, Peer, node(Peer)};
        2 -> {monitor, monitor(process, Peer), node(Peer)};
        3 ->
            {_, Name} = one_of([{1, worker_1}, {2, worker_2}]),
            {monitor, monitor(process, {Name, node(Peer)}, [{tag, one_of(['DOWN', {tagged, self()}])}]), node(Peer)};
        4 -> monitor_node(node(Peer), true), {node, node(Peer), node(Peer)}
    end.

%% What comes of the relations when nodes are cut off.
told(Main, Related) ->
    receive
        {disturbed, Main, Cut} ->
            Log = [over(Relation, lists:member(lists:sort([node(), element(3, Relation)]), Cut))
                || Relation <- lists:usort(Related)],
            %% Each monitor of a node is told of by itself.
            Nodes = [N || {node, N, _} <- Related -- lists:usort(Related)],
            More = [over({node, N, N}, lists:member(lists:sort([node(), N]), Cut)) || N <- Nodes],
            Main ! {logged, self(), lists:sort(cluster:plain(Log ++ More)) ++ [{rest, rest()}]}
    end.

over({link, Peer, _}, true) -> receive {'EXIT', Peer, Reason} -> {link, Reason} after ?PATIENCE -> {link, lost} end;
over({monitor, Ref, _}, true) ->
    receive
        {Tag, Ref, process, Object, Reason} -> {Tag, Object, Reason}
    after ?PATIENCE -> {monitor, lost}
    end;
over({node, Node, _}, true) -> receive {nodedown, Node} -> {nodedown, Node} after ?PATIENCE -> {nodedown, lost} end;
over({link, Peer, _}, false) -> {unlink, unlink(Peer)};
over({monitor, Ref, _}, false) -> {demonitor, demonitor(Ref, [info])};
over({node, Node, _}, false) -> {monitor_node, monitor_node(Node, false)}.

rest() ->
    receive
        {disturbed, _, _} = Early -> self() ! Early, [];
        {phase, _, _, _, _, _, _} = Early -> self() ! Early, [];
        %% Of a link that another worker has made, at any time.
        {'EXIT', _, noconnection} -> rest();
        Other -> [Other | rest()]
    after 0 -> []
    end.

%%% Games.

%% A term goes to a node and back.
game(echo, W) ->
    Node = one_of(W#worker.nodes),
    Term = term(W, 4),
    Tag = make_ref(),
    To = one_of([{server, Node}, server_of(Node)]),
    send(To, {echo, self(), Tag, Term}),
    receive
        {Tag, Back} -> {Node, Back =:= Term, erlang:phash2(steady(Back))}
    after ?PATIENCE -> lost
    end;
%% A child ends in one of the ways there are, and its parent is told as it asked for.
game(child, W) ->
    Node = one_of(W#worker.nodes),
    {Child, Ref, How} = start(Node),
    Reason = reason(W),
    End = one_of([told, told, killed, signal]),
    Seen = case End of
               told -> Child ! {end_with, Reason}, Reason;
               killed -> exit(Child, kill), killed;
               signal -> exit(Child, Reason), Reason
           end,
    %% Reason `normal' from another is no end.
    Seen =:= normal andalso End =:= signal andalso (Child ! {end_with, normal}),
    {Node, How, End, awaited(How, Child, Ref), wait_gone(Node, Child)};
%% A linked child of a linked child ends.
game(chain, W) ->
    [X, Y] = [one_of(W#worker.nodes) || _ <- [1, 2]],
    Child = spawn_link(X, ?MODULE, child, []),
    Child ! {spawn_link, self(), Y},
    Grandchild = receive {spawned, Child, Pid} -> Pid after ?PATIENCE -> exit(no_grandchild) end,
    Reason = one_of([kill, shutdown, {a, "reason"}, term(W, 2)]),
    exit(Grandchild, Reason),
    receive {'EXIT', Child, Last} -> {X, Y, steady(Last)} after ?PATIENCE -> lost end;
%% A monitor of a name, which may be nobody's.
game(named, W) ->
    Node = one_of(W#worker.nodes),
    Name = one_of([nobody, list_to_atom("child_of_" ++ integer_to_list(W#worker.number))]),
    Child = spawn(Node, ?MODULE, child, []),
    true = Name =:= nobody orelse erpc:call(Node, erlang, register, [Name, Child]),
    Ref = monitor(process, {Name, Node}),
    {Name, Node} ! {end_with, {named, Name}},
    Child ! {end_with, {pid, Name}},
    Down = receive {'DOWN', Ref, process, Object, Reason} -> {Object, Reason} after ?PATIENCE -> lost end,
    {Down, wait_gone(Node, Child)};
%% Answers through an alias, before and after it is called off.
game(alias, W) ->
    Node = one_of(W#worker.nodes),
    Kind = one_of([explicit_unalias, reply]),
    Alias = alias([Kind]),
    [{server, Node} ! {echo, Alias, N, N} || N <- [1, 2]],
    First = receive {1, 1} -> got after ?PATIENCE -> lost end,
    Second = case Kind of
                 explicit_unalias -> receive {2, 2} -> got after ?PATIENCE -> lost end;
                 reply -> none
             end,
    Off = unalias(Alias),
    {server, Node} ! {echo, Alias, 3, 3},
    sync(Node),
    {Node, Kind, First, Second, Off, [N || N <- [2, 3], receive {N, N} -> true after 0 -> false end]};
%% Messages of all sizes go around over children of two nodes, in order.
game(forwarded, W) ->
    [X, Y] = [one_of(W#worker.nodes) || _ <- [1, 2]],
    [First, Second] = [spawn_link(N, ?MODULE, child, []) || N <- [X, Y]],
    Count = rand:uniform(30),
    Bodies = [{N, binary:copy(<<N>>, rand:uniform(one_of([10, 100, 100_000, 300_000])))} || N <- lists:seq(1, Count)],
    Tag = make_ref(),
    [First ! {forward, [Second, self()], {Tag, Body}} || Body <- Bodies],
    Back = [receive {Tag, Body} -> Body after ?PATIENCE -> lost end || _ <- Bodies],
    [unlink(P) || P <- [First, Second]],
    [exit(P, kill) || P <- [First, Second]],
    {X, Y, Count, Back =:= Bodies};
%% Nothing is told of a child that was unlinked.
game(unlinked, W) ->
    Node = one_of(W#worker.nodes),
    Child = spawn_link(Node, ?MODULE, child, []),
    [link(Child) || rand:uniform(2) =:= 1],
    true = unlink(Child),
    Child ! {end_with, crash},
    Gone = wait_gone(Node, Child),
    sync(Node),
    {Node, Gone, receive {'EXIT', Child, R} -> R after 0 -> nothing end};
game(called, W) ->
    Node = one_of(W#worker.nodes),
    Term = reason(W),
    F = one_of([fun() -> Term end, fun() -> throw(Term) end, fun() -> exit(Term) end, fun() -> error(Term) end,
        fun() -> hd(id([])) end]),
    One = try erpc:call(Node, F) of Value -> {value, Value}
          catch Class:R -> {Class, without_stack(R)}
          end,
    Other = case rpc:call(Node, erlang, apply, [F, []]) of
                {badrpc, {'EXIT', {R2, _}}} -> {badrpc, R2};
                Else -> Else
            end,
    {Node, steady(One), steady(Other)};
%% A child's group leader may be of another node than it.
game(leader, W) ->
    [X, Y] = [one_of(W#worker.nodes) || _ <- [1, 2]],
    Child = spawn_link(X, ?MODULE, child, []),
    Leader = erpc:call(Y, erlang, whereis, [server]),
    group_leader(Leader, Child),
    Tag = make_ref(),
    Child ! {leader, self(), Tag},
    Same = receive {Tag, Its} -> Its =:= Leader after ?PATIENCE -> lost end,
    unlink(Child),
    exit(Child, kill),
    {X, Y, Same};
game(monitored_node, W) ->
    Node = one_of(W#worker.nodes -- [node()]),
    All = [monitor_node(Node, true), monitor_node(Node, false),
        erlang:monitor_node(Node, true, [allow_passive_connect]), monitor_node(Node, false)],
    Unknown = monitor_node('not_there@localhost', true),
    {Node, All, Unknown, receive {nodedown, N} -> N after ?PATIENCE -> lost end};
%% Whoever is not there takes nothing, and nobody is told.
game(nobody, W) ->
    Node = one_of(W#worker.nodes),
    Gone = spawn(Node, erlang, exit, [over]),
    wait_gone(Node, Gone),
    Ref = monitor(process, Gone),
    Down = receive {'DOWN', Ref, _, _, Reason} -> Reason after ?PATIENCE -> lost end,
    link(Gone),
    Exit = receive {'EXIT', Gone, Why} -> Why after ?PATIENCE -> lost end,
    {Node, Down, Exit, Gone ! hello, {nobody, Node} ! hello, erlang:send(Gone, hello, [noconnect]),
     exit(Gone, why), unlink(Gone), element(1, catch erlang:send('not_there@localhost', hello))};
%% Identifiers of all nodes in a table of another.
game(remote_table, W) ->
    Node = one_of(W#worker.nodes),
    Keys = [self(), make_ref(), node(), {W#worker.number, element(2, one_of(W#worker.workers))} | [P
        || {_, P} <- W#worker.workers]],
    Objects = [{K, N} || {N, K} <- lists:enumerate(Keys)],
    {Sorted, Found} = erpc:call(Node, fun() ->
        Table = ets:new(table, [one_of([set, ordered_set])]),
        ets:insert(Table, Objects),
        {[N || {_, N} <- lists:sort(Objects)], [ets:lookup_element(Table, K, 2) || K <- Keys]}
    end),
    {Node, Sorted =:= [N || {_, N} <- lists:sort(Objects)],
        [lists:nth(N, Keys) =:= K || {N, K} <- lists:zip(Found, Keys)]};
game(requested, W) ->
    Node = one_of([not_there@localhost | W#worker.nodes]),
    Options = one_of([[], [link], [monitor], [link, monitor], [{reply, error_only}], [{reply, no}],
        [{reply_tag, {tag, 1}}, monitor], [{priority, high}]]),
    Ref = spawn_request(Node, one_of([?MODULE, no_such_module]), child, [], Options),
    Tag = proplists:get_value(reply_tag, Options, spawn_reply),
    Expected = case proplists:get_value(reply, Options, yes) of
                   yes -> receive {Tag, Ref, Result, What} -> {Result, What} after ?PATIENCE -> lost end;
                   error_only when Node =:= not_there@localhost -> receive {Tag, Ref, Result, What} -> {Result, What}
                       after ?PATIENCE -> lost end;
                   _ -> none
               end,
    {Node, Options, case Expected of
        {ok, Child} ->
            exit(Child, kill),
            %% It may have ended before, without the module.
            {ok, [receive {'EXIT', Child, R} -> {'EXIT', known(R)} after ?PATIENCE -> lost end
                || lists:member(link, Options)],
             [receive {'DOWN', Ref, process, Child, R} -> {'DOWN', known(R)} after ?PATIENCE -> lost
                 end || lists:member(monitor, Options)]};
        Other -> {Other, spawn_request_abandon(Ref)}
    end};
game(demonitored, W) ->
    Node = one_of(W#worker.nodes),
    Child = spawn(Node, ?MODULE, child, []),
    Ref = monitor(process, Child),
    First = one_of([nothing, ended]),
    First =:= ended andalso (Child ! {end_with, done}),
    First =:= ended andalso wait_gone(Node, Child),
    sync(Node),
    Options = one_of([[], [flush], [flush, info]]),
    %% With its message in the queue, a monitor is no more.
    Result = demonitor(Ref, Options),
    exit(Child, kill),
    wait_gone(Node, Child),
    sync(Node),
    {Node, First, Options, Result, receive {'DOWN', Ref, _, _, R} -> R after 0 -> nothing end};
%% What is sent to two on one node arrives at each in order, and what is sent over two nodes comes when it comes.
game(order, W) ->
    Node = one_of(W#worker.nodes),
    Child = spawn_link(Node, ?MODULE, child, []),
    Tag = make_ref(),
    Count = 20 + rand:uniform(200),
    %% A connection that is busy takes nothing from a sender that is not to be suspended.
    [begin
         Message = {forward, [self()], {Tag, N}},
         Sent = case N rem 3 of
                    0 -> false;
                    1 -> ok =:= erlang:send(Child, Message, [nosuspend]);
                    2 -> erlang:send_nosuspend(Child, Message)
                end,
         Sent orelse (Child ! Message)
     end || N <- lists:seq(1, Count)],
    unlink(Child),
    Child ! {end_with, {after_all, Count}},
    Got = [receive {Tag, N} -> N after ?PATIENCE -> lost end || _ <- lists:seq(1, Count)],
    {Node, Got =:= lists:seq(1, Count), wait_gone(Node, Child)}.

%% Starts a child in one of the ways there are.
start(Node) ->
    How = one_of([spawn, spawn_link, spawn_monitor, spawn_opt, spawn_fun]),
    case How of
        spawn -> {spawn(Node, ?MODULE, child, []), none, none};
        spawn_fun -> {spawn(Node, fun child/0), none, none};
        spawn_link -> {spawn_link(Node, ?MODULE, child, []), none, link};
        spawn_monitor -> {Child, Ref} = spawn_monitor(Node, ?MODULE, child, []), {Child, Ref, monitor};
        spawn_opt ->
            {Child, Ref} = spawn_opt(Node, ?MODULE, child, [],
                [link, {fullsweep_after, 1}, monitor, {message_queue_data, off_heap}]),
            {Child, Ref, both}
    end.

awaited(none, _, _) -> [];
awaited(link, Child, _) -> [receive {'EXIT', Child, R} -> {'EXIT', steady(R)} after ?PATIENCE -> lost end];
awaited(monitor, Child, Ref) -> [receive {'DOWN', Ref, process, Child, R} -> {'DOWN', steady(R)} after ?PATIENCE ->
    lost end];
awaited(both, Child, Ref) -> awaited(link, Child, Ref) ++ awaited(monitor, Child, Ref).

known(killed) -> over;
known({undef, [{no_such_module, child, [], []}]}) -> over;
known(Other) -> Other.

without_stack({exception, Reason, _}) -> {exception, Reason};
without_stack({exception, Reason}) -> {exception, Reason};
without_stack(Other) -> Other.

id(Value) -> Value.

server_of(Node) -> erpc:call(Node, erlang, whereis, [server]).

send(To, Message) ->
    case rand:uniform(3) of
        1 -> To ! Message;
        2 -> erlang:send(To, Message);
        3 -> erlang:send(To, Message, [noconnect])
    end.

%% All that processes of a node have sent to this one before now has come.
sync(Node) ->
    Tag = make_ref(),
    {server, Node} ! {echo, self(), Tag, sync},
    receive {Tag, sync} -> ok after ?PATIENCE -> exit(no_sync) end.

%% A process is gone, as its own node tells.
wait_gone(Node, Pid) ->
    erpc:call(Node, fun() -> cluster:gone(Pid), is_process_alive(Pid) end).

%%% Children and servers.

child() ->
    receive
        {end_with, Reason} -> exit(Reason);
        {spawn_link, From, Node} ->
            From ! {spawned, self(), spawn_link(Node, ?MODULE, child, [])},
            child();
        {forward, [Last], Message} -> Last ! Message, child();
        {forward, [Next | Rest], Message} -> Next ! {forward, Rest, Message}, child();
        {leader, From, Tag} -> From ! {Tag, group_leader()}, child()
    end.

serve() ->
    receive
        {echo, To, Tag, Term} -> To ! {Tag, Term}, serve()
    end.

%%% Terms.

reason(W) -> one_of([normal, shutdown, kill, killed, noproc, {shutdown, 1}, "a string", term(W, 3)]).

term(W, Depth) ->
    case rand:uniform(if Depth > 0 -> 17; true -> 11 end) of
        1 -> one_of([atom, '', 'with space', 'αβγ', list_to_atom(lists:duplicate(200, $x)), true, node()]);
        2 -> rand:uniform(1 bsl one_of([4, 28, 60, 64, 200, 3000])) - (1 bsl one_of([3, 27, 59, 63]));
        3 -> one_of([1.5, -0.0, 1.0e300, rand:uniform()]);
        4 -> binary:copy(<<(rand:uniform(256) - 1)>>, rand:uniform(one_of([5, 60, 70, 3000, 150_000])) - 1);
        5 -> <<(rand:uniform(1000)):13>>;
        6 -> lists:seq(1, rand:uniform(one_of([3, 300])));
        7 -> one_of([self(), element(2, one_of(W#worker.workers)), W#worker.server]);
        8 -> make_ref();
        9 -> hd(erlang:ports());
        10 -> fun ?MODULE:some_function/1;
        11 -> N = rand:uniform(100), fun() -> N end;
        12 -> [term(W, Depth - 1) | term(W, Depth - 1)];
        13 -> list_to_tuple([term(W, Depth - 1) || _ <- lists:seq(1, rand:uniform(4))]);
        14 -> maps:from_list([{term(W, 0), term(W, Depth - 1)} || _ <- lists:seq(1, rand:uniform(5))]);
        15 -> maps:from_list([{N, term(W, 0)} || N <- lists:seq(1, rand:uniform(60))]);
        16 -> [term(W, Depth - 1) || _ <- lists:seq(1, rand:uniform(4))];
        17 -> Part = term(W, Depth - 1), {Part, Part, [Part]}
    end.

some_function(X) -> X.

%% A term without what differs from run to run.
steady(Term) -> cluster:plain(Term).

one_of(List) -> lists:nth(rand:uniform(length(List)), List).
