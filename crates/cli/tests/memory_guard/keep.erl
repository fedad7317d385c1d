%% What the memory guard is told by programs, and what it spares. Each function prints lines that begin with `keep: `.
-module(keep).
-export([worth/0, keeper/0, helpers/0, silent/0, dead/0, nonsense/0, slowed/0, slowed_apart/0, related/0, room/0]).

%% What `-s` starts is run by `init`, which the guard would keep.
in_process(Body) -> spawn(fun() -> bomb:oversee(fun() -> Body(), halt() end) end).

say(Format, Arguments) -> io:format("keep: " ++ Format ++ "~n", Arguments).

%% Holds so many bytes until it ends.
hold(Bytes) -> hold(Bytes, fun() -> ok end).

hold(Bytes, First) ->
    Self = self(),
    Pid = spawn(fun() -> First(), Binary = binary:copy(<<0>>, Bytes), Self ! self(), receive never -> Binary end end),
    receive Pid -> Pid end.

%% Takes memory until it ends, and returns the reason.
explode() ->
    {Pid, Monitor} = spawn_monitor(fun() -> take([]) end),
    ended(Pid, Monitor).

take(List) -> take([binary:copy(<<1>>, 100000) | List]).

ended(Pid, Monitor) ->
    receive {'DOWN', Monitor, process, Pid, Reason} -> Reason
    after 30000 -> lives
    end.

%% The larger one is worth more.
worth() ->
    in_process(fun() ->
        Self = self(),
        Large = hold(80000000, fun() -> Self ! {before, process_flag({ferl, memory_worth}, 100)} end),
        say("before ~p", [receive {before, Before} -> Before end]),
        say("small ended: ~p", [explode()]),
        say("large lives: ~p", [is_process_alive(Large)])
    end).

keeper() ->
    in_process(fun() ->
        GivenUp = hold(5000000),
        Monitor = monitor(process, GivenUp),
        Self = self(),
        Keeper = spawn(fun() ->
            Before = erlang:system_flag({ferl, memory_keeper}, self()),
            Self ! {keeper, Before},
            receive {memory_guard, Mark, Facts} -> {mark, Mark} = lists:keyfind(mark, 1, Facts) end,
            Self ! {asked, Mark, erlang:system_flag({ferl, memory_first}, [GivenUp])},
            receive never -> ok end
        end),
        say("before ~p", [receive {keeper, Before} -> Before end]),
        Bomb = explode(),
        {Asked, First} = receive {asked, Mark, Pids} -> {Mark, Pids} after 0 -> {nobody, none} end,
        say("asked: ~p", [Asked]),
        say("given up before ~p", [First]),
        say("given up ended: ~p", [ended(GivenUp, Monitor)]),
        say("bomb ended: ~p", [Bomb]),
        #{keeper := Keeper} = erlang:system_info({ferl, memory_guard}),
        say("keeper lives: ~p", [is_process_alive(Keeper)])
    end).

%% Processes without which one of kernel's would end are not ended, even if they are given up.
helpers() ->
    in_process(fun() ->
        Handler = {parent, whereis(logger_std_h_default)},
        Writers = [Pid || Pid <- processes(), erlang:process_info(Pid, parent) =:= Handler],
        Helpers = [whereis(global_group_check) | Writers],
        GivenUp = hold(5000000),
        Monitor = monitor(process, GivenUp),
        undefined = erlang:system_flag({ferl, memory_keeper}, self()),
        [] = erlang:system_flag({ferl, memory_first}, [GivenUp | Helpers]),
        say("bomb ended: ~p", [explode()]),
        say("given up ended: ~p", [ended(GivenUp, Monitor)]),
        say("~b helpers live: ~p", [length(Helpers), lists:all(fun is_process_alive/1, Helpers)])
    end).

silent() ->
    in_process(fun() ->
        undefined = erlang:system_flag({ferl, memory_keeper}, spawn(fun() -> receive never -> ok end end)),
        say("bomb ended: ~p", [explode()])
    end).

dead() ->
    in_process(fun() ->
        {Keeper, Monitor} = spawn_monitor(fun() -> receive stop -> ok end end),
        undefined = erlang:system_flag({ferl, memory_keeper}, Keeper),
        Keeper ! stop,
        normal = ended(Keeper, Monitor),
        say("bomb ended: ~p", [explode()])
    end).

nonsense() ->
    in_process(fun() ->
        {Dead, Monitor} = spawn_monitor(fun() -> ok end),
        normal = ended(Dead, Monitor),
        Bad = fun(Function, Name, Value) -> try erlang:Function(Name, Value) catch error:Reason -> Reason end end,
        Results = [Bad(process_flag, {ferl, memory_worth}, Value) || Value <- [0, -1, 1001, 1 bsl 70, 1.0, much]]
            ++ [Bad(system_flag, {ferl, memory_keeper}, Value) || Value <- [none, Dead, make_ref(), [self()], 1]]
            ++ [Bad(system_flag, {ferl, memory_first}, Value)
                || Value <- [self(), [self(), 1], [self() | self()], none]]
            ++ [Bad(process_flag, Name, 1)
                || Name <- [{ferl, worth}, {ferl, memory_keeper}, {beam, memory_worth}, {ferl}]]
            ++ [Bad(system_flag, Name, self()) || Name <- [{ferl, keeper}, {ferl, 1}, {beam, memory_keeper}, {ferl}]],
        [] = erlang:system_flag({ferl, memory_first}, [self()]),
        [_] = erlang:system_flag({ferl, memory_first}, []),
        say("bad: ~p", [case lists:usort(Results) of [Only] -> Only; Several -> Several end])
    end).

%% A queue that holds most of the node, and does not grow at the hard mark because who fills it is slowed.
slowed() ->
    in_process(fun() ->
        Full = spawn(fun() -> receive empty -> empty() end end),
        Other = spawn(fun() -> empty() end),
        fill(Full),
        await_high(),
        say("to the full queue: ~p", [pace(fun() -> Full ! hello end)]),
        say("with nosuspend: ~p", [pace(fun() -> ok = erlang:send(Full, hello, [nosuspend]) end)]),
        say("to another: ~p", [pace(fun() -> Other ! hello end)]),
        Full ! empty,
        await_calm(1000),
        say("once it is empty: ~p", [pace(fun() -> Full ! hello end)])
    end).

%% Until the node is well above its high mark: free memory that is given back must not take it below again.
fill(Full) ->
    case erlang:system_info({ferl, memory_guard}) of
        #{resident := Resident, high := High, hard := Hard} when Resident > (High + Hard) div 2 -> ok;
        _ -> Full ! lists:seq(1, 5000), fill(Full)
    end.

%% Until the watcher has seen it, and looked at the queues.
await_high() ->
    case erlang:system_info({ferl, memory_guard}) of
        #{level := high} -> timer:sleep(100);
        _ -> timer:sleep(1), await_high()
    end.

%% The same for messages that a dirty scheduler sends.
slowed_apart() ->
    in_process(fun() ->
        Large = lists:seq(1, 70000),
        Looker = spawn_link(fun looker/0),
        Full = spawn(fun() -> receive empty -> empty() end end),
        Other = spawn(fun() -> empty() end),
        fill(Full),
        await_high(),
        say("operator: ~p", [is_held(Looker, fun() -> Full ! Large end)]),
        say("send: ~p", [is_held(Looker, fun() -> erlang:send(Full, Large, []) end)]),
        say("with nosuspend: ~p", [is_held(Looker, fun() -> erlang:send(Full, Large, [nosuspend]) end)]),
        say("to another: ~p", [is_held(Looker, fun() -> Other ! Large end)])
    end).

%% Whether somebody who looks all the time sees that the sender is suspended.
is_held(Looker, Send) ->
    Looker ! {look, self()},
    receive looks -> ok end,
    [Send() || _ <- [1, 2, 3]],
    Looker ! stop,
    receive {held, IsHeld} -> IsHeld end.

looker() ->
    receive {look, Pid} -> Pid ! looks, look(Pid, false), looker() end.

look(Pid, IsHeld) ->
    receive stop -> Pid ! {held, IsHeld}
    after 0 -> look(Pid, process_info(Pid, status) =:= {status, suspended} orelse IsHeld)
    end.

%% Who has many links is slowed when it makes more.
related() ->
    in_process(fun() ->
        Full = spawn(fun() -> receive empty -> empty() end end),
        put(others, [spawn(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 100)]),
        fill(Full),
        await_high(),
        say("few links: ~p", [pace(10, fun() -> link(next()) end)]),
        say("many links: ~p", [pace(fun() -> link(next()) end)]),
        say("monitors: ~p", [pace(fun() -> demonitor(monitor(process, next())) end)]),
        {links, Links} = process_info(self(), links),
        say("fewer links: ~p", [pace(1, fun() -> [unlink(Pid) || Pid <- Links, is_pid(Pid)] end)])
    end).

next() ->
    [Pid | Pids] = get(others),
    put(others, Pids),
    Pid.

%% Takes many times the budget, but never more than a part of it at a time, whether it is used or not.
room() ->
    in_process(fun() ->
        Large = lists:seq(1, 500000),
        [garbage_collect() || _ <- lists:seq(1, 200)],
        say("~p words collected", [length(Large) * 2]),
        Unused = fun(_) -> monitored(fun() -> ok end, [{min_heap_size, 4000000}]) end,
        say("unused heaps: ~p", [lists:usort(lists:map(Unused, lists:seq(1, 200)))]),
        Copies = fun(_) -> monitored(fun() -> self() ! Large end, []) end,
        say("copies: ~p", [lists:usort(lists:map(Copies, lists:seq(1, 50)))]),
        Message = lists:seq(1, 30),
        Fill = fun() -> [self() ! Message || _ <- lists:seq(1, 90000)], ok end,
        Queues = fun(_) ->
            normal = monitored(Fill, []),
            Size = byte_size(binary:copy(<<0>>, 60000000)),
            garbage_collect(),
            Size
        end,
        say("after queues: ~p", [lists:usort(lists:map(Queues, lists:seq(1, 20)))]),
        #{ended := Ended, refused := Refused} = erlang:system_info({ferl, memory_guard}),
        say("ended ~p, refused ~p", [Ended, Refused])
    end).

monitored(Body, Options) ->
    {Pid, Monitor} = spawn_opt(Body, [monitor | Options]),
    ended(Pid, Monitor).

empty() -> receive _ -> empty() end.

await_calm(Times) ->
    case erlang:system_info({ferl, memory_guard}) of
        #{level := calm} -> ok;
        _ when Times > 0 -> timer:sleep(20), await_calm(Times - 1)
    end.

%% How fast twenty messages are sent.
pace(Send) -> pace(20, Send).

pace(Times, Send) ->
    Began = erlang:monotonic_time(microsecond),
    [Send() || _ <- lists:seq(1, Times)],
    case erlang:monotonic_time(microsecond) - Began of
        Us when Us > 30000 -> slow;
        _ -> fast
    end.
