%% Messages of many megabytes: whole when they come, in order for each sender; those of other senders are not held up
%% for ever; the connection breaks in the middle of one; binaries, lists and terms of many parts.
%% args: -connect_all false
%% timeout: 60
-module(large_messages).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    Pid = cluster:on(B, fun() -> spawn(fun Loop() -> receive {From, Term} -> From ! {back, sum(Term)}, Loop() end end)
        end),
    [see:value(Size, {sent(Pid, binary:copy(<<"abcdefg">>, Size div 7)), sent(Pid, lists:seq(1, Size div 100))})
     || Size <- [1_000, 60_000, 65_536, 70_000, 131_072, 1_000_000, 8_000_000]],
    Parts = [binary:copy(<<N>>, 100) || N <- lists:seq(1, 255)],
    see:value("small parts", sent(Pid, lists:duplicate(200, Parts))),
    Part = binary:copy(<<7>>, 100_000),
    see:value("shared parts", sent(Pid, lists:duplicate(100, Part))),
    <<_:3, Bits:8_000_001/bits, _/bits>> = binary:copy(Part, 11),
    see:value("bits", sent(Pid, [Bits, Bits])),
    see:value("deep", sent(Pid, lists:foldl(fun(N, Acc) -> {N, Acc, #{N => <<N:32>>}} end, [], lists:seq(1, 100_000)))),
    between(B),
    left_behind(B),
    there_too(B),
    broken(B).

sent(Pid, Term) ->
    Pid ! {self(), Term},
    {back, Sum} = cluster:next(),
    Sum =:= sum(Term).

sum(Term) -> {erlang:phash2(Term), erlang:external_size(Term)}.

%% Small messages of many senders between large ones of others: each sender's come in order.
between(B) ->
    Self = self(),
    Receiver = spawn(fun() -> Self ! {received, in_order(#{}, 4 * 5 + 10 * 200)} end),
    cluster:on(B, fun() ->
        [spawn(fun() -> [Receiver ! {self(), N, binary:copy(<<N>>, 8_000_000)} || N <- lists:seq(1, 5)] end)
            || _ <- lists:seq(1, 4)],
        [spawn(fun() -> [Receiver ! {self(), N, small} || N <- lists:seq(1, 200)] end) || _ <- lists:seq(1, 10)]
    end),
    see:value("between", receive {received, Result} -> Result after 50_000 -> late end).

in_order(_, 0) -> in_order;
in_order(Last, Left) ->
    receive
        {Pid, N, What} ->
            case {maps:get(Pid, Last, 0) + 1, What} of
                {N, small} -> in_order(Last#{Pid => N}, Left - 1);
                {N, <<N, _/binary>>} when byte_size(What) =:= 8_000_000 -> in_order(Last#{Pid => N}, Left - 1);
                Other -> {wrong, N, Other}
            end
    after 40_000 -> {missing, Left}
    end.

%% Senders that are killed while they wait leave their messages: however many there are, the other node has room for few
%% at a time.
left_behind(B) ->
    Parts = lists:duplicate(10, binary:copy(<<7>>, 100_000)),
    Sink = cluster:on(B, fun() -> spawn(fun Loop() -> receive _ -> Loop() end end) end),
    Watch = cluster:on(B, fun() -> spawn(fun() -> watch_memory(0) end) end),
    [begin
        Pids = [spawn(fun() -> Sink ! Parts, receive nothing -> ok end end) || _ <- lists:seq(1, 100)],
        receive after 5 -> ok end,
        [exit(Pid, kill) || Pid <- Pids]
    end || _ <- lists:seq(1, 15)],
    receive after 500 -> ok end,
    Watch ! {most, self()},
    see:value("left behind", receive {most, Most} when Most < 500_000_000 -> little; {most, Most} -> Most end).

watch_memory(Most) ->
    receive {most, Pid} -> Pid ! {most, Most}
    after 20 -> watch_memory(max(Most, erlang:memory(binary)))
    end.

%% The other way, as exit reasons, spawn arguments, links' and monitors' reasons.
there_too(B) ->
    Large = lists:seq(1, 300_000),
    process_flag(trap_exit, true),
    Pid = spawn_link(B, fun() -> exit(Large) end),
    see:value("exit", receive {'EXIT', Pid, Reason} -> Reason =:= Large end),
    {Pid2, Ref} = spawn_monitor(B, erlang, exit, [Large]),
    see:value("down", receive {'DOWN', Ref, process, Pid2, Why} -> Why =:= Large end),
    see:value("call", erpc:call(B, lists, sum, [Large]) =:= lists:sum(Large)),
    process_flag(trap_exit, false).

%% A node that dies in the middle of a message: nothing of it arrives, the next life is not confused.
broken(_) ->
    Self = self(),
    Results = [begin
        {Peer, C} = cluster:start(c),
        true = net_kernel:connect_node(C),
        true = monitor_node(C, true),
        peer:cast(Peer, erlang, apply,
            [fun() -> [Self ! {large, binary:copy(<<1>>, 8_000_000)} || _ <- lists:seq(1, 20)] end, []]),
        {large, First} = cluster:next(),
        cluster:kill(Peer),
        {byte_size(First), until_down(C)}
    end || _ <- lists:seq(1, 2)],
    see:value("broken", Results).

until_down(C) ->
    case cluster:next() of
        {large, Whole} when byte_size(Whole) =:= 8_000_000 -> until_down(C);
        {nodedown, C} -> {down, cluster:rest()};
        Other -> {wrong, Other}
    end.
