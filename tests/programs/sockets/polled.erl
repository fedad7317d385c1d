%% Receiving and accepting without waiting: what the other end has sent is there, although nothing else has happened
%% since. Local sockets hand over at once.
-module(polled).
-export([main/0]).

main() ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ifaddr, name("stream")}]),
    see:value(nobody, gen_tcp:accept(L, 0)),
    Pairs = [begin
                 {ok, A} = gen_tcp:connect(name("stream"), 0, [local, binary, {active, false}]),
                 {A, gen_tcp:accept(L, 0)}
             end || _ <- lists:seq(1, 5)],
    see:value(accepted, [element(1, B) || {_, B} <- Pairs]),
    [{A, {ok, B}} | _] = Pairs,
    see:value(stream, [{gen_tcp:recv(B, 0, 0), gen_tcp:send(A, <<N>>), gen_tcp:recv(B, 0, 0), gen_tcp:recv(B, 0, 0)}
        || N <- lists:seq(1, 20)]),
    see:value(lengths, [{gen_tcp:recv(B, 3, 0), gen_tcp:send(A, "ab"), gen_tcp:recv(B, 3, 0), gen_tcp:send(A, "cd"),
        gen_tcp:recv(B, 3, 0),
                         gen_tcp:recv(B, 1, 0)} || _ <- lists:seq(1, 5)]),
    ok = inet:setopts(B, [{packet, 2}]),
    see:value(packets, [{gen_tcp:send(A, <<0, 1>>), gen_tcp:recv(B, 0, 0), gen_tcp:send(A, "x"), gen_tcp:recv(B, 0, 0)}
        || _ <- lists:seq(1, 5)]),
    ok = gen_tcp:close(A),
    see:value(closed, [gen_tcp:recv(B, 0, 0), gen_tcp:recv(B, 0, 0)]),
    %% What goes over the loopback interface may take a moment on a busy machine.
    {ok, U} = gen_udp:open(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, V} = gen_udp:open(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, P} = inet:port(V),
    Got = [begin
               {error, timeout} = gen_udp:recv(V, 0, 0),
               ok = gen_udp:send(U, {127, 0, 0, 1}, P, <<N>>),
               case gen_udp:recv(V, 0, 0) of
                   {ok, {_, _, <<N>>}} -> at_once;
                   {error, timeout} -> {ok, {_, _, <<N>>}} = gen_udp:recv(V, 0), later
               end
           end || N <- lists:seq(1, 100)],
    see:value(datagrams, length([here || at_once <- Got]) > 70).

name(What) -> {local, <<0, "polled", (list_to_binary(os:getpid() ++ What))/binary>>}.
