%% A linked-in driver that calls the functions of erl_driver.h with good and bad arguments: what they return, and what
%% processes get.
%% needs: erl_nif.h
-module(linked_in).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Folder = filename:dirname(code:which(?MODULE)),
    see:value("load", erl_ddll:load(Folder, linked_in)),
    see:value("again", [erl_ddll:try_load(Folder, linked_in, []), erl_ddll:info(linked_in, port_count)]),
    [see:that(Command, fun() -> open_port({spawn_driver, "linked_in " ++ Command}, []) end)
        || Command <- ["general", "badarg", "errno"]],
    [in_port(Options) || Options <- [[], [binary]]],
    [ends(Operation, Options) || Operation <- lists:seq(30, 38), Options <- [[], [eof]]],
    see:value("after the end", in_new_port(26, [])),
    another_driver(),
    see:value("libraries", in_new_port(22, filename:join(Folder, "linked_in"))),
    see:value("unload", [erl_ddll:unload(linked_in), erl_ddll:unload(linked_in)]),
    see:value("unloaded", [erl_ddll:unload(linked_in), is_loaded("linked_in")]),
    see:value("load anew", erl_ddll:load(Folder, linked_in)),
    see:value("lock", [in_new_port(23, []), in_new_port(23, [])]),
    see:value("locked", [erl_ddll:unload(linked_in), is_loaded("linked_in"), erl_ddll:info(linked_in, permanent)]).

is_loaded(Name) ->
    {ok, Names} = erl_ddll:loaded_drivers(),
    lists:member(Name, Names).

in_new_port(Operation, Data) ->
    Port = open_port({spawn_driver, linked_in}, []),
    Said = port_control(Port, Operation, Data),
    {Said, port_close(Port), messages(Port, 1)}.

in_port(Options) ->
    Port = open_port({spawn_driver, linked_in}, Options),
    [see:value(integer_to_list(Operation), {port_control(Port, Operation, []), messages(Port, count(Operation))})
     || Operation <- [1, 2, 3, 4, 17, 18, 6, 7, 8, 9, 11, 12, 13, 16]],
    made(Port),
    see:value("vector", [{command(Port, Data), messages(Port, 1), port_control(Port, 20, []), queue_size(Port)}
                         || Data <- ["abc", [1, binary:copy(<<"x">>, 100), "y"], []]]),
    see:that("bad vector", fun() -> port_command(Port, [a]) end),
    port_control(Port, 14, [1]),
    see:that("busy", fun() -> port_command(Port, "x", [nosuspend]) end),
    see:value("forced", {port_command(Port, "x", [force]), messages(Port, 1)}),
    port_control(Port, 14, []),
    held(Port),
    queued(Port),
    port_control(Port, 14, []),
    see:value("not busy", {port_command(Port, "x", [nosuspend]), messages(Port, 1)}),
    see:value("call", [erlang:port_call(Port, 0, Term) || Term <- [a, lists:duplicate(400, a), #{1 => 2}]]),
    see:value("kept", erlang:port_call(Port, 1, a)),
    see:that("no call", fun() -> erlang:port_call(Port, 2, a) end),
    see:that("no control", fun() -> port_control(Port, 99, []) end),
    see:value("nothing", port_control(Port, 40, [])),
    port_control(Port, 15, []),
    see:value("binary", [port_control(Port, Operation, []) || Operation <- [1, 40, 41]]),
    monitored(Port),
    see:value("nobody", port_control(Port, 19, [])),
    port_control(Port, 21, []),
    see:value("close", {port_close(Port), messages(Port, 1), erlang:port_info(Port)}).

%% How many messages an operation brings.
count(2) -> 6;
count(4) -> 4;
count(17) -> 3;
count(7) -> 2;
count(11) -> 1;
count(12) -> 5;
count(13) -> 3;
count(_) -> 0.

messages(_, 0) -> [];
messages(Port, N) ->
    receive
        {Port, Pid} when is_pid(Pid) -> [{port, Pid =:= self()} | messages(Port, N - 1)];
        {Port, Message} -> [Message | messages(Port, N - 1)];
        {'EXIT', Port, Reason} -> [{exit, Reason} | messages(Port, N - 1)];
        Message -> [Message | messages(Port, N - 1)]
    after 5000 -> [nothing]
    end.

%% A command that is sent as a message while the driver is busy waits; the port does what else it is asked for.
held(Port) ->
    port_control(Port, 14, [1]),
    Owner = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> Port ! {Owner, {command, "held"}}, Port ! {Owner, {command, "next"}} end),
    {Killed, _} = spawn_monitor(fun() -> receive go -> Port ! {Owner, {command, "of a dead one"}} end end),
    Suspended = fun(Sender) -> process_info(Sender, status) =:= {status, suspended} end,
    true = apart:wait(fun() -> Suspended(Pid) end, true, 200),
    Killed ! go,
    true = apart:wait(fun() -> Suspended(Killed) end, true, 200),
    exit(Killed, kill),
    see:value("killed", receive {'DOWN', _, process, Killed, Why} -> Why end),
    see:value("held", {receive {Port, Data} -> Data after 100 -> none end, queue_size(Port)}),
    port_control(Port, 14, []),
    see:value("carried out", messages(Port, 2)),
    see:value("sender", receive {'DOWN', Monitor, process, Pid, Reason} -> Reason after 5000 -> none end).

%% The driver becomes busy in a long call, while commands wait for it: they go on waiting, and what was sent behind them
%% too.
queued(Port) ->
    Owner = self(),
    Send = fun(Requests) -> [Port ! {Owner, Request} || Request <- Requests] end,
    queued_in_call(Port, fun() -> Send([{command, "queued"}, {command, "too"}, {connect, Owner}]) end),
    see:value("in order", messages(Port, 3)),
    Told = fun(Result) -> Owner ! {result, Result} end,
    queued_in_call(Port, fun() -> Send([{command, "sent"}]), Told(port_command(Port, "called")) end),
    see:value("command behind", messages(Port, 3)),
    queued_in_call(Port, fun() -> Told(port_command(Port, "first")), Told(port_control(Port, 5, [])) end),
    see:value("control behind", messages(Port, 3)),
    queued_in_call(Port, fun() -> Send([{command, "sent"}]), Told(port_control(Port, 5, [])) end),
    see:value("control behind a message", messages(Port, 2)).

queued_in_call(Port, Send) ->
    Flag = atomics:new(1, []),
    spawn(fun() -> until_set(Flag), until_ms(erlang:monotonic_time(millisecond) + 100), Send() end),
    atomics:put(Flag, 1, 1),
    port_control(Port, 27, []),
    see:value("queued", receive {Port, Data} -> Data; {result, Result} -> Result after 100 -> none end),
    port_control(Port, 14, []).

%% Without leaving the scheduler for long: the other one is in the driver.
until_set(Flag) ->
    case atomics:get(Flag, 1) of
        0 -> erlang:yield(), until_set(Flag);
        1 -> ok
    end.

until_ms(Time) ->
    case erlang:monotonic_time(millisecond) of
        Now when Now < Time -> until_ms(Time);
        _ -> ok
    end.

made(Port) ->
    see:value("5", port_control(Port, 5, [])),
    see:value("os pid", erlang:port_info(Port, os_pid)),
    {links, Links} = process_info(self(), links),
    [Made] = [Link || Link <- Links, is_port(Link), Link =/= Port],
    see:value("made", erlang:port_info(Made, name)),
    see:value("same owner", erlang:port_info(Made, connected) =:= {connected, self()}),
    see:value("works", {port_control(Made, 3, []), port_close(Made), messages(Made, 1)}).

command(Port, Data) -> Port ! {self(), {command, Data}}, ok.

queue_size(Port) -> erlang:port_info(Port, queue_size).

monitored(Port) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit(port_control(Port, 10, [])) end),
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value("monitors", {Reason, messages(Port, 1)}) end.

ends(Operation, Options) ->
    Port = open_port({spawn_driver, linked_in}, Options),
    Monitor = monitor(port, Port),
    see:that("end", fun() -> port_control(Port, Operation, []) end),
    Told = receive {Port, eof} -> eof; {'DOWN', Monitor, port, Port, Reason} -> Reason after 5000 -> nothing end,
    erlang:port_info(Port) =/= undefined andalso port_close(Port),
    Linked = receive {'EXIT', Port, Why} -> Why after 0 -> none end,
    demonitor(Monitor, [flush]),
    see:value(integer_to_list(Operation), {Options, Told, Linked}).

%% A driver that another one brings, which is not in a library of its own.
another_driver() ->
    see:value("add", in_new_port(24, [])),
    see:value("added", [is_loaded("linked_in_too"), erl_ddll:info(linked_in_too), erl_ddll:unload(linked_in_too)]),
    Port = open_port({spawn_driver, "linked_in_too"}, [binary]),
    Port ! {self(), {command, "hello"}},
    see:value("other", {messages(Port, 1), port_close(Port), messages(Port, 1)}),
    see:value("remove", in_new_port(25, [])),
    see:value("removed", is_loaded("linked_in_too")).
