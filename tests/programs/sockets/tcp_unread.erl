%% What has come and was not asked for yet: how much one receive takes of it, in which packets the rest comes when modes
%% change meanwhile, and what the other end sees when it is never asked for.
-module(tcp_unread).
-export([main/0]).

-define(LO, {127, 0, 0, 1}).

main() ->
    [see:value({sizes, Buffer}, sizes(Buffer)) || Buffer <- [1, 100, 1460, 5000, 70000]],
    see:value(lengths, lengths()),
    see:value(modes, modes()),
    see:value(buffers, buffers()),
    see:value(once, once()),
    see:value(counted, counted()),
    see:before(26, statistics, fun() -> statistics() end),
    see:value(known, known()),
    [see:value({closed, Family, Taken}, closed(Family, Taken)) || Family <- [inet, local],
        Taken <- [0, 1, 3000, 10000]],
    see:value(dead, dead()),
    see:value(then_closed, then_closed()),
    see:value(then_reset, then_reset()).

pair(Opts) -> pair(inet, Opts).

pair(inet, Opts) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}]),
    {ok, P} = inet:port(L),
    joined(L, gen_tcp:connect(?LO, P, [binary, {active, false} | Opts]));
pair(local, Opts) ->
    Name = {local, <<0, "unread", (list_to_binary(os:getpid()))/binary,
        (integer_to_binary(erlang:unique_integer([positive])))/binary>>},
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ifaddr, Name}]),
    joined(L, gen_tcp:connect(Name, 0, [local, binary, {active, false} | Opts])).

joined(L, {ok, Here}) ->
    {ok, There} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    ok = inet:setopts(There, [{show_econnreset, true}]),
    {Here, There}.

%% So many bytes, each different from its neighbours. They are there when the sender's end of the connection is empty,
%% which an answer from the other end would not show: the system is asked.
fill(There, N) ->
    ok = gen_tcp:send(There, bytes(N)),
    arrived(There).

bytes(N) -> << <<(I rem 251)>> || I <- lists:seq(1, N) >>.

%% Nothing unsent and nothing unacknowledged: SIOCOUTQ is not to be had, the state that TCP_INFO tells is.
arrived(There) ->
    case inet:getopts(There, [{raw, 6, 11, 104}]) of
        {ok, [{raw, 6, 11, <<_:24/binary, Unacknowledged:32/native, _/binary>>}]} when Unacknowledged > 0 ->
            erlang:yield(), arrived(There);
        _ -> ok
    end.

sizes(Buffer) ->
    {Here, There} = pair([{buffer, Buffer}]),
    fill(There, 10000),
    {ok, First} = gen_tcp:recv(Here, 0, 5000),
    ok = gen_tcp:close(There),
    {byte_size(First), all(Here, 0)}.

all(S, N) ->
    case gen_tcp:recv(S, 0, 5000) of
        {ok, D} -> all(S, N + byte_size(D));
        E -> {N, E}
    end.

%% The buffer is that of releases before 29, whose own default takes all of it at once.
lengths() ->
    {Here, There} = pair([{buffer, 1460}]),
    fill(There, 10000),
    Whole = << <<D/binary>> || {ok, D} <- [gen_tcp:recv(Here, N, 5000) || N <- [1, 10, 0, 2000, 1, 0]] >>,
    {ok, Rest} = gen_tcp:recv(Here, 10000 - byte_size(Whole), 5000),
    {byte_size(Whole), <<Whole/binary, Rest/binary>> =:= bytes(10000), gen_tcp:recv(Here, 0, 0),
        gen_tcp:recv(Here, 5, 0)}.

modes() ->
    {Here, There} = pair([{buffer, 3}]),
    %% What a receive takes beyond its packet is read as the next packet's mode says.
    ok = gen_tcp:send(There, [<<"raw">>, <<3:16>>, "abc", <<4:32>>, "four", "a line\n", <<5>>, "fives",
        "HTTP/1.0 200 OK\r\n", "rest"]),
    arrived(There),
    [begin
         ok = inet:setopts(Here, [{packet, P}, {buffer, Buffer}]),
         {P, gen_tcp:recv(Here, 0, 5000)}
     end || {P, Buffer} <- [{raw, 3}, {2, 3}, {4, 3}, {line, 100}, {1, 100}, {http, 100}, {raw, 100}]].

buffers() ->
    {Here, There} = pair([]),
    fill(There, 30000),
    [begin
         ok = inet:setopts(Here, [{buffer, B}]),
         {ok, D} = gen_tcp:recv(Here, 0, 5000),
         {B, byte_size(D)}
     end || B <- [10, 2000, 1, 9000, 100]].

once() ->
    {Here, There} = pair([]),
    fill(There, 4000),
    [begin
         ok = inet:setopts(Here, [{active, once}]),
         Size = receive {tcp, Here, D} -> byte_size(D) after 5000 -> none end,
         {Size, gen_tcp:recv(Here, 5, 5000)}
     end || _ <- [1, 2]].

counted() ->
    {Here, There} = pair([]),
    fill(There, 6000),
    ok = inet:setopts(Here, [{active, 2}]),
    [receive {tcp, Here, D} -> byte_size(D); {tcp_passive, Here} -> passive after 5000 -> none end || _ <- [1, 2, 3]].

statistics() ->
    {Here, There} = pair([]),
    fill(There, 6000),
    {ok, _} = gen_tcp:recv(Here, 0),
    {ok, _} = gen_tcp:recv(Here, 7),
    Told = inet:getstat(Here, [recv_oct, recv_cnt, recv_max]),
    {{input, Before}, _} = statistics(io),
    ok = inet:setopts(Here, [{deliver, port}, {active, once}]),
    receive {Here, {data, _}} -> ok after 5000 -> none end,
    {{input, After}, _} = statistics(io),
    {Told, erlang:port_info(Here, input), After - Before, erlang:port_info(There, output)}.

%% Who knows the descriptor may read what was not asked for.
known() ->
    {Here, There} = pair([{buffer, 1460}]),
    {ok, Fd} = inet:getfd(Here),
    fill(There, 4000),
    {ok, One} = gen_tcp:recv(Here, 0, 5000),
    {ok, Other} = gen_tcp:fdopen(Fd, [binary, {active, false}, {buffer, 1460}]),
    {ok, Two} = gen_tcp:recv(Other, 0, 5000),
    {ok, Three} = gen_tcp:recv(Here, 0, 5000),
    <<One/binary, Two/binary, Three/binary>> =:= bytes(4000).

closed(Family, Taken) ->
    {Here, There} = pair(Family, []),
    fill(There, 10000),
    {ok, _} = take(Here, Taken),
    ok = gen_tcp:close(Here),
    gen_tcp:recv(There, 0, 5000).

take(_, 0) -> {ok, none};
take(S, N) -> gen_tcp:recv(S, N, 5000).

dead() ->
    {Here, There} = pair([]),
    fill(There, 10000),
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> {ok, _} = gen_tcp:recv(Here, 0), exit(over) end end),
    ok = gen_tcp:controlling_process(Here, Pid),
    Pid ! go,
    receive {'DOWN', Monitor, _, _, Reason} -> {Reason, gen_tcp:recv(There, 0, 5000)} end.

then_closed() ->
    {Here, There} = pair([]),
    fill(There, 4000),
    {ok, First} = gen_tcp:recv(Here, 0),
    ok = gen_tcp:close(There),
    {byte_size(First), all(Here, 0)}.

then_reset() ->
    {Here, There} = pair([]),
    fill(There, 4000),
    {ok, First} = gen_tcp:recv(Here, 0),
    ok = inet:setopts(There, [{linger, {true, 0}}]),
    ok = gen_tcp:close(There),
    {byte_size(First), all(Here, 0)}.
