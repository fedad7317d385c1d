%% OTP's ssh, inets and ssl beside Debian's OpenSSH, curl and openssl; `packaging/other_programs.sh` runs it on both
%% machines.
-module(other_programs).
-export([start/0]).

start() ->
    logger:set_primary_config(level, none),
    [Sshd, Ssh, Sftp] = init:get_plain_arguments(),
    [{ok, _} = application:ensure_all_started(Application) || Application <- [ssh, ssl, inets]],
    {ok, Folder} = file:get_cwd(),
    [keys(filename:join(Folder, Name)) || Name <- ["host", "user"]],
    daemon(Folder, Ssh, Sftp),
    client(Folder, Sshd),
    https(Folder),
    halt().

value(Name, Value) -> io:format("~ts: ~0tp~n", [Name, Value]).

that(Name, Fun) -> value(Name, try Fun() catch Class:Reason -> {Class, Reason} end).

keys(Folder) ->
    ok = filelib:ensure_path(Folder),
    [os:cmd("ssh-keygen -q -N '' -t " ++ Type ++ " -f " ++ filename:join(Folder, File))
        || {Type, File} <- types(Folder)],
    ok.

types(Folder) ->
    Kind = case filename:basename(Folder) of "host" -> "ssh_host_"; _ -> "id_" end,
    [{"rsa", Kind ++ "rsa" ++ ending(Kind)}, {"ecdsa", Kind ++ "ecdsa" ++ ending(Kind)},
        {"ed25519", Kind ++ "ed25519" ++ ending(Kind)}].

ending("ssh_host_") -> "_key";
ending(_) -> "".

%% OpenSSH's ssh and sftp to OTP's daemon.
daemon(Folder, Ssh, Sftp) ->
    User = filename:join(Folder, "user"),
    {ok, _} = file:copy(filename:join(User, "id_ed25519.pub"), filename:join(User, "authorized_keys")),
    Subsystem = ssh_sftpd:subsystem_spec([{root, Folder}]),
    {ok, Daemon} = ssh:daemon({127, 0, 0, 1}, 0, [{system_dir, filename:join(Folder, "host")}, {user_dir, User},
        {subsystems, [Subsystem]}, {exec, {direct, fun(Text) -> {ok, lists:reverse(Text)} end}}]),
    {ok, Info} = ssh:daemon_info(Daemon),
    Port = integer_to_list(proplists:get_value(port, Info)),
    Options = " -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o BatchMode=yes",
    Run = fun(More, Command) -> os:cmd("timeout 20 " ++ Ssh ++ " -n -p " ++ Port ++ Options ++ " -i " ++
        filename:join(User, "id_ed25519") ++ More ++ " tester@127.0.0.1 " ++ Command ++ " 2>&1") end,
    [value("ssh to the daemon, " ++ More, Run(" -o " ++ More, "some words"))
     || More <- ["Compression=no", "Compression=yes", "Ciphers=aes256-gcm@openssh.com",
         "Ciphers=chacha20-poly1305@openssh.com", "Ciphers=aes128-ctr",
                 "MACs=hmac-sha2-512-etm@openssh.com", "KexAlgorithms=curve25519-sha256",
                 "KexAlgorithms=diffie-hellman-group16-sha512", "KexAlgorithms=ecdh-sha2-nistp384",
                 "HostKeyAlgorithms=ssh-ed25519", "HostKeyAlgorithms=rsa-sha2-512",
                 "HostKeyAlgorithms=ecdsa-sha2-nistp256"]],
    value("a key that is not known", Run(" -o IdentitiesOnly=yes -o IdentityFile=none", "x") =/= []),
    ok = file:write_file(filename:join(Folder, "batch"),
        "put batch copy\nls -1 copy\nget copy back\nrm copy\nmkdir d\nrmdir d\n"),
    value("sftp to the daemon", os:cmd("timeout 20 " ++ Sftp ++ " -q -P " ++ Port ++ Options ++ " -i " ++
        filename:join(User, "id_ed25519") ++ " -b batch tester@127.0.0.1 2>&1")),
    value("the file is the same", file:read_file("back") =:= file:read_file("batch")),
    ssh:stop_daemon(Daemon).

%% OTP's client to OpenSSH's sshd.
client(Folder, Sshd) ->
    User = filename:join(Folder, "user"),
    {ok, Socket} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Socket),
    gen_tcp:close(Socket),
    ok = file:write_file("sshd_config", [io_lib:format("HostKey ~ts/host/ssh_host_~s_key~n", [Folder, Type])
        || Type <- ["rsa", "ecdsa", "ed25519"]]
        ++ io_lib:format("ListenAddress 127.0.0.1:~b~nAuthorizedKeysFile ~ts/user/authorized_keys~nStrictModes no~nPidFile none~nUsePAM no~nPermitRootLogin yes~nSubsystem sftp internal-sftp~n", [Number, Folder])),
    Program = open_port({spawn, Sshd ++ " -D -e -f " ++ filename:join(Folder, "sshd_config")},
        [exit_status, stderr_to_stdout]),
    timer:sleep(1000),
    Base = [{silently_accept_hosts, true}, {user_interaction, false}, {user, "root"}, {user_dir, User},
        {save_accepted_host, false}],
    that("command on sshd", fun() ->
        {ok, Connection} = ssh:connect({127, 0, 0, 1}, Number, Base, 10000),
        Results = [command(Connection, Command) || Command <- ["echo some words", "cat /dev/zero | head -c 300000",
            "exit 3"]],
        ssh:close(Connection),
        Results
    end),
    [that(io_lib:format("with ~w", [Algorithms]), fun() ->
         {ok, Connection} = ssh:connect({127, 0, 0, 1}, Number, [{preferred_algorithms, [Algorithms]} | Base], 10000),
         {algorithms, Used} = ssh:connection_info(Connection, algorithms),
         Result = {command(Connection, "echo x"), [proplists:get_value(Kind, Used) || Kind <- [kex, hkey, encrypt]]},
         ssh:close(Connection),
         Result
     end) || Algorithms <- [{kex, ['curve25519-sha256']}, {kex, ['ecdh-sha2-nistp521']},
     {kex, ['diffie-hellman-group14-sha256']}, {public_key, ['ssh-ed25519']}, {public_key, ['rsa-sha2-256']},
                            {cipher, [{client2server, ['aes128-gcm@openssh.com']}, {server2client, ['aes256-ctr']}]},
                            {cipher, ['chacha20-poly1305@openssh.com']}]],
    that("sftp on sshd", fun() ->
        {ok, Channel, Connection} = ssh_sftp:start_channel({127, 0, 0, 1}, Number, Base),
        Path = filename:join(Folder, "by_sftp"),
        Bytes = binary:copy(<<"some bytes ">>, 20000),
        Results = [ssh_sftp:write_file(Channel, Path, Bytes), ssh_sftp:read_file(Channel, Path) =:= {ok, Bytes},
            ssh_sftp:rename(Channel, Path, Path ++ "2"), ssh_sftp:delete(Channel, Path ++ "2"),
        ssh_sftp:read_file(Channel, Path)],
        ssh:close(Connection),
        Results
    end),
    case erlang:port_info(Program, os_pid) of
        {os_pid, Pid} -> os:cmd("kill " ++ integer_to_list(Pid));
        undefined -> value("sshd has ended", receive {Program, What} -> What after 0 -> none end)
    end.

command(Connection, Command) ->
    {ok, Channel} = ssh_connection:session_channel(Connection, 10000),
    success = ssh_connection:exec(Connection, Channel, Command, 10000),
    collect(Connection, Channel, <<>>, none).

collect(Connection, Channel, Bytes, Status) ->
    receive
        {ssh_cm, Connection, {data, Channel, _, More}} ->
            ssh_connection:adjust_window(Connection, Channel, byte_size(More)),
            collect(Connection, Channel, <<Bytes/binary, More/binary>>, Status);
        {ssh_cm, Connection, {exit_status, Channel, Number}} -> collect(Connection, Channel, Bytes, Number);
        {ssh_cm, Connection, {closed, Channel}} when byte_size(Bytes) > 100 -> {byte_size(Bytes), erlang:crc32(Bytes),
            Status};
        {ssh_cm, Connection, {closed, Channel}} -> {Bytes, Status};
        {ssh_cm, Connection, _} -> collect(Connection, Channel, Bytes, Status)
    after 10000 -> {no_end, Bytes}
    end.

%% curl and openssl to inets' httpd over TLS.
https(Folder) ->
    Strong = [{key, {namedCurve, secp256r1}}, {digest, sha256}],
    Host = {'Extension', {2, 5, 29, 17}, false, [{dNSName, "localhost"}]},
    Chain = #{root => Strong, intermediates => [], peer => [{extensions, [Host]} | Strong]},
    #{server_config := Server, client_config := Client} =
        public_key:pkix_test_data(#{server_chain => Chain, client_chain => Chain}),
    ok = file:write_file("ca.pem",
        public_key:pem_encode([{'Certificate', Cert, not_encrypted} || Cert <- proplists:get_value(cacerts, Client)])),
    ok = filelib:ensure_path("docs"),
    ok = file:write_file("docs/small.txt", "some text\n"),
    ok = file:write_file("docs/large.bin", binary:copy(<<1, 2, 3, 4>>, 500000)),
    {ok, Pid} = inets:start(httpd, [{port, 0}, {bind_address, {127, 0, 0, 1}}, {server_name, "localhost"},
        {server_root, Folder}, {document_root, filename:join(Folder, "docs")}, {socket_type, {ssl, Server}}]),
    Port = integer_to_list(proplists:get_value(port, httpd:info(Pid))),
    Url = "https://localhost:" ++ Port,
    Curl = "timeout 20 curl -4 -sS --cacert ca.pem ",
    [value("curl " ++ More ++ " " ++ Path,
        os:cmd(Curl ++ More ++ " -o got -w '%{http_code} %{size_download} %{ssl_verify_result}' " ++ Url ++ Path ++
        "; md5sum < got"))
     || More <- ["--tlsv1.3", "--tls-max 1.2", "--tls-max 1.2 --ciphers ECDHE-ECDSA-AES128-GCM-SHA256"],
     Path <- ["/small.txt", "/large.bin", "/none"]],
    value("curl, an authority that is not known", os:cmd("timeout 20 curl -4 -s " ++ Url ++ "/small.txt; echo $?")),
    [value("openssl " ++ More,
        lists:sort([Line || Line <- string:split(os:cmd("printf 'GET /small.txt HTTP/1.0\\r\\n\\r\\n' | timeout 20 openssl s_client -quiet -verify_quiet -CAfile ca.pem -connect 127.0.0.1:" ++ Port ++ " " ++ More ++ " 2>/dev/null"), "\r\n", all), lists:member(Line, ["HTTP/1.1 200 OK", "some text\n", "HTTP/1.0 200 OK"])]))
     || More <- ["-tls1_3", "-tls1_2", "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256",
         "-tls1_2 -cipher ECDHE-ECDSA-AES256-GCM-SHA384"]],
    that("httpc to it", fun() -> {ok, {{_, 200, _}, _, Body}} = httpc:request(get, {Url ++ "/large.bin", []},
        [{ssl, [{cacertfile, "ca.pem"}, {verify, verify_peer}, {server_name_indication, "localhost"}]}],
    [{body_format, binary}]), erlang:md5(Body) =:= erlang:md5(binary:copy(<<1, 2, 3, 4>>, 500000)) end),
    inets:stop(httpd, Pid).
