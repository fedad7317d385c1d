%% monitor_node/2,3: nodedown as often as asked for, once for each; without a connection; of unknown nodes and bad
%% arguments.
%% timeout: 15
%% args: -connect_all false
-module(monitor_node).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    see:value("connects", monitor_node(B, true)),
    see:value("connected", cluster:wait(fun() -> nodes() end, [B])),
    see:value("twice more", [monitor_node(B, true), monitor_node(B, true)]),
    see:value("one back", monitor_node(B, false)),
    cluster:disconnect(B),
    see:value("twice", cluster:take(2)),
    pong = net_adm:ping(B),
    see:value("passively", [erlang:monitor_node(B, Flag, [allow_passive_connect]) || Flag <- [true, false]]),
    see:value("more back than asked for", [monitor_node(B, false), monitor_node(B, false), monitor_node(B, true)]),
    cluster:disconnect(B),
    see:value("once", cluster:take(1)),
    see:value("unknown", monitor_node('nobody@localhost', true)),
    see:value("told", cluster:next()),
    see:value("unknown, back", [monitor_node('nobody@localhost', false), cluster:rest()]),
    see:value("itself", [monitor_node(node(), true), monitor_node(node(), false)]),
    see:that("no atom", fun() -> monitor_node("b", true) end),
    see:that("no boolean", fun() -> monitor_node(B, 1) end),
    see:that("no list", fun() -> erlang:monitor_node(B, true, allow_passive_connect) end),
    see:that("no option", fun() -> erlang:monitor_node(B, true, [unknown]) end),
    see:that("no proper list", fun() -> erlang:monitor_node(B, true, [allow_passive_connect | x]) end),
    see:that("no host", fun() -> monitor_node(nobody, true) end),
    see:value("told", cluster:rest(B)),
    many(B),
    died(B).

%% Many processes, and one process many times.
many(B) ->
    pong = net_adm:ping(B),
    Self = self(),
    Pids = [spawn(fun() ->
                true = monitor_node(B, true),
                Self ! {self(), monitors},
                Self ! {self(), cluster:next(), cluster:next(500)}
            end) || _ <- lists:seq(1, 100)],
    [receive {Pid, monitors} -> ok end || Pid <- Pids],
    [true = monitor_node(B, true) || _ <- lists:seq(1, 300)],
    [true = monitor_node(B, false) || _ <- lists:seq(1, 200)],
    cluster:disconnect(B),
    see:value("each once", lists:usort([receive {Pid, First, Second} -> {First, Second} end || Pid <- Pids])),
    Told = cluster:take(100),
    see:value("as often as asked for", {length(Told), lists:usort(Told)}).

%% A node that dies is down too, once.
died(_) ->
    {Peer, C} = cluster:start(c),
    true = monitor_node(C, true),
    pong = net_adm:ping(C),
    cluster:kill(Peer),
    see:value("killed", cluster:take(1)),
    {Peer2, C} = cluster:start(c),
    true = monitor_node(C, true),
    pong = net_adm:ping(C),
    peer:cast(Peer2, erlang, halt, []),
    see:value("halted", cluster:take(1)).
