%% Output of more parts than the system takes in one call, in both directions of connections that have waited before: to
%% internet and local sockets, by the module socket, as a datagram, to a program and to a file. All of it must arrive.
-module(many_parts).
-export([main/0]).

main() ->
    [tcp(Parts, Bytes) || Parts <- [1, 1023, 1024, 1025, 2049, 5000], Bytes <- [65, 1000]],
    tcp_with_length(),
    local(),
    socket(),
    datagram(),
    program(),
    file().

parts(Parts, Bytes) -> [binary:copy(<<(I rem 251)>>, Bytes) || I <- lists:seq(1, Parts)].

tcp(Parts, Bytes) ->
    {A, B} = pair([inet]),
    Data = parts(Parts, Bytes),
    see:value({tcp, Parts, Bytes}, [passes(From, To, Data) || {From, To} <- [{A, B}, {B, A}, {A, B}, {B, A}]]),
    gen_tcp:close(A),
    gen_tcp:close(B).

tcp_with_length() ->
    {A, B} = pair([inet]),
    [ok = inet:setopts(Socket, [{packet, 4}]) || Socket <- [A, B]],
    Data = parts(3000, 70),
    See = fun() ->
        ok = gen_tcp:send(A, Data),
        {ok, Packet} = gen_tcp:recv(B, 0, 10000),
        Packet =:= iolist_to_binary(Data)
    end,
    see:value(packet, [See() || _ <- lists:seq(1, 3)]).

local() ->
    {A, B} = pair([local]),
    Data = parts(2500, 80),
    see:value(local, [passes(From, To, Data) || {From, To} <- [{A, B}, {B, A}, {A, B}, {B, A}]]).

pair([inet]) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    connected(Listener, {127, 0, 0, 1}, Port);
pair([local]) ->
    File = "many_parts." ++ os:getpid(),
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ifaddr, {local, File}}]),
    Pair = connected(Listener, {local, File}, 0),
    ok = file:delete(File),
    Pair.

%% Both ends have waited once, so they are watched.
connected(Listener, Address, Port) ->
    Self = self(),
    spawn_link(fun() ->
        {ok, Socket} = gen_tcp:accept(Listener),
        ok = gen_tcp:controlling_process(Socket, Self),
        Self ! {accepted, Socket}
    end),
    {ok, A} = gen_tcp:connect(Address, Port, [binary, {active, false}]),
    B = receive {accepted, Socket} -> Socket end,
    [{error, timeout} = gen_tcp:recv(End, 0, 5) || End <- [A, B]],
    {A, B}.

passes(From, To, Data) ->
    Size = iolist_size(Data),
    Self = self(),
    spawn_link(fun() -> Self ! {sent, gen_tcp:send(From, Data)} end),
    Received = gen_tcp:recv(To, Size, 10000),
    Sent = receive {sent, Result} -> Result end,
    {Sent, Received =:= {ok, iolist_to_binary(Data)}}.

socket() ->
    {ok, Listener} = socket:open(inet, stream),
    ok = socket:bind(Listener, #{family => inet, addr => {127, 0, 0, 1}, port => 0}),
    ok = socket:listen(Listener),
    {ok, Address} = socket:sockname(Listener),
    {ok, A} = socket:open(inet, stream),
    ok = socket:connect(A, Address),
    {ok, B} = socket:accept(Listener),
    Data = parts(3000, 100),
    Size = iolist_size(Data),
    Self = self(),
    Sends = [fun() -> socket:sendmsg(A, #{iov => Data}) end, fun() -> socket:send(A, Data) end],
    See = fun(Send) ->
        spawn_link(fun() -> Self ! {sent, Send()} end),
        Received = socket:recv(B, Size, 10000),
        {receive {sent, Result} -> Result end, Received =:= {ok, iolist_to_binary(Data)}}
    end,
    see:value(socket, [See(Send) || Send <- Sends ++ Sends]).

datagram() ->
    {ok, A} = gen_udp:open(0, [binary, {active, false}, {buffer, 65536}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(A),
    Data = parts(600, 100),
    Sent = gen_udp:send(A, {127, 0, 0, 1}, Port, Data),
    {ok, {_, _, Received}} = gen_udp:recv(A, 0, 10000),
    see:value(datagram, {Sent, Received =:= iolist_to_binary(Data)}).

program() ->
    Port = open_port({spawn, "cat"}, [binary, stream]),
    Data = parts(4000, 100),
    See = fun() ->
        true = port_command(Port, Data),
        collect(Port, iolist_size(Data), []) =:= iolist_to_binary(Data)
    end,
    see:value(program, [See() || _ <- lists:seq(1, 4)]),
    port_close(Port).

collect(_, 0, Parts) ->
    iolist_to_binary(lists:reverse(Parts));
collect(Port, Size, Parts) ->
    receive
        {Port, {data, Part}} -> collect(Port, Size - byte_size(Part), [Part | Parts])
    after 10000 -> {missing, Size}
    end.

file() ->
    File = "many_parts." ++ os:getpid(),
    {ok, Raw} = file:open(File, [raw, binary, write, read]),
    Data = parts(3000, 100),
    ok = file:write(Raw, Data),
    ok = file:pwrite(Raw, 300000, Data),
    {ok, Read} = file:pread(Raw, 0, 1000000),
    ok = file:close(Raw),
    ok = file:delete(File),
    see:value(file, Read =:= iolist_to_binary([Data, Data])).
