%% TCP servers whose client is an external program: `ferl lab --client`, or wrk.
%%
%%   erl -noshell -s served echo passive /path/to/ferl 100000 -s erlang halt
%%
%% prints what the client measures: round trips per second, and the median, 99th and 99.9th percentile of their times in
%% microseconds.
-module(served).
-export([echo/1, idle/1, http/1]).

-define(CONNECTIONS, 1000).
%% The number of connections of one client, which needs a descriptor for each as well.
-define(MOST_OF_A_CLIENT, 10000).

%% An echo process for each of a thousand connections.
echo([Way, Client, Trips]) ->
    {Backend, Active, Serve} = way(Way),
    Port = listen(Backend, Active, Serve),
    io:put_chars(run(Client, ["lab", "--client", "echo", integer_to_list(Port), integer_to_list(?CONNECTIONS),
        atom_to_list(Trips)])).

way(passive) -> {[], false, fun passive/1};
way(active_once) -> {[], once, fun active_once/1};
way(active) -> {[], true, fun active/1};
way(active_n) -> {[], 100, fun active_n/1};
way(over_socket) -> {[{inet_backend, socket}], false, fun passive/1};
way(over_socket_active) -> {[{inet_backend, socket}], true, fun active/1}.

passive(S) ->
    case gen_tcp:recv(S, 0) of
        {ok, Data} -> ok = gen_tcp:send(S, Data), passive(S);
        {error, closed} -> ok
    end.

active_once(S) ->
    receive
        {tcp, S, Data} -> ok = gen_tcp:send(S, Data), ok = inet:setopts(S, [{active, once}]), active_once(S);
        {tcp_closed, S} -> ok
    end.

active(S) ->
    receive
        {tcp, S, Data} -> ok = gen_tcp:send(S, Data), active(S);
        {tcp_closed, S} -> ok
    end.

active_n(S) ->
    receive
        {tcp, S, Data} -> ok = gen_tcp:send(S, Data), active_n(S);
        {tcp_passive, S} -> ok = inet:setopts(S, [{active, 100}]), active_n(S);
        {tcp_closed, S} -> ok
    end.

%% N idle connections. Then it waits, so that its memory can be read from outside.
idle([Way, Client, Count]) ->
    {Backend, Active, Serve} = way(Way),
    Self = self(),
    Port = listen(Backend, Active, fun(S) -> Self ! accepted, Serve(S) end),
    N = list_to_integer(atom_to_list(Count)),
    Clients = [client(Client, ["lab", "--client", "idle", integer_to_list(Port),
        integer_to_list(min(?MOST_OF_A_CLIENT, N - From))])
               || From <- lists:seq(0, N - 1, ?MOST_OF_A_CLIENT)],
    [receive {C, {data, {eol, "ready"}}} -> ok; {C, {data, {eol, Complaint}}} -> exit(Complaint) end || C <- Clients],
    [receive accepted -> ok end || _ <- lists:seq(1, N)],
    io:format("waiting: ~b~n", [N]),
    receive after infinity -> ok end.

listen(Backend, Active, Serve) ->
    {ok, Listening} = gen_tcp:listen(0, Backend ++ [binary, {active, false}, {ip, {127, 0, 0, 1}}, {backlog, 1024},
        {nodelay, true}]),
    {ok, Port} = inet:port(Listening),
    spawn_link(fun() -> accept(Listening, Active, Serve) end),
    Port.

accept(Listening, Active, Serve) ->
    {ok, Socket} = gen_tcp:accept(Listening),
    Server = spawn(fun() ->
        receive yours -> ok end,
        _ = inet:setopts(Socket, [{active, Active}]),
        Serve(Socket)
    end),
    ok = gen_tcp:controlling_process(Socket, Server),
    Server ! yours,
    accept(Listening, Active, Serve).

%% Files of inets' web server, fetched by wrk over that many connections for two seconds.
http([Wrk, Connections]) ->
    Port = web_server(),
    Said = run(Wrk, ["--latency", "-t", "1", "-c", atom_to_list(Connections), "-d", "2s",
                     "http://127.0.0.1:" ++ integer_to_list(Port) ++ "/index.html"]),
    case re:run(Said, "(Socket errors|Non-2xx).*", [{capture, first, list}]) of
        {match, [Complaint]} -> exit(Complaint);
        nomatch -> ok
    end,
    {match, [Rate]} = re:run(Said, "Requests/sec: *([0-9.]+)", [{capture, all_but_first, list}]),
    io:format("rate: ~s~np50: ~.1f~np99: ~.1f~n", [Rate, micros(Said, "50%"), micros(Said, "99%")]).

%% Parses times as wrk prints them: 999.00us, 1.50ms, 2.00s.
micros(Said, Share) ->
    {match, [Number, Unit]} = re:run(Said, Share ++ " +([0-9.]+)([a-z]+)", [{capture, all_but_first, list}]),
    list_to_float(Number) * case Unit of "us" -> 1; "ms" -> 1000; "s" -> 1000000 end.

web_server() ->
    case application:ensure_all_started(inets) of
        {ok, _} -> ok;
        {error, _} -> exit("inets is not installed: apt-get install erlang-inets")
    end,
    {ok, Folder} = file:get_cwd(),
    ok = file:write_file("index.html", binary:copy(<<"a line of a page that is fetched again and again\n">>, 20)),
    {ok, Server} = inets:start(httpd, [{port, 0}, {bind_address, {127, 0, 0, 1}}, {server_name, "served"},
        {server_root, Folder},
                                       {document_root, Folder}, {modules, [mod_alias, mod_dir, mod_get, mod_head]},
                                       {max_clients, 10000}, {max_keep_alive_request, 1000000}]),
    [{port, Port}] = httpd:info(Server, [port]),
    Port.

%% The output of a program until it ends with status 0.
run(Program, Arguments) -> said(client(Program, Arguments), []).

said(Port, Lines) ->
    receive
        {Port, {data, {_, Line}}} -> said(Port, [Line ++ "\n" | Lines]);
        {Port, {exit_status, 0}} -> lists:append(lists:reverse(Lines));
        {Port, {exit_status, _}} -> exit(lists:append(lists:reverse(Lines)))
    end.

client(Program, Arguments) ->
    open_port({spawn_executable, atom_to_list(Program)}, [{args, Arguments}, {line, 1000}, exit_status, use_stdio,
        stderr_to_stdout]).
