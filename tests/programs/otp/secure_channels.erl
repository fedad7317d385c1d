%% TLS, HTTPS and SSH of OTP, client and server in one node: versions, suites, certificates that are refused, bytes both
%% ways, many connections at a time, orderly and hard ends.
%% needs: crypto public_key ssl inets ssh
%% timeout: 90
%% releases: 25
-module(secure_channels).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    [{ok, _} = application:ensure_all_started(Application) || Application <- [ssl, inets, ssh]],
    Certificates = certificates(),
    tls(Certificates),
    refused(Certificates),
    many(Certificates),
    https(Certificates),
    ssh().

certificates() ->
    Ec = [{key, {namedCurve, secp256r1}}],
    Chain = #{root => Ec, intermediates => [Ec], peer => Ec},
    #{server_config := Server, client_config := Client} =
        public_key:pkix_test_data(#{server_chain => Chain, client_chain => Chain}),
    {Server, Client}.

tls({Server, Client}) ->
    Suites = [{Version, Suite} || Version <- ['tlsv1.2', 'tlsv1.3'], Suite <- ssl:cipher_suites(exclusive, Version),
        is_used(Version, Suite)],
    see:value("suites", length(Suites)),
    lists:foreach(fun({Version, Suite}) ->
        Options = [{versions, [Version]}, {ciphers, [Suite]}],
        see:value("tls", {Version, ssl:suite_to_str(Suite), echoed(Options ++ Server, Options ++ Client)})
    end, Suites),
    see:value("of the client too", echoed([{verify, verify_peer}, {fail_if_no_peer_cert, true} | Server], Client)),
    Protocols = [<<"h2">>, <<"http/1.1">>],
    see:value("protocol", connected([{alpn_preferred_protocols, Protocols} | Server],
        [{alpn_advertised_protocols, lists:reverse(Protocols)} | Client],
        fun(Socket) -> ssl:negotiated_protocol(Socket) end)),
    see:value("keys", connected([{versions, ['tlsv1.2']} | Server], [{versions, ['tlsv1.2']} | Client], fun(Socket) ->
        {ok, Key} = ssl:prf(Socket, master_secret, <<"label">>, [client_random, server_random], 32),
        byte_size(Key)
    end)),
    see:value("update", connected([{versions, ['tlsv1.3']} | Server], [{versions, ['tlsv1.3']} | Client], fun(Socket) ->
        {ssl:update_keys(Socket, read_write), echo(Socket, 100)}
    end)),
    see:value("renegotiate", connected([{versions, ['tlsv1.2']} | Server], [{versions, ['tlsv1.2']} | Client],
        fun(Socket) ->
        {ssl:renegotiate(Socket), echo(Socket, 100)}
    end)).

is_used('tlsv1.3', _) -> true;
is_used('tlsv1.2', #{key_exchange := Exchange}) -> Exchange =:= ecdhe_ecdsa.

echoed(ServerOptions, ClientOptions) ->
    connected(ServerOptions, ClientOptions,
        fun(Socket) -> [echo(Socket, Size) || Size <- [1, 1000, 16384, 16385, 300_000]] end).

echo(Socket, Size) ->
    Bytes = crypto:strong_rand_bytes(Size),
    ok = ssl:send(Socket, Bytes),
    {ok, Back} = ssl:recv(Socket, Size, 10_000),
    Back =:= Bytes.

%% What a fun says about a connection to a server that sends everything back.
connected(ServerOptions, ClientOptions, Fun) ->
    {Listening, Port} = server(ServerOptions),
    Result = case ssl:connect("localhost", Port,
        [binary, {active, false}, {server_name_indication, disable} | ClientOptions], 10_000) of
                 {ok, Socket} ->
                     Value = Fun(Socket),
                     ok = ssl:close(Socket),
                     Value;
                 {error, {tls_alert, {Alert, _}}} -> Alert;
                 Error -> Error
             end,
    ok = ssl:close(Listening),
    Result.

server(Options) ->
    {ok, Listening} = ssl:listen(0, [binary, {active, false}, {reuseaddr, true} | Options]),
    {ok, {_, Port}} = ssl:sockname(Listening),
    spawn(fun() -> accepting(Listening) end),
    {Listening, Port}.

accepting(Listening) ->
    case ssl:transport_accept(Listening) of
        {ok, Transport} ->
            Pid = spawn(fun() -> receive begin_it -> serve(ssl:handshake(Transport, 10_000)) end end),
            ok = ssl:controlling_process(Transport, Pid),
            Pid ! begin_it,
            accepting(Listening);
        {error, _} -> ok
    end.

serve({ok, Socket}) -> echoing(Socket);
serve({error, _}) -> ok.

echoing(Socket) ->
    case ssl:recv(Socket, 0) of
        {ok, Bytes} -> ok = ssl:send(Socket, Bytes), echoing(Socket);
        {error, closed} -> ok
    end.

refused({Server, Client}) ->
    {OtherServer, _} = certificates(),
    see:value("unknown authority", connected(OtherServer, [{verify, verify_peer} | Client], fun echo_one/1)),
    see:value("wrong name", connected(Server, [{verify, verify_peer}, {server_name_indication, "other.example"}
                                               | proplists:delete(server_name_indication, Client)], fun echo_one/1)),
    see:value("no common version", connected([{versions, ['tlsv1.3']} | Server], [{versions, ['tlsv1.2']} | Client],
        fun echo_one/1)),
    see:value("no certificate of the client",
        connected([{verify, verify_peer}, {fail_if_no_peer_cert, true}, {versions, ['tlsv1.2']} | Server],
        [{versions, ['tlsv1.2']} | lists:keydelete(cert, 1, lists:keydelete(key, 1, Client))], fun echo_one/1)),
    {Listening, Port} = server(Server),
    {ok, Plain} = gen_tcp:connect("localhost", Port, [binary, {active, false}]),
    ok = gen_tcp:send(Plain, <<"GET / HTTP/1.1\r\n\r\n">>),
    see:value("no TLS at all", case gen_tcp:recv(Plain, 0, 5000) of {ok, <<21, _/binary>>} -> alert; Other -> Other
        end),
    ok = ssl:close(Listening).

echo_one(Socket) -> echo(Socket, 1).

many({Server, Client}) ->
    {Listening, Port} = server(Server),
    Self = self(),
    Pids = [spawn(fun() ->
                {ok, Socket} = ssl:connect("localhost", Port, [binary, {active, once} | Client], 30_000),
                ok = ssl:send(Socket, <<"from ", (integer_to_binary(N))/binary>>),
                Got = receive {ssl, Socket, Bytes} -> Bytes after 30_000 -> none end,
                Self ! {self(), Got},
                receive close -> ssl:close(Socket) end
            end) || N <- lists:seq(1, 40)],
    see:value("forty", lists:sort([receive {Pid, Got} -> Got end || Pid <- Pids])),
    [Pid ! close || Pid <- Pids],
    ok = ssl:close(Listening).

https({Server, Client}) ->
    Root = filename:absname("https"),
    ok = filelib:ensure_dir(filename:join(Root, "x")),
    ok = file:write_file(filename:join(Root, "page.html"), binary:copy(<<"<p>paragraph</p>\n">>, 1000)),
    {ok, Pid} = inets:start(httpd, [{port, 0}, {server_name, "localhost"}, {server_root, Root}, {document_root, Root},
                                    {bind_address, "localhost"}, {socket_type, {ssl, Server}}]),
    Port = proplists:get_value(port, httpd:info(Pid)),
    Url = fun(Path) -> "https://localhost:" ++ integer_to_list(Port) ++ Path end,
    Get = fun(Path) ->
              {ok, {{_, Status, _}, _, Body}} = httpc:request(get, {Url(Path), []},
                  [{ssl, [{verify, verify_none} | Client]}], []),
              {Status, length(Body) > 100, Status =:= 200 andalso length(Body)}
          end,
    see:value("https", [Get(Path) || Path <- ["/page.html", "/missing.html", "/page.html"]]),
    Self = self(),
    Pids = [spawn(fun() -> Self ! {self(), [Get("/page.html") || _ <- [1, 2, 3]]} end) || _ <- lists:seq(1, 10)],
    see:value("at a time", length([ok || Asker <- Pids, receive {Asker, [Same, Same, Same]} -> true end])),
    ok = inets:stop(httpd, Pid).

ssh() ->
    Folder = filename:absname("ssh"),
    ok = filelib:ensure_dir(filename:join(Folder, "x")),
    Key = public_key:generate_key({namedCurve, secp256r1}),
    Pem = public_key:pem_encode([public_key:pem_entry_encode('ECPrivateKey', Key)]),
    ok = file:write_file(filename:join(Folder, "ssh_host_ecdsa_key"), Pem),
    {ok, Daemon} = ssh:daemon(loopback, 0, [{system_dir, Folder}, {user_dir, Folder},
        {user_passwords, [{"user", "secret"}]},
                                            {subsystems, [ssh_sftpd:subsystem_spec([{root, Folder}])]},
                                            {exec, {direct, fun(Text) -> {ok, lists:reverse(Text)} end}}]),
    {ok, Info} = ssh:daemon_info(Daemon),
    Port = proplists:get_value(port, Info),
    Connect = fun(Password) ->
                  ssh:connect(loopback, Port, [{user, "user"}, {password, Password}, {silently_accept_hosts, true},
                      {save_accepted_host, false},
                                               {user_interaction, false}, {user_dir, Folder}], 10_000)
              end,
    see:value("wrong password", element(1, Connect("wrong"))),
    {ok, Connection} = Connect("secret"),
    {ok, Channel} = ssh_connection:session_channel(Connection, 10_000),
    success = ssh_connection:exec(Connection, Channel, "hello there", 10_000),
    see:value("exec", output(Connection, Channel, [])),
    {ok, Sftp} = ssh_sftp:start_channel(Connection),
    Bytes = crypto:strong_rand_bytes(200_000),
    see:value("sftp", {ssh_sftp:write_file(Sftp, "/file", Bytes), ssh_sftp:read_file(Sftp, "/file") =:= {ok, Bytes},
                       file:read_file(filename:join(Folder, "file")) =:= {ok, Bytes}, ssh_sftp:delete(Sftp, "/file"),
                       ssh_sftp:read_file(Sftp, "/file")}),
    ok = ssh:close(Connection),
    ok = ssh:stop_daemon(Daemon).

output(Connection, Channel, Before) ->
    receive
        {ssh_cm, Connection, {data, Channel, 0, Bytes}} -> output(Connection, Channel, [Before, Bytes]);
        {ssh_cm, Connection, {closed, Channel}} -> iolist_to_binary(Before);
        {ssh_cm, Connection, _} -> output(Connection, Channel, Before)
    after 10_000 -> nothing
    end.
