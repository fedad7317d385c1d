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
     || Options <- [[link], [monitor], [link, monitor], [{reply_tag, tag}], [{reply_tag, {any, ["term"]}}], [{reply, yes}], [{reply, no}],
                    [{reply, success_only}], [{reply, error_only}], [{reply, no}, monitor], [{reply, error_only}, link],
                    [{monitor, [{tag, down}]}, {reply_tag, up}], [{monitor, [{alias, explicit_unalias}]}]]],
    see:value("five arguments", request_mfa(B, [erlang, self, []])),
    see:value("and options", request_mfa(B, [erlang, exit, [bye], [monitor, {reply_tag, t}]])),
    [see:value({error, Options}, request(B, fun() -> ok end, Options))
     || Options <- [[{priority, none}], [{min_heap_size, x}, {reply_tag, t}], [{priority, none}, {reply, error_only}],
                    [{priority, none}, {reply, success_only}], [{priority, none}, {reply, no}], [{priority, none}, link, monitor]]],
    [see:value({unreachable, Options}, request('nobody@localhost', fun() -> ok end, Options))
     || Options <- [[], [link, monitor], [{reply, no}], [{reply, error_only}], [{reply_tag, t}, {reply, success_only}]]],
    abandoned(B),
    lost(B),
    many(B),
    see:value("bad options", [request(B, fun() -> ok end, Options)
                              || Options <- [[unknown], [{reply, maybe_}], [{monitor, [unknown]}], [{link, 1}, link], [{reply_tag}]]]),
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
              'nobody@localhost' -> node();
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
    Self = self(),
    Results = [begin
        Reference = spawn_request(B, fun() -> Self ! {began, self()}, receive after infinity -> ok end end, Options),
        Abandoned = spawn_request_abandon(Reference),
        Pid = receive {began, New} -> New after 10_000 -> none end,
        Rest = cluster:rest(B),
        case Abandoned of
            true ->
                How = case lists:member(link, Options) of
                          true -> cluster:on(B, fun() -> cluster:wait(fun() -> is_process_alive(Pid) end, false) end);
                          false -> cluster:on(B, fun() -> is_process_alive(Pid) end)
                      end,
                {Rest, lives, How};
            false -> too_late
        end
    end || Options <- [[], [monitor], [link], [{reply, no}]]],
    see:value("abandoned", Results),
    see:value("again", [spawn_request_abandon(make_ref()), spawn_request_abandon(cluster:on(B, fun erlang:make_ref/0))]).

%% The node goes away with a request under way, or is there no more.
lost(B) ->
    {Peer, C} = cluster:start(c),
    true = net_kernel:connect_node(C),
    Process = peer:call(Peer, os, getpid, []),
    os:cmd("kill -STOP " ++ Process),
    References = [spawn_request(C, fun() -> ok end, Options) || Options <- [[], [link, monitor], [{reply_tag, t}]]],
    os:cmd("kill -KILL " ++ Process),
    Messages = cluster:take(3),
    see:value("lost", lists:sort([shown(Message, Reference) || Reference <- References, Message <- Messages,
                                  element(2, Message) =:= Reference])),
    see:value("still connected", [B] =:= nodes()).

many(B) ->
    References = [spawn_request(B, erlang, self, [], [{reply_tag, N}]) || N <- lists:seq(1, 1_000)],
    Replies = [receive {N, Reference, ok, Pid} -> {N, node(Pid) =:= B} end || Reference <- References],
    see:value("many", Replies =:= [{N, true} || N <- lists:seq(1, 1_000)]).
