%% TCP on the loopback interface: an echo server with one process for each connection.
-module(echo).
-export([one/1, crowd/1, flow/1, one_over_socket/1, flow_over_socket/1, accept/1]).

-define(CONNECTIONS, 50).
-define(MESSAGE, <<"sixty-four bytes, sent and answered, again and again and again..">>).
-define(PIECE_BYTES, 65536).

%% N round trips over one connection.
one(N) -> one(N, []).

%% The same with the socket backend of gen_tcp.
one_over_socket(N) -> one(N, [{inet_backend, socket}]).

one(N, Backend) when is_integer(N), N > 0 ->
    with_server(Backend, fun(Port) -> client(N, Port, Backend) end).

%% N round trips altogether over fifty connections.
crowd(N) when is_integer(N), N >= ?CONNECTIONS ->
    with_server(
      [],
      fun(Port) ->
              Clients = [spawn_monitor(fun() -> client(N div ?CONNECTIONS, Port, []) end)
                         || _ <- lists:seq(1, ?CONNECTIONS)],
              [receive {'DOWN', Monitor, process, Pid, normal} -> ok end
               || {Pid, Monitor} <- Clients]
      end).

%% N blocks of 64 KiB, echoed, sent without waiting for the replies.
flow(N) -> flow(N, []).

%% The same with the socket backend of gen_tcp.
flow_over_socket(N) -> flow(N, [{inet_backend, socket}]).

flow(N, Backend) when is_integer(N), N > 0 ->
    with_server(
      Backend,
      fun(Port) ->
              {ok, Socket} = connect(Port, Backend),
              Piece = binary:copy(<<0>>, ?PIECE_BYTES),
              spawn_link(fun() -> [ok = gen_tcp:send(Socket, Piece) || _ <- lists:seq(1, N)] end),
              receive_all(N * ?PIECE_BYTES, Socket),
              ok = gen_tcp:close(Socket)
      end).

receive_all(0, _) -> ok;
receive_all(Bytes, Socket) ->
    {ok, Data} = gen_tcp:recv(Socket, 0),
    receive_all(Bytes - byte_size(Data), Socket).

with_server(Backend, Client) ->
    {ok, Listening} = gen_tcp:listen(0, Backend ++ [binary, {active, false}, {ip, {127, 0, 0, 1}},
                                                    {backlog, 128}, {nodelay, true}]),
    {ok, Port} = inet:port(Listening),
    spawn_link(fun() -> accept(Listening) end),
    _ = Client(Port),
    ok.

%% Accepts connections and echoes what they send.
accept(Listening) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Server = spawn(fun() -> receive yours -> answer(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Server),
    Server ! yours,
    accept(Listening).

answer(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, Data} -> ok = gen_tcp:send(Socket, Data), answer(Socket);
        {error, closed} -> ok
    end.

connect(Port, Backend) ->
    gen_tcp:connect({127, 0, 0, 1}, Port, Backend ++ [binary, {active, false}, {nodelay, true}]).

client(N, Port, Backend) ->
    {ok, Socket} = connect(Port, Backend),
    Message = ?MESSAGE,
    round_trips(N, Socket, Message),
    ok = gen_tcp:close(Socket).

round_trips(0, _, _) -> ok;
round_trips(N, Socket, Message) ->
    ok = gen_tcp:send(Socket, Message),
    {ok, Message} = gen_tcp:recv(Socket, byte_size(Message)),
    round_trips(N - 1, Socket, Message).
