%% What a match specification for 'receive' gets of the sender of what comes from another node: messages, exits,
%% monitors, spawns, and what this node says of the other.
%% args: -connect_all false
%% timeout: 20
-module(receive_senders).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    true = net_kernel:connect_node(B),
    lists:foreach(fun({Label, Fun}) -> show(Label, Fun) end, cases(B)).

%% What a process receives while it does Fun, which waits for what is to be seen.
show(Label, Fun) ->
    Tracer = tracelog:start(),
    {Pid, Monitor} = spawn_monitor(fun() -> receive begin_now -> Fun() end end),
    1 = erlang:trace_pattern('receive', [{['$1', '$2', '_'], [], [{message, {{'$1', '$2'}}}]}], []),
    1 = erlang:trace(Pid, true, ['receive', {tracer, Tracer}]),
    Pid ! begin_now,
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    [_BeginNow | Events] = tracelog:events(Tracer, [Pid]),
    1 = erlang:trace_pattern('receive', true, []),
    tracelog:stop(Tracer),
    cluster:value(Label, [{Sender, Message} || {trace, _, 'receive', Message, Sender} <- Events]).

cases(B) ->
    [
        {"a message", fun() ->
            Pid = self(),
            asked(B, fun() -> Pid ! hello end),
            receive hello -> ok end
        end},
        {"by name", fun() ->
            register(receive_senders, self()),
            Node = node(),
            asked(B, fun() -> {receive_senders, Node} ! hello end),
            receive hello -> ok end
        end},
        {"an alias", fun() ->
            Alias = alias(),
            asked(B, fun() -> Alias ! hello end),
            receive hello -> ok end
        end},
        {"a token", fun() ->
            Pid = self(),
            asked(B, fun() -> seq_trace:set_token(label, 17), Pid ! hello end),
            receive hello -> ok end
        end},
        {"exit/2", fun() ->
            process_flag(trap_exit, true),
            Pid = self(),
            asked(B, fun() -> exit(Pid, because) end),
            receive {'EXIT', _, because} -> ok end
        end},
        {"a link", fun() ->
            process_flag(trap_exit, true),
            spawn_link(B, erlang, exit, [over]),
            receive {'EXIT', _, over} -> ok end
        end},
        {"monitors", fun() ->
            {Pid, Spawned} = spawn_monitor(B, erlang, exit, [over]),
            receive {'DOWN', Spawned, _, _, over} -> ok end,
            Again = monitor(process, Pid),
            receive {'DOWN', Again, _, _, noproc} -> ok end,
            Name = monitor(process, {no_such_name, B}),
            receive {'DOWN', Name, _, _, noproc} -> ok end
        end},
        {"requests to spawn", fun() ->
            Request = spawn_request(B, erlang, abs, [1]),
            receive {spawn_reply, Request, ok, _} -> ok end,
            Bad = spawn_request(B, erlang, abs, [1], [bad_option]),
            receive {spawn_reply, Bad, error, _} -> ok end
        end},
        {"a node that nobody has", fun() ->
            monitor_node('nobody@localhost', true),
            receive {nodedown, _} -> ok end,
            Name = monitor(process, {no_such_name, 'nobody@localhost'}),
            receive {'DOWN', Name, _, _, noconnection} -> ok end,
            Request = spawn_request('nobody@localhost', erlang, abs, [1]),
            receive {spawn_reply, Request, error, noconnection} -> ok end
        end},
        {"the connection ends", fun() ->
            process_flag(trap_exit, true),
            Pid = spawn_link(B, timer, sleep, [infinity]),
            Monitor = monitor(process, Pid),
            true = monitor_node(B, true),
            ok = net_kernel:monitor_nodes(true),
            spawn(fun() -> cluster:disconnect(B) end),
            Seen = [receive {'EXIT', Pid, noconnection} -> exit end,
                    receive {'DOWN', Monitor, _, _, noconnection} -> down end,
                    receive {nodedown, B} -> node end,
                    receive {nodedown, B} -> node end],
            4 = length(Seen),
            ok = net_kernel:monitor_nodes(false),
            true = is_pid(Pid)
        end}
    ].

%% Has a process of the other node do something, without a message to the caller.
asked(B, Fun) ->
    spawn(fun() -> cluster:on(B, fun() -> spawn(Fun) end) end).
