%% What goes between two nodes on the loopback interface. The first node starts the other one:
%%   erl -noshell -s between run pingpong 30000 /usr/bin/erl -s erlang halt
%% The last argument is the machine of the other node. Times are printed in microseconds.
-module(between).
-export([run/1, guard/0, echo/0, take/2, noop/0, hub/0, others/3]).

run([What, N, Machine]) ->
    Peer = start(atom_to_list(Machine)),
    measure(What, list_to_integer(atom_to_list(N)), Peer),
    catch erpc:call(Peer, erlang, halt, []).

%% Gives this node a name and starts the other one.
start(Machine) ->
    [] = os:cmd(filename:join(code:root_dir(), "bin/epmd") ++ " -daemon || epmd -daemon"),
    Unique = os:getpid() ++ "_" ++ integer_to_list(erlang:unique_integer([positive])),
    {ok, _} = net_kernel:start(list_to_atom("one_" ++ Unique ++ "@127.0.0.1"), #{name_domain => longnames}),
    erlang:set_cookie(list_to_atom(Unique)),
    [Schedulers, Online] = [integer_to_list(erlang:system_info(S)) || S <- [schedulers, schedulers_online]],
    Args = ["-noshell", "-name", "two_" ++ Unique ++ "@127.0.0.1", "-setcookie", Unique,
            "-pa", filename:dirname(code:which(?MODULE)), "+S", Schedulers ++ ":" ++ Online,
            "-run", ?MODULE_STRING, "guard"],
    Port = open_port({spawn_executable, os:find_executable(Machine)}, [{args, Args}, in, hide]),
    true = is_port(Port),
    Peer = list_to_atom("two_" ++ Unique ++ "@127.0.0.1"),
    ok = connect(Peer, 100),
    Peer.

connect(_, 0) -> no_connection;
connect(Peer, Attempts) ->
    case net_kernel:connect_node(Peer) of
        true -> ok;
        false -> timer:sleep(100), connect(Peer, Attempts - 1)
    end.

timed(Body) ->
    T0 = erlang:monotonic_time(microsecond),
    Body(),
    erlang:monotonic_time(microsecond) - T0.

%% The first tenth is not counted.
timed_after_some(N, Body) ->
    Body(N div 10),
    io:format("timed: ~b~n", [timed(fun() -> Body(N) end)]).

%% A number there and back.
measure(pingpong, N, Peer) ->
    Echo = spawn(Peer, ?MODULE, echo, []),
    timed_after_some(N, fun(Count) -> pingpong(Echo, Count) end);
%% Small messages of one process to one.
measure(oneway, N, Peer) ->
    timed_after_some(N, fun(Count) -> oneway(Peer, 1, Count) end);
%% Small messages of 50 processes to 50 others.
measure(fifty, N, Peer) ->
    timed_after_some(N, fun(Count) -> oneway(Peer, 50, Count div 50) end);
measure(calls, N, Peer) ->
    timed_after_some(N, fun(Count) -> [noop = erpc:call(Peer, ?MODULE, noop, []) || _ <- lists:seq(1, Count)] end);
measure(rpc, N, Peer) ->
    timed_after_some(N, fun(Count) -> [noop = rpc:call(Peer, ?MODULE, noop, []) || _ <- lists:seq(1, Count)] end);
measure(spawn_one, N, Peer) ->
    timed_after_some(N, fun(Count) -> [spawn(Peer, ?MODULE, noop, []) || _ <- lists:seq(1, Count)] end);
measure(spawns, N, Peer) ->
    timed_after_some(N, fun(Count) ->
        Requests = [spawn_request(Peer, ?MODULE, noop, [], []) || _ <- lists:seq(1, Count)],
        [receive {spawn_reply, R, ok, _} -> ok end || R <- Requests]
    end);
%% Binaries of a megabyte.
measure(binaries, N, Peer) ->
    Binary = binary:copy(<<"0123456789abcdef">>, 1 bsl 16),
    timed_after_some(N, fun(Count) ->
        Taker = spawn(Peer, ?MODULE, take, [self(), Count]),
        [Taker ! {I, Binary} || I <- lists:seq(1, Count)],
        receive {taken, Taker} -> ok end
    end);
%% A small message there and back, beside a stream of messages of 8 MB each.
measure(beside_large, N, Peer) ->
    Echo = spawn(Peer, ?MODULE, echo, []),
    Taker = spawn(Peer, ?MODULE, take, [self(), 1 bsl 50]),
    Large = binary:copy(<<"0123456789abcdef">>, 1 bsl 19),
    Sender = spawn_link(fun Send() -> Taker ! Large, Send() end),
    timer:sleep(500),
    Times = lists:sort([timed(fun() -> pingpong(Echo, 1) end) || _ <- lists:seq(1, N)]),
    io:format("median: ~b~nslowest: ~b~n", [lists:nth(N div 2 + 1, Times), lists:last(Times)]),
    unlink(Sender), exit(Sender, kill), exit(Taker, kill);
%% Half of the processes monitor one of the other node, half are linked with it; then it ends.
measure(related, N, Peer) ->
    Hub = relate(N, Peer),
    io:format("timed: ~b~n", [timed(fun() -> Hub ! stop, all_told(N) end)]);
%% The same, but the connection is lost.
measure(disconnected, N, Peer) ->
    _ = relate(N, Peer),
    io:format("timed: ~b~n", [timed(fun() -> erlang:disconnect_node(Peer), all_told(N) end)]),
    ok = connect(Peer, 100);
%% Many nodes connect to this one, and each has a message for it and gets one.
measure(many, N, Peer) ->
    true = register(many, self()),
    Time = timed(fun() ->
        _ = spawn(Peer, ?MODULE, others, [node(), atom_to_list(erlang:get_cookie()), N]),
        [receive Other when is_pid(Other) -> Other ! welcome end || _ <- lists:seq(1, N)]
    end),
    N = length(nodes(hidden)),
    [garbage_collect(P) || P <- processes()],
    io:format("timed: ~b~nwaiting: ~b~n", [Time, N]),
    timer:sleep(infinity).

oneway(Peer, Processes, Each) ->
    Takers = [spawn(Peer, ?MODULE, take, [self(), Each]) || _ <- lists:seq(1, Processes)],
    [spawn(fun() -> [Taker ! {message, I} || I <- lists:seq(1, Each)] end) || Taker <- Takers],
    [receive {taken, Taker} -> ok end || Taker <- Takers].

pingpong(_, 0) -> ok;
pingpong(Echo, N) ->
    Echo ! {self(), N},
    receive N -> pingpong(Echo, N - 1) end.

relate(N, Peer) ->
    Self = self(),
    Hub = spawn(Peer, ?MODULE, hub, []),
    Related = [spawn(fun() -> related(I rem 2, Hub, Self) end) || I <- lists:seq(1, N)],
    [receive {related, R} -> ok end || R <- Related],
    %% Everything has arrived there once this has.
    noop = erpc:call(Peer, ?MODULE, noop, []),
    timer:sleep(500),
    Hub.

related(0, Hub, Parent) ->
    Reference = monitor(process, Hub),
    Parent ! {related, self()},
    receive {'DOWN', Reference, process, Hub, _} -> Parent ! told end;
related(1, Hub, Parent) ->
    process_flag(trap_exit, true),
    link(Hub),
    Parent ! {related, self()},
    receive {'EXIT', Hub, _} -> Parent ! told end.

all_told(0) -> ok;
all_told(N) -> receive told -> all_told(N - 1) end.

%% What runs on the other node.

%% Ends the node once it has been alone for some seconds: the first node was killed.
guard() -> spawn(fun() -> guard(10) end).

guard(0) -> halt();
guard(Patience) ->
    timer:sleep(1000),
    guard(case nodes() of [] -> Patience - 1; _ -> 3 end).

echo() -> receive {From, What} -> From ! What, echo() end.

take(Parent, 0) -> Parent ! {taken, self()};
take(Parent, N) -> receive _ -> take(Parent, N - 1) end.

hub() -> receive stop -> exit(stopped) end.

noop() -> noop.

%% Nodes that connect to one, one after the other: each is a socket and what this process says there.
%% The protocol: https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html
others(Node, Cookie, N) ->
    [Name, Host] = string:lexemes(atom_to_list(Node), "@"),
    {port, Port, _} = erl_epmd:port_please(Name, Host),
    Sockets = [other(Port, list_to_binary(lists:concat(["other", I, "@", Host])), Cookie) || I <- lists:seq(1, N)],
    [welcomed(Socket) || Socket <- Sockets],
    timer:sleep(infinity).

%% Those of a hidden node of OTP 25.
-define(CAPABILITIES, 16#d07df7fbc).

other(Port, Name, Cookie) ->
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}, {packet, 2}, {nodelay, true}]),
    ok = gen_tcp:send(Socket, <<"N", ?CAPABILITIES:64, 1:32, (byte_size(Name)):16, Name/binary>>),
    {ok, <<"sok">>} = gen_tcp:recv(Socket, 0),
    {ok, <<"N", _:64, Challenge:32, _/binary>>} = gen_tcp:recv(Socket, 0),
    ok = gen_tcp:send(Socket, <<"r", 1:32, (digest(Cookie, Challenge))/binary>>),
    Digest = digest(Cookie, 1),
    {ok, <<"a", Digest/binary>>} = gen_tcp:recv(Socket, 0),
    ok = inet:setopts(Socket, [{packet, 4}]),
    %% A message for `many': the pid of its sender.
    Pid = <<88, 119, (byte_size(Name)), Name/binary, 1:32, 0:32, 1:32>>,
    ok = gen_tcp:send(Socket, [<<131, 68, 0, 104, 4, 97, 6>>, Pid, <<119, 0, 119, 4, "many">>, Pid]),
    Socket.

digest(Cookie, Challenge) -> erlang:md5([Cookie, integer_to_list(Challenge)]).

welcomed(Socket) -> {ok, <<131, _/binary>>} = gen_tcp:recv(Socket, 0).
