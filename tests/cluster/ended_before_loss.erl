%% What is spawned on another node ends, and then the connection is lost, and all of it comes at once, because this node
%% stands still meanwhile: the parent is told how it ended.
%% args: -connect_all false
%% timeout: 60
-module(ended_before_loss).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    [see:value(Options, lists:usort([round(B, Options) || _ <- lists:seq(1, 3)]))
     || Options <- [[monitor], [link], [link, monitor], [{monitor, [{alias, explicit_unalias}]}], []]].

round(B, Options) ->
    Other = cluster:on(B, fun os:getpid/0),
    Own = os:getpid(),
    %% The other node gets the request when this one stands still.
    os:cmd("kill -STOP " ++ Other),
    Node = node(),
    Lose = fun() -> timer:sleep(100), erlang:disconnect_node(Node) end,
    Reference = spawn_request(B, fun() -> spawn(Lose), exit(done) end, Options),
    os:cmd(["(sleep 0.1; kill -STOP ", Own, "; kill -CONT ", Other, "; sleep 0.4; kill -CONT ", Own,
        ") > /dev/null 2>&1 &"]),
    timer:sleep(300),
    false = cluster:wait(fun() -> lists:member(B, nodes()) end, false),
    Messages = lists:sort([shown(Message, Reference) || Message <- all()]),
    true = net_kernel:connect_node(B),
    Messages.

all() ->
    receive Message -> [Message | all()] after 100 -> [] end.

shown({spawn_reply, Reference, ok, Pid}, Reference) -> {reply, cluster:plain(Pid)};
shown({'DOWN', Reference, process, Pid, Reason}, Reference) -> {down, cluster:plain(Pid), Reason};
shown({'EXIT', Pid, Reason}, _) -> {exit, cluster:plain(Pid), Reason};
shown(Other, _) -> {other, cluster:plain(Other)}.
