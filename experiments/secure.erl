%% What native libraries cost: calls of crypto, and TLS of OTP's ssl on the loopback interface.
%%   erl -noshell -s secure run digests 100000 -s erlang halt
%% Times are printed in microseconds. N is a number of calls of 64 bytes; there are fewer of larger ones.
-module(secure).
-export([run/1]).

-define(LARGE, 16384).

run([What, N]) ->
    {ok, _} = application:ensure_all_started(crypto),
    measure(What, list_to_integer(atom_to_list(N))).

%% A function of a library that does nothing: it returns an atom.
measure(calls, N) -> timed("timed", N div 10, fun() -> calls(10) end);
measure(digests, N) ->
    [Small, Large] = [crypto:strong_rand_bytes(Size) || Size <- [64, ?LARGE]],
    timed("small", N, fun() -> crypto:hash(sha256, Small) end),
    timed("large", N div 20, fun() -> crypto:hash(sha256, Large) end);
measure(ciphers, N) ->
    [Small, Large] = [crypto:strong_rand_bytes(Size) || Size <- [64, ?LARGE]],
    Key = crypto:strong_rand_bytes(32),
    Iv = crypto:strong_rand_bytes(12),
    Seal = fun(Bytes) -> fun() -> crypto:crypto_one_time_aead(aes_256_gcm, Key, Iv, Bytes, <<"added">>, true) end end,
    timed("small", N, Seal(Small)),
    timed("large", N div 5, Seal(Large));
measure(handshakes, N) ->
    {Listening, Port, Client} = server(),
    timed("timed", N, fun() -> ok = ssl:close(connect(Port, Client)) end),
    ssl:close(Listening);
%% N megabytes to a server and back, in pieces of 16 KB of which eight are under way.
measure(bytes, N) ->
    {Listening, Port, Client} = server(),
    Socket = connect(Port, Client),
    Bytes = crypto:strong_rand_bytes(?LARGE),
    Window = binary:copy(Bytes, 8),
    timed("timed", N * 1024 * 1024 div byte_size(Window), fun() ->
        ok = ssl:send(Socket, Window),
        {ok, _} = ssl:recv(Socket, byte_size(Window))
    end),
    ssl:close(Listening);
%% N connections that wait: both ends are in this node.
measure(connections, N) ->
    {_, Port, Client} = server(),
    Sockets = [connect(Port, Client) || _ <- lists:seq(1, N)],
    [{ok, _} = begin ok = ssl:send(Socket, <<"hello">>), ssl:recv(Socket, 5) end || Socket <- Sockets],
    io:format("ready~n"),
    receive after infinity -> ok end.

timed(Label, N, Fun) ->
    repeat(max(1, N div 10), Fun),
    Begin = erlang:monotonic_time(microsecond),
    repeat(N, Fun),
    io:format("~s: ~b~n", [Label, erlang:monotonic_time(microsecond) - Begin]).

calls(0) -> ok;
calls(N) -> _ = crypto:info_fips(), calls(N - 1).

repeat(0, _) -> ok;
repeat(N, Fun) -> Fun(), repeat(N - 1, Fun).

%% A server that sends everything back, and what a client needs.
server() ->
    {ok, _} = application:ensure_all_started(ssl),
    Ec = [{key, {namedCurve, secp256r1}}],
    Chain = #{root => Ec, intermediates => [], peer => Ec},
    #{server_config := Server, client_config := Client} =
        public_key:pkix_test_data(#{server_chain => Chain, client_chain => Chain}),
    {ok, Listening} = ssl:listen(0, [binary, {active, false}, {nodelay, true}, {backlog, 128},
        {versions, ['tlsv1.3']} | Server]),
    {ok, {_, Port}} = ssl:sockname(Listening),
    spawn(fun() -> accepting(Listening) end),
    {Listening, Port, [{versions, ['tlsv1.3']} | Client]}.

connect(Port, Client) ->
    {ok, Socket} = ssl:connect("localhost", Port, [binary, {active, false}, {nodelay, true},
        {server_name_indication, disable} | Client]),
    Socket.

accepting(Listening) ->
    case ssl:transport_accept(Listening) of
        {ok, Transport} ->
            Pid = spawn(fun() -> receive go -> {ok, Socket} = ssl:handshake(Transport), echo(Socket) end end),
            ok = ssl:controlling_process(Transport, Pid),
            Pid ! go,
            accepting(Listening);
        {error, _} -> ok
    end.

echo(Socket) ->
    case ssl:recv(Socket, 0) of
        {ok, Bytes} -> ok = ssl:send(Socket, Bytes), echo(Socket);
        {error, _} -> ok
    end.
