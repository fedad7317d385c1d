%% spawn_request to the other node: each reply option, reply_tag, abandoned requests, errors.
%% timeout: 15
%% args: -connect_all false
-module(spawn_requests).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    see:value("plain", request(B, fun() -> ok end, [])),
    [see:value(Options, request(B, fun() -> exit(done) end, Options))
     || Options <- [[link], [monitor], [link, monitor], [{reply_tag, tag}], [{reply_tag, {any, ["term"]}}],
         [{reply, yes}], [{reply, no}],
                    [{reply, success_only}], [{reply, error_only}], [{reply, no}, monitor], [{reply, error_only}, link],
                    [{monitor, [{tag, down}]}, {reply_tag, up}], [{monitor, [{alias, explicit_unalias}]}]]],
    see:value("five arguments", request_mfa(B, [erlang, self, []])),
    see:value("and options", request_mfa(B, [erlang, exit, [bye], [monitor, {reply_tag, t}]])),
    [see:value({error, Options}, request(B, fun() -> ok end, Options))
     || Options <- [[{priority, none}], [{min_heap_size, x}, {reply_tag, t}], [{priority, none}, {reply, error_only}],
                    [{priority, none}, {reply, success_only}], [{priority, none}, {reply, no}],
                    [{priority, none}, link, monitor]]],
    [see:value({unreachable, Options}, request('nobody@localhost', fun() -> ok end, Options))
     || Options <- [[], [link, monitor], [{reply, no}], [{reply, error_only}],
         [{reply_tag, t}, {reply, success_only}]]],
    abandoned(B),
    lost(B),
    many(B),
    see:value("bad options", [request(B, fun() -> ok end, Options)
                              || Options <- [[unknown], [{reply, maybe_}], [{monitor, [unknown]}], [{link, 1}, link],
                                  [{reply_tag}]]]),
    see:fails([fun() -> spawn_request(B, fun() -> ok end, [link | x]) end,
               fun() -> spawn_request(B, erlang, self, x) end,
               fun() -> spawn_request("b", erlang, self, []) end,
               fun() -> spawn_request_abandon(x) end]).

%% Everything that comes of a request. The process waits until the reply has had time to come.
request(Node, Fun, Options) ->
    Reference = spawn_request(Node, Fun, Options),
    messages(Reference, Node).

request_mfa(Node, Arguments) ->
    Reference = apply(erlang, spawn_request, [Node | Arguments]),
    messages(Reference, Node).

messages(Reference, Node) ->
    Own = case Node of
              'nobody@localhost' ->
                  %% Waits for the attempt to connect that the request has begun.
                  false = net_kernel:connect_node(Node),
                  node();
              _ -> Node
          end,
    lists:sort([shown(Message, Reference) || Message <- settled(Own)]).

%% More may come from there until a later process there has told of its start and its end.
settled(Node) ->
    Pid = spawn_link(Node, erlang, self, []),
    receive {'EXIT', Pid, normal} -> cluster:rest(Node) end.

shown({Tag, Reference, Ok, Result}, Reference) -> {reply, Tag, Ok, cluster:plain(Result)};
shown({Tag, Reference, process, Pid, Reason}, Reference) -> {down, Tag, cluster:plain(Pid), Reason};
shown({'EXIT', Pid, Reason}, _) -> {exit, cluster:plain(Pid), Reason};
shown(Other, _) -> {other, cluster:plain(Other)}.

%% An abandoned request replies nothing, and a process that it linked or monitored is let go, or ended by `abandoned'.
abandoned(B) ->
    see:value("abandoned", [abandoned(B, Options) || Options <- [[], [monitor], [link], [{reply, no}]]]),
    see:value("again", [spawn_request_abandon(make_ref()),
        spawn_request_abandon(cluster:on(B, fun erlang:make_ref/0))]).

abandoned(B, Options) ->
    Self = self(),
    Reference = spawn_request(B, fun() -> Self ! {began, self()}, receive after infinity -> ok end end, Options),
    IsAbandoned = spawn_request_abandon(Reference),
    Pid = receive {began, New} -> New end,
    case IsAbandoned of
        true ->
            Rest = cluster:rest(B),
            IsAlive = fun() -> is_process_alive(Pid) end,
            How = case lists:member(link, Options) of
                      true -> cluster:on(B, fun() -> cluster:wait(IsAlive, false) end);
                      false -> cluster:on(B, IsAlive)
                  end,
            {Rest, lives, How};
        false ->
            %% The reply had come before: once more.
            exit(Pid, kill),
            true = lists:member(cluster:gone(Pid), [killed, noproc]),
            _ = cluster:rest(B),
            abandoned(B, Options)
    end.

%% The node goes away with a request under way, or is there no more.
lost(B) ->
    {Peer, C} = cluster:start(c),
    true = net_kernel:connect_node(C),
    {stopped, Process} = cluster:stop(Peer),
    References = [spawn_request(C, fun() -> ok end, Options) || Options <- [[], [link, monitor], [{reply_tag, t}]]],
    os:cmd("kill -KILL " ++ Process),
    Messages = cluster:take(3),
    see:value("lost", lists:sort([shown(Message, Reference) || Reference <- References, Message <- Messages,
                                  element(2, Message) =:= Reference])),
    see:value("still connected", cluster:wait(fun() -> nodes() end, [B])).

many(B) ->
    References = [spawn_request(B, erlang, self, [], [{reply_tag, N}]) || N <- lists:seq(1, 1_000)],
    Replies = [receive {N, Reference, ok, Pid} -> {N, node(Pid) =:= B} end || Reference <- References],
    see:value("many", Replies =:= [{N, true} || N <- lists:seq(1, 1_000)]).
