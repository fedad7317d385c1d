%% A TCP server built as brokers are, whose connections come and go: `ferl lab services/light`.
%%
%% Each connection has a supervisor, a reader, a writer, a timer and three channels, which are processes with links and
%% monitors, and rows in ETS tables. The client is `ferl lab --service light`, which also measures the processor time.
%%
%%   erl -noshell -s light_churn serve
%%
%% prints `port: ` and the number.
-module(light_churn).
-export([serve/0]).

-define(HEARTBEAT_MS, 10000).

serve() ->
    _ = ets:new(connections, [named_table, public, set, {write_concurrency, true}]),
    _ = ets:new(channels, [named_table, public, bag]),
    _ = ets:new(counts, [named_table, public]),
    ets:insert(counts, {messages, 0}),
    {ok, Listening} = gen_tcp:listen(0, [binary, {active, false}, {packet, 4}, {ip, {127, 0, 0, 1}}, {backlog, 128},
        {nodelay, true}]),
    {ok, Port} = inet:port(Listening),
    spawn_link(fun() -> accept(Listening) end),
    io:format("port: ~b~n", [Port]),
    receive after infinity -> ok end.

accept(Listening) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    give(Socket, spawn(fun() -> receive yours -> connection(Socket) end end)),
    accept(Listening).

give(Socket, Owner) ->
    _ = gen_tcp:controlling_process(Socket, Owner),
    Owner ! yours.

%% The supervisor of a connection.
connection(Socket) ->
    process_flag(trap_exit, true),
    Self = self(),
    Writer = spawn_link(fun() -> writer(Socket) end),
    Reader = spawn_link(fun() ->
        receive yours -> ok end,
        Name = io_lib:format("~p, of ~p", [Socket, Self]),
        ets:insert(connections, {self(), os:timestamp(), Self, Name}),
        reader(Socket, Writer, #{})
    end),
    give(Socket, Reader),
    Heartbeat = erlang:start_timer(?HEARTBEAT_MS, self(), heartbeat),
    receive {'EXIT', Reader, _} -> ok end,
    erlang:cancel_timer(Heartbeat),
    exit(Writer, kill),
    receive {'EXIT', Writer, _} -> ok end,
    ets:delete(connections, Reader),
    gen_tcp:close(Socket).

writer(Socket) ->
    receive {write, Data} -> _ = gen_tcp:send(Socket, Data), writer(Socket) end.

%% Frames open a channel (0) or carry a message to one (1).
reader(Socket, Writer, Channels) ->
    _ = inet:setopts(Socket, [{active, once}]),
    receive
        {tcp, Socket, <<0, Number, _/binary>>} ->
            {Channel, _} = spawn_monitor(fun() -> channel(Number, Writer, #{}) end),
            ets:insert(channels, {self(), Channel}),
            Writer ! {write, <<"opened">>},
            reader(Socket, Writer, Channels#{Number => Channel});
        {tcp, Socket, <<1, Number, Message/binary>>} ->
            ets:update_counter(counts, messages, 1),
            maps:get(Number, Channels) ! {message, Message},
            reader(Socket, Writer, Channels);
        {tcp_closed, Socket} -> close(Channels);
        {tcp_error, Socket, _} -> close(Channels);
        {'DOWN', _, process, _, _} -> reader(Socket, Writer, Channels)
    end.

close(Channels) ->
    [exit(Channel, shutdown) || Channel <- maps:values(Channels)],
    ets:delete(channels, self()).

channel(Number, Writer, Kept) ->
    receive
        {message, Message} ->
            Writer ! {write, [<<Number>>, Message]},
            channel(Number, Writer, Kept#{erlang:phash2(Message, 50) => Message})
    end.
