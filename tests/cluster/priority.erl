%% Messages and exit signals with priority from another node, and what links and monitors with priority make of its
%% processes' ends.
%% releases: 29
%% timeout: 20
-module(priority).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    messages(B),
    ends(B),
    traced(B).

rest(B) -> cluster:rest(B).

%% What a process of the other node sends, by its options.
messages(B) ->
    Alias = alias([priority]),
    Main = self(),
    register(main, self()),
    Send = fun(Sends) -> cluster:on(B, fun() -> [F() || F <- Sends], ok end) end,
    see:value(sent, {Send([fun() -> Alias ! first end, fun() -> erlang:send(Alias, second, [priority]) end,
        fun() -> erlang:send(Alias, third, [priority, nosuspend]) end, fun() -> Main ! fourth end,
        fun() -> erlang:send(Main, fifth, [priority]) end, fun() -> erlang:send({main, node(Main)}, sixth, [priority])
            end]), rest(B)}),
    see:value(exits, {Send([fun() -> Alias ! first end, fun() -> exit_signal(Alias, second) end,
        fun() -> exit_signal(Alias, third, [priority]) end, fun() -> exit(Alias, fourth, [priority]) end,
        fun() -> exit_signal(Main, fifth, [priority]) end]), [reason(M) || M <- rest(B)]}),
    see:value(gone, {unalias(Alias), Send([fun() -> erlang:send(Alias, first, [priority]) end,
        fun() -> exit_signal(Alias, second, [priority]) end]), rest(B)}),
    Large = alias([priority]),
    see:value(large, {Send([fun() -> Main ! small end,
        fun() -> erlang:send(Large, binary:copy(<<1>>, 300000), [priority]) end]),
        [try byte_size(M) catch _:_ -> M end || M <- rest(B)], unalias(Large)}).

reason({'EXIT', _, Reason}) -> Reason;
reason(Other) -> Other.

ends(B) ->
    Start = fun() -> cluster:on(B, fun() -> spawn(fun() -> receive stop -> exit(stopped) end end) end) end,
    End = fun(Tie) ->
        self() ! first,
        Pid = Tie(Start()),
        Takes = process_info(self(), priority_messages),
        M = monitor(process, Pid),
        Pid ! stop,
        receive {'DOWN', M, process, Pid, _} -> ok end,
        {Takes, [if is_tuple(X) -> element(1, X); true -> X end || X <- rest(B)],
            process_info(self(), priority_messages)}
    end,
    see:all([{K, fun() -> End(F) end} || {K, F} <- [
        {link, fun(P) -> link(P, [priority]), P end},
        {link_again, fun(P) -> link(P, [priority]), link(P), P end},
        {monitor, fun(P) -> monitor(process, P, [priority]), P end},
        {spawned, fun(P) -> exit(P, kill), spawn_opt(B, fun() -> receive stop -> exit(stopped) end end,
            [{link, [priority]}]) end},
        {spawn_monitored, fun(P) -> exit(P, kill),
            element(1, spawn_opt(B, fun() -> receive stop -> exit(stopped) end end, [{monitor, [priority]}])) end}]]).

%% A token of sequential trace goes along.
traced(B) ->
    Alias = alias([priority]),
    self() ! first,
    cluster:on(B, fun() ->
        seq_trace:set_token(label, 17),
        erlang:send(Alias, second, [priority]),
        seq_trace:set_token([]),
        ok
    end),
    cluster:wait(fun() -> process_info(self(), message_queue_len) end, {message_queue_len, 2}),
    see:value(token, begin M = receive X -> X end, Label = seq_trace:get_token(label), seq_trace:set_token([]),
        {M, Label} end),
    see:value(left, {rest(B), unalias(Alias)}).
