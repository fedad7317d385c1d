%% Messages with priority, which came with OTP 28: their order, what has it, and receives that are under way when they
%% come.
%% releases: 29
%% timeout: 30
-module(priority_29).
-export([main/0]).

main() ->
    order(),
    under_way(),
    after_references(),
    links(),
    monitors(),
    exits(),
    aliases(),
    told(),
    tokens(),
    unlinked(),
    sleepers(),
    see:value(flood, [flood(Receive) || Receive <- [any, selective, timed]]).

queued() -> element(2, process_info(self(), messages)).
rest() -> receive M -> [M | rest()] after 0 -> [] end.
takes() -> element(2, process_info(self(), priority_messages)).
urgent(Alias, M) -> ok = erlang:send(Alias, M, [priority]).

%% A link that was removed is for no message, though its other side has yet to learn of that.
unlinked() ->
    Other = spawn(fun() -> receive stop -> ok end end),
    Linked = [begin link(Other, Options), takes() end || Options <- [[priority], [], [priority]]],
    unlink(Other),
    see:value(unlinked, {Linked, takes(), link(Other, [priority]), takes(), unlink(Other), takes()}),
    Other ! stop.

order() ->
    A = alias([priority]),
    self() ! a, self() ! b,
    urgent(A, p1),
    self() ! c, urgent(A, p2), A ! d, urgent(A, p3),
    see:value(order, {queued(), process_info(self(), message_queue_len), takes()}),
    see:value(chosen, [receive p2 -> p2 end, receive c -> c end, queued()]),
    urgent(A, p4),
    see:value(order, {queued(), rest(), unalias(A), takes()}),
    self() ! a, urgent(A, p1),
    see:value(unaliased, rest()),
    Once = alias([priority, reply]),
    self() ! a, urgent(Once, p1), urgent(Once, p2),
    see:value(once, {rest(), takes(), unalias(Once)}).

%% A process that waits for a message which is none of those that it has.
under_way() ->
    Main = self(),
    Wait = fun(Pid, Count) ->
        apart:wait(fun() -> process_info(Pid, [message_queue_len, status]) end,
            [{message_queue_len, Count}, {status, waiting}], 200)
    end,
    {Pid, Ref} = spawn_monitor(fun() ->
        Alias = alias([priority]),
        Main ! {alias, Alias},
        First = receive {wanted, N} when N > 1, map_size(#{N => N}) =:= 1 -> {N, queued()} end,
        Second = receive {wanted, N2} -> N2 after infinity -> never end,
        receive go -> ok end,
        exit([First, Second, receive {wanted, N3} -> N3 after 0 -> none end, rest()])
    end),
    Alias = receive {alias, A} -> A end,
    [Pid ! I || I <- [1, 2, 3]],
    Wait(Pid, 3),
    urgent(Alias, not_wanted),
    Wait(Pid, 4),
    urgent(Alias, {wanted, 1}),
    Pid ! 4,
    Wait(Pid, 6),
    urgent(Alias, {wanted, 2}),
    Wait(Pid, 5),
    Pid ! go,
    receive {'DOWN', Ref, process, Pid, Found} -> see:value(under_way, Found) end.

%% A receive that begins behind what came before its reference, and the messages with priority that came since.
after_references() ->
    A = alias([priority]),
    Ordinary = lists:seq(1, 5),
    [self() ! I || I <- Ordinary],
    urgent(A, earlier),
    Server = spawn(fun Loop() ->
        receive {From, R, How} -> case How of priority -> urgent(A, other), urgent(A, {R, yes}); _ -> From ! {R, yes}
            end, Loop() end
    end),
    Call = fun(How) ->
        R = make_ref(),
        Server ! {self(), R, How},
        receive {R, Reply} -> Reply after 5000 -> timeout end
    end,
    see:value(calls, [Call(How) || How <- [ordinary, priority, ordinary, priority, priority]]),
    urgent(A, later),
    M = monitor(process, Server, [priority]),
    exit(Server, kill),
    see:value(down, receive {'DOWN', M, process, Server, Why} -> Why after 5000 -> timeout end),
    see:value(left, {rest(), unalias(A)}).

%% Behind what is queued comes what has no priority.
links() ->
    process_flag(trap_exit, true),
    Exit = fun(Link) ->
        Pid = spawn(fun() -> receive stop -> exit(reason) end end),
        self() ! ordinary,
        Child = Link(Pid),
        Takes = takes(),
        M = monitor(process, Child),
        Child ! stop,
        receive {'DOWN', M, process, Child, _} -> ok end,
        exit(Pid, kill),
        {Takes, [if is_tuple(X) -> element(1, X); true -> X end || X <- rest()], takes()}
    end,
    see:all([{{link, K}, fun() -> Exit(F) end} || {K, F} <- [
        {plain, fun(P) -> link(P), P end},
        {priority, fun(P) -> link(P, [priority]), P end},
        {then_plain, fun(P) -> link(P, [priority]), link(P), P end},
        {then_priority, fun(P) -> link(P), link(P, [priority]), P end},
        {again, fun(P) -> link(P, [priority]), unlink(P), link(P), P end},
        {spawned, fun(_) -> spawn_opt(fun() -> receive stop -> ok end end, [{link, [priority]}]) end},
        {monitored, fun(_) -> element(1, spawn_opt(fun() -> receive stop -> ok end end, [link, {monitor, [priority]}]))
            end}]]),
    Port = open_port({spawn, "cat"}, []),
    link(Port, [priority]),
    self() ! ordinary,
    Closed = takes(),
    port_close(Port),
    see:value(port, {Closed, [if is_tuple(X) -> element(1, X); true -> X end || X <- rest()], takes()}),
    process_flag(trap_exit, false).

monitors() ->
    Down = fun(Options) ->
        Pid = spawn(fun() -> receive stop -> ok end end),
        M = monitor(process, Pid, Options),
        self() ! ordinary,
        urgent(M, through),
        Takes = takes(),
        N = monitor(process, Pid),
        Pid ! stop,
        receive {'DOWN', N, process, Pid, _} -> ok end,
        {Takes, [if is_tuple(X) -> element(1, X); true -> X end || X <- rest()], takes(), unalias(M)}
    end,
    see:all([{{monitor, O}, fun() -> Down(O) end} || O <- [[], [priority], [priority, {tag, tag}],
        [{alias, explicit_unalias}, priority],
        [priority, {alias, demonitor}], [priority, {alias, reply_demonitor}], [{alias, reply_demonitor}]]]),
    self() ! ordinary,
    monitor(process, nobody, [priority]),
    see:value(nobody, [if is_tuple(X) -> element(1, X); true -> X end || X <- rest()]),
    M = monitor(process, whereis(init), [priority]),
    see:value(takes, {takes(), demonitor(M), takes()}).

exits() ->
    process_flag(trap_exit, true),
    [P, O] = [alias([priority]), alias([])],
    [begin
        self() ! ordinary,
        Exit(A, other, []),
        Exit(A, reason, [priority]),
        see:value({exit, Kind}, [case X of {'EXIT', From, R} when From =:= self() -> R; _ -> X end || X <- rest()])
    end || {Kind, A} <- [{priority, P}, {ordinary, O}, {self, self()}],
    Exit <- [fun erlang:exit/3, fun erlang:exit_signal/3]],
    unalias(P), unalias(O),
    process_flag(trap_exit, false).

aliases() ->
    To = fun(Dest) -> self() ! first, erlang:send(Dest, second, [priority]), rest() end,
    register(me, self()),
    see:value(to, [To(self()), To(me), To({me, node()}), To(alias()), To(make_ref())]),
    unregister(me),
    A = alias([priority]),
    self() ! first,
    [erlang:send(A, O, O) || O <- [[priority, nosuspend], [noconnect, priority], [nosuspend], [priority, priority]]],
    see:value(options, {rest(), unalias(A)}).

%% What a tracer is told.
told() ->
    Main = self(),
    Pid = spawn(fun() ->
        Main ! {alias, alias([priority])},
        receive go -> ok end,
        erlang:send(receive {to, To} -> To end, sent, [priority]),
        Main ! {got, rest()}
    end),
    Alias = receive {alias, A} -> A end,
    erlang:trace(Pid, true, [send, 'receive']),
    Pid ! 1, urgent(Alias, 2), Pid ! {to, alias([priority])}, Pid ! go,
    Got = receive {got, G} -> G end,
    Traced = erlang:trace_delivered(Pid),
    receive {trace_delivered, Pid, Traced} -> ok end,
    Name = fun(X) when is_reference(X) -> alias; (X) when is_pid(X) -> pid; ({to, _}) -> to; (X) -> X end,
    see:value(told, {Got, [[Name(X) || X <- tl(tl(tuple_to_list(T)))] || T <- rest(), is_tuple(T)]}).

tokens() ->
    A = alias([priority]),
    self() ! plain,
    seq_trace:set_token(label, 17),
    urgent(A, with_token),
    seq_trace:set_token([]),
    see:value(tokens, [begin M = receive X -> X end, {M, seq_trace:get_token(label)} end || _ <- [1, 2]]),
    see:value(unalias, {unalias(A), rest()}).

%% One that hibernates, and one that waits without a clause.
sleepers() ->
    Main = self(),
    Sleeper = spawn(fun() ->
        Main ! {alias, alias([priority])},
        erlang:hibernate(erlang, apply, [fun() -> Main ! {woken, rest()} end, []])
    end),
    Alias = receive {alias, A} -> A end,
    apart:wait(fun() -> process_info(Sleeper, current_function) end, {current_function, {erlang, hibernate, 3}}, 200),
    urgent(Alias, wake),
    see:value(hibernated, receive {woken, W} -> W after 5000 -> timeout end),
    {Blind, Ref} = spawn_monitor(fun() ->
        Main ! {alias, alias([priority])},
        receive after 100 -> ok end,
        exit(rest())
    end),
    Alias2 = receive {alias, A2} -> A2 end,
    Blind ! a, urgent(Alias2, b), Blind ! c, urgent(Alias2, d),
    see:value(blind, receive {'DOWN', Ref, process, Blind, Why} -> Why after 5000 -> timeout end).

%% Several senders at once: nothing is lost, and what one sends with the same rank comes in its order.
flood(How) ->
    Count = 2000,
    Main = self(),
    {Pid, Ref} = spawn_monitor(fun() ->
        Main ! {alias, alias([priority])},
        Got = [take(How, N) || N <- lists:seq(1, 3 * 2 * Count)],
        Kept = fun(S, R) -> [I || {S2, R2, I, _} <- Got, S2 =:= S, R2 =:= R] =:= lists:seq(1, Count) end,
        exit({[Kept(S, R) || S <- [1, 2, 3], R <- [plain, urgent]], rest()})
    end),
    Alias = receive {alias, A} -> A end,
    Content = list_to_binary(lists:seq(0, 99)),
    [spawn_link(fun() ->
        [begin
            Pid ! {S, plain, I, Content},
            urgent(Alias, {S, urgent, I, Content}),
            I rem 100 =:= 0 andalso erlang:yield()
        end || I <- lists:seq(1, Count)]
    end) || S <- [1, 2, 3]],
    receive {'DOWN', Ref, process, Pid, Found} -> Found end.

%% Matching builds terms, so that collections happen meanwhile.
take(any, _) -> receive {_, _, _, <<_:9/binary, _/binary>>} = M -> M end;
take(selective, N) ->
    S = N rem 3 + 1,
    receive {S, _, _, <<H:8, R:50/binary, _/binary>>} = M when byte_size(R) > H -> M end;
take(timed, N) ->
    S = N rem 3 + 1,
    receive {S, _, _, <<_:9/binary, R/binary>>} = M when R =/= <<>> -> M
    after 1 -> receive {_, _, _, _} = M -> M end
    end.
