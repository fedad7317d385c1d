%% Descriptors exhausted: what opening, connecting and accepting are told, that the node goes on, and that nothing is
%% left. Packets that never end, lines longer than the buffer, and readers that never read.
%% timeout: 240
-module(tcp_limits).
-export([main/0]).
-define(LO, {127, 0, 0, 1}).

main() ->
    %% Nothing is to be loaded when there are no descriptors left.
    [code:ensure_loaded(M) || A <- [kernel, stdlib], {ok, Ms} <- [application:get_key(A, modules)], M <- Ms],
    %% The servers of the module socket say in many words what they die of.
    ok = logger:set_primary_config(level, none),
    Before = apart:counts(),
    [see:value({exhausted, B}, exhausted(B)) || B <- [inet, socket]],
    see:value(left, apart:settle(Before, 300)),
    [see:value({bad, B, P}, bad(B, P, Data)) || B <- [inet, socket], {P, Data} <- bad_packets()],
    see:value(left, apart:settle(Before, 300)),
    [see:value({never_reads, B}, never_reads(B)) || B <- [inet, socket]],
    see:value(watermarks, watermarks()),
    see:value(left, apart:settle(Before, 300)).

b(inet) -> [];
b(socket) -> [{inet_backend, socket}].

isolated(Fun) -> apart:run(Fun, 60000).

exhausted(B) -> isolated(fun() -> exhausted_here(B) end).

exhausted_here(B) ->
    {ok, L} = gen_tcp:listen(0, b(B) ++ [binary, {active, false}, {ip, ?LO}, {backlog, 50}]),
    {ok, P} = inet:port(L),
    {ok, Keep} = gen_tcp:connect(?LO, P, b(B) ++ [binary, {active, false}]),
    {ok, Peer} = gen_tcp:accept(L),
    {ok, Waiting} = gen_tcp:connect(?LO, P, [binary, {active, false}]),
    Fds = take_all(0, []),
    What = [{open, element(1, gen_udp:open(0, b(B))), error_of(gen_udp:open(0, b(B)))},
            {listen, error_of(gen_tcp:listen(0, b(B)))},
            {connect, error_of(gen_tcp:connect(?LO, P, b(B)))},
            {accept, error_of(gen_tcp:accept(L, 1000))},
            {accept, error_of(gen_tcp:accept(L, 1000))},
            {local, error_of(gen_tcp:listen(0,
                b(B) ++ [{ifaddr, {local, <<0, "limits", (list_to_binary(os:getpid()))/binary>>}}]))},
            {socket, error_of(socket:open(inet, stream))},
            {file, error_of(file:open("/dev/null", [read, raw]))},
            {program, catch open_port({spawn_executable, "/bin/true"}, [])},
            {here, gen_tcp:send(Keep, "still here"), gen_tcp:recv(Peer, 0, 1000)}],
    {Fewer, _} = lists:split(length(Fds) - 1, Fds),
    [file:close(F) || F <- Fewer],
    %% What waited meanwhile can be had now.
    Then = gen_tcp:accept(L, 5000),
    {ok, S} = Then,
    Again = {gen_tcp:send(Waiting, "late"), gen_tcp:recv(S, 0, 1000)},
    [file:close(F) || F <- [lists:last(Fds)]],
    {What, Again}.

error_of({ok, S}) -> catch gen_tcp:close(S), catch gen_udp:close(S), ok;
error_of(E) -> E.

%% Where there are very many, they are not exhausted, here and there.
take_all(70000, Fds) -> Fds;
take_all(N, Fds) ->
    case file:open("/dev/null", [read, raw]) of
        {ok, F} -> take_all(N + 1, [F | Fds]);
        {error, emfile} -> Fds
    end.

bad_packets() ->
    Long = binary:copy(<<"x">>, 100000),
    [{[{packet, 4}, {packet_size, 1000}], <<0, 0, 4, 0, "more than promised">>},
        {[{packet, 4}, {packet_size, 1000}], <<16#7fffffff:32, "a">>},
     {[{packet, 4}], <<16#ffffffff:32, "a">>}, {[{packet, 2}, {packet_size, 5}], <<9:16, "nine bytes">>},
     {[{packet, 1}, {packet_size, 5}], <<9, "nine bytes">>},
     {[{packet, line}], Long}, {[{packet, line}, {packet_size, 50}], Long},
     {[{packet, line}, {buffer, 10}], <<"0123456789012345\nab\n">>},
     {[{packet, line}, {buffer, 100}, {packet_size, 10}], <<"0123456789012345\nab\n">>},
     {[{packet, http}], [<<"GET /">>, Long]}, {[{packet, http}, {packet_size, 100}], [<<"GET /">>, Long]},
     {[{packet, http}], [<<"GET / HTTP/1.1\r\n">>,
         [["Name: value ", integer_to_list(I), "\r\n"] || I <- lists:seq(1, 200)]]},
     {[{packet, http}], [<<"GET / HTTP/1.1\r\nName: ">>, Long]}, {[{packet, httph}], [Long, Long]},
     {[{packet, http}], <<0, 1, 2, 3, "\r\n">>},
     {[{packet, http_bin}], <<"\r\n\r\nGET / HTTP/1.1\r\n continued\r\n\r\n">>},
     {[{packet, http}], <<"GET http://x:99999999999999999999/ HTTP/1.1\r\n">>},
     {[{packet, http}], <<"GET / HTTP/99999999999.1\r\n">>},
     {[{packet, asn1}], <<16#30, 16#84, 16#7f, 255, 255, 255, 0>>},
     {[{packet, asn1}, {packet_size, 10}], <<16#30, 100, 1, 2>>},
     {[{packet, asn1}], <<16#3f, (binary:copy(<<255>>, 700))/binary>>},
     {[{packet, asn1}], <<16#30, 16#80, 0, 0>>}, {[{packet, cdr}], <<"GIOP", 1, 0, 0, 0, 255, 255, 255, 255>>},
     {[{packet, cdr}], <<"nope", 1, 0, 0, 0, 255, 255, 255, 255>>},
     {[{packet, sunrm}], <<255, 255, 255, 255, 1>>}, {[{packet, fcgi}], <<1, 2, 0, 0, 255, 255, 255, 0, 1>>},
     {[{packet, fcgi}], <<9, 2, 0, 0, 255, 255, 255, 0, 1>>},
     {[{packet, tpkt}], <<3, 0, 0, 2, 1>>}, {[{packet, tpkt}], <<9, 0, 0, 20, 1>>},
     {[{packet, tpkt}], <<3, 0, 255, 255, 1>>},
     {[{packet, ssl_tls}], <<22, 3, 1, 255, 255, 1>>}, {[{packet, ssl_tls}], <<128, 3, 1, 0, 2, 1>>},
     {[{packet, ssl_tls}], <<"GET / HTTP/1.0\r\n">>},
     {[{packet, raw}, {header, 3}], <<"abcd">>}].

bad(B, Opts, Data) -> [isolated(fun() -> bad_here(B, Opts, Data, Mode) end) || Mode <- [false, true, once]].

bad_here(B, Opts, Data, Mode) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}]),
    {ok, P} = inet:port(L),
    {ok, S} = gen_tcp:connect(?LO, P, b(B) ++ [binary, {active, false} | Opts]),
    {ok, T} = gen_tcp:accept(L),
    _ = gen_tcp:send(T, Data),
    ok = gen_tcp:shutdown(T, write),
    case Mode of
        false -> passive(S, 0);
        true -> ok = inet:setopts(S, [{active, true}]), active(S, []);
        once -> once(S, [])
    end.

passive(S, N) when N > 6 -> _ = S, enough;
passive(S, N) ->
    case gen_tcp:recv(S, 0, 700) of
        {ok, D} -> [short(D) | passive(S, N + 1)];
        E -> [E, gen_tcp:recv(S, 0, 700)]
    end.

active(_, Acc) when length(Acc) > 300 -> many;
active(S, Acc) ->
    receive
        {tcp_closed, S} -> shown(lists:reverse([closed | Acc]));
        {tcp_error, S, E} -> active(S, [{error, E} | Acc]);
        {tcp, S, D} -> active(S, [short(D) | Acc]);
        {http, S, D} -> active(S, [short(D) | Acc]);
        Other -> active(S, [setelement(2, Other, s) | Acc])
    after 700 -> lists:reverse([nothing | Acc]) end.

%% How raw bytes and cut lines are cut depends on how they come.
shown(L) -> case length(L) > 6 of true -> {length(L) > 6, lists:sublist(L, 3), lists:last(L)}; false -> L end.

once(S, Acc) when length(Acc) > 6 -> _ = S, lists:reverse(Acc);
once(S, Acc) ->
    case inet:setopts(S, [{active, once}]) of
        ok ->
            receive
                {tcp_closed, S} -> lists:reverse([closed | Acc]);
                {tcp_error, S, E} -> once(S, [{error, E} | Acc]);
                {_, S, D} -> once(S, [short(D) | Acc]);
                Other -> once(S, [setelement(2, Other, s) | Acc])
            after 700 -> lists:reverse([nothing | Acc]) end;
        E -> lists:reverse([E | Acc])
    end.

short(D) when is_binary(D), byte_size(D) > 40 -> {byte_size(D), binary:part(D, 0, 10)};
short(D) when is_list(D), length(D) > 40 -> {length(D), lists:sublist(D, 10)};
short(D) when is_tuple(D) -> list_to_tuple([short(X) || X <- tuple_to_list(D)]);
short(P) when is_port(P) -> port;
short(D) -> D.

never_reads(B) ->
    isolated(fun() ->
        {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}, {recbuf, 4096}]),
        {ok, P} = inet:port(L),
        {ok, S} = gen_tcp:connect(?LO, P, b(B) ++ [binary, {active, false}, {sndbuf, 4096}, {high_watermark, 30000},
            {low_watermark, 10000}, {send_timeout, 100}]),
        {ok, T} = gen_tcp:accept(L),
        Piece = binary:copy(<<"p">>, 10000),
        First = until_timeout(S, Piece, 0),
        {cpu, Busy} = busy(500),
        %% The reader begins: what was taken comes, and the sender can go on.
        Got = receive_some(T, First * 10000),
        {First > 0, First < 100, Busy < 50, Got, gen_tcp:send(S, "more")}
    end).

until_timeout(_, _, N) when N > 1000 -> N;
until_timeout(S, Piece, N) ->
    case gen_tcp:send(S, Piece) of
        ok -> until_timeout(S, Piece, N + 1);
        {error, timeout} -> N; {error, {timeout, _}} -> N
    end.

receive_some(_, N) when N =< 0 -> ok;
receive_some(T, N) ->
    {ok, D} = gen_tcp:recv(T, 0, 30000),
    receive_some(T, N - byte_size(D)).

%% Milliseconds of processor time while nothing is to be done.
busy(Ms) ->
    _ = statistics(runtime),
    receive after Ms -> ok end,
    {_, Used} = statistics(runtime),
    {cpu, Used}.

watermarks() ->
    isolated(fun() ->
        {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}, {recbuf, 4096}]),
        {ok, P} = inet:port(L),
        {ok, S} = gen_tcp:connect(?LO, P, [binary, {active, false}, {sndbuf, 4096}, {high_watermark, 200000},
            {low_watermark, 50000}, {delay_send, true}]),
        {ok, T} = gen_tcp:accept(L),
        Me = self(),
        Sender = spawn_link(fun() -> sender(S, Me, 0) end),
        Stopped = stands(Sender, none, 0),
        {ok, [{send_pend, Pending}]} = inet:getstat(S, [send_pend]),
        [gen_tcp:recv(T, 0, 1000) || _ <- lists:seq(1, 1000)],
        Went = receive {sent, N} when N > Stopped -> on after 30000 -> stuck end,
        unlink(Sender), exit(Sender, kill),
        {Pending >= 200000, Pending < 200000 + 2 * 10000, Went}
    end).

sender(S, Me, N) ->
    ok = gen_tcp:send(S, binary:copy(<<"q">>, 10000)),
    Me ! {sent, N + 1},
    sender(S, Me, N + 1).

%% How much was sent when nothing more was for a while.
stands(Sender, Last, Same) ->
    receive {sent, N} -> stands(Sender, N, 0)
    after 100 -> case Same of 3 -> Last; _ -> stands(Sender, Last, Same + 1) end end.
