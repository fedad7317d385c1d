%% Random conversations over one connection, by seed: both ends send segments in changing packet modes, cut into random
%% pieces, and receive them by random means. What is received is the same however the pieces arrive.
%% timeout: 100
-module(tcp_random).
-export([main/0, main/2, trace/1]).

-define(LO, {127, 0, 0, 1}).

main() -> main(1, 40).

main(From, To) ->
    [io:format("~b ~0p~n", [Seed, summary(trace(Seed))]) || Seed <- lists:seq(From, To)].

summary({Kind, Trace}) -> {Kind, length(Trace), erlang:phash2(Trace)}.

%% Everything that both ends saw, by one seed.
trace(Seed) ->
    rand:seed(exsss, {Seed, 7, 77}),
    Kind = {pick([inet]), pick([v4, v4, v6, local])},
    Modes = modes(element(1, Kind)),
    Plans = [[segment(Modes) || _ <- lists:seq(1, 1 + rand:uniform(6))] || _ <- [1, 2]],
    Ends = [pick([shut, close_when_done, torn]) || _ <- [1, 2]],
    Seeds = [{rand:uniform(1 bsl 30), rand:uniform(1 bsl 30)} || _ <- [1, 2]],
    Me = self(),
    %% One connection for each way: what a socket's mode is decides about sending as well.
    Ways = [begin
                {A, B} = connect(Kind),
                {Here, There} = pick([{A, B}, {B, A}]),
                {Here, There, reader(Me, There, Plan, S1), writer(Me, Here, Plan, End, S2)}
            end || {Plan, End, {S1, S2}} <- lists:zip3(Plans, Ends, Seeds)],
    Results = [receive {P, R} -> R after 12000 -> [stuck] end || {_, _, Reader, Writer} <- Ways, P <- [Reader, Writer]],
    [gen_tcp:close(S) || {A, B, _, _} <- Ways, S <- [A, B]],
    {Kind, lists:append(Results)}.

pick(L) -> lists:nth(rand:uniform(length(L)), L).

connect({Backend, Family}) ->
    B = case Backend of inet -> [] end,
    Own = [binary, {active, false}, {exit_on_close, false}] ++ [{buffer, pick([1460, 2000, 5000, 100000])}
        || rand:uniform(2) =:= 1]
        ++ [{high_watermark, pick([1, 1000, 100000])} || rand:uniform(3) =:= 1] ++
            [{delay_send, true} || rand:uniform(4) =:= 1] ++ [{nodelay, true} || Family =/= local],
    case Family of
        local ->
            Name = {local, <<0, "random", (list_to_binary(os:getpid()))/binary,
                (integer_to_binary(erlang:unique_integer([positive])))/binary>>},
            {ok, L} = gen_tcp:listen(0, B ++ Own ++ [{ifaddr, Name}]),
            {ok, A} = gen_tcp:connect(Name, 0, B ++ [local | Own]);
        _ ->
            {Address, F} = case Family of v4 -> {?LO, []}; v6 -> {{0, 0, 0, 0, 0, 0, 0, 1}, [inet6]} end,
            {ok, L} = gen_tcp:listen(0, B ++ F ++ Own ++ [{ip, Address}]),
            {ok, P} = inet:port(L),
            {ok, A} = gen_tcp:connect(Address, P, B ++ F ++ Own)
    end,
    {ok, Z} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    {A, Z}.

modes(inet) -> [raw, 1, 2, 4, line, line_x, asn1, sunrm, cdr, fcgi, tpkt, http, httph].

%% A segment: a mode, and packets in it.
segment(Modes) ->
    Mode = pick(Modes),
    {Mode, [packet(Mode, length_of(Mode)) || _ <- lists:seq(1, rand:uniform(8))]}.

length_of(1) -> rand:uniform(256) - 1;
length_of(Mode) when Mode =:= line; Mode =:= line_x -> rand:uniform(9);
length_of(http) -> rand:uniform(9);
length_of(httph) -> rand:uniform(9);
length_of(_) -> pick([rand:uniform(5) - 1, rand:uniform(100), rand:uniform(3000), rand:uniform(60000)]).

packet(raw, N) -> body(N + 1);
packet(P, N) when P =:= 1; P =:= 2; P =:= 4 -> <<N:(8 * P), (body(N))/binary>>;
packet(line, N) -> <<(text(N))/binary, $\n>>;
packet(line_x, N) -> <<(text(N))/binary, $!>>;
packet(asn1, N) when N < 128 -> <<16#30, N, (body(N))/binary>>;
packet(asn1, N) -> <<16#30, 16#82, N:16, (body(N))/binary>>;
packet(sunrm, N) -> <<N:32, (body(N))/binary>>;
packet(cdr, N) -> <<"GIOP", 1, 0, 0, 0, N:32, (body(N))/binary>>;
packet(fcgi, N) -> Pad = N rem 8, <<1, 2, 1:16, N:16, Pad, 0, (body(N))/binary, 0:(Pad * 8)>>;
packet(tpkt, N) -> <<3, 0, (N + 4):16, (body(N))/binary>>;
packet(http, N) -> iolist_to_binary(pick([["GET /", text(N), " HTTP/1.1\r\n"], ["HTTP/1.0 200 ", text(N), "\r\n"],
    [text(N), "\r\n"]]));
packet(httph, N) -> iolist_to_binary(pick([["X-", text(N), ": ", text(N), "\r\n"], ["Host: ", text(N), "\r\n"],
    "\r\n"])).

body(N) -> rand:bytes(N).
text(N) -> << <<($a + rand:uniform(26) - 1)>> || _ <- lists:seq(1, N) >>.

%% Writes everything, cut anywhere.
writer(Me, S, Plan, End, Seed) ->
    spawn_link(fun() ->
        rand:seed(exsss, Seed),
        Bytes = iolist_to_binary([P || {_, Ps} <- Plan, P <- Ps]),
        R = pieces(S, Bytes),
        _ = case End of torn -> gen_tcp:send(S, <<0>>); _ -> ok end,
        E = gen_tcp:shutdown(S, write),
        Me ! {self(), [{wrote, R, E}]}
    end).

pieces(_, <<>>) -> ok;
pieces(S, Bytes) ->
    N = min(byte_size(Bytes), pick([1, 2, rand:uniform(20), rand:uniform(2000), rand:uniform(100000)])),
    <<Piece:N/binary, Rest/binary>> = Bytes,
    Data = case rand:uniform(3) of
               1 -> Piece;
               2 -> [Piece];
               3 -> H = N div 2, <<X:H/binary, Y/binary>> = Piece, [X, [Y]]
           end,
    case gen_tcp:send(S, Data) of
        ok -> [erlang:yield() || rand:uniform(3) =:= 1], pieces(S, Rest);
        E -> {E, byte_size(Bytes)}
    end.

reader(Me, S, Plan, Seed) ->
    Pid = spawn_link(fun() ->
        receive yours -> ok end,
        rand:seed(exsss, Seed),
        Seen = lists:append([segment_read(S, Mode, Packets) || {Mode, Packets} <- Plan]),
        End = ended(S),
        Me ! {self(), Seen ++ End}
    end),
    case gen_tcp:controlling_process(S, Pid) of
        ok -> ok;
        {error, not_owner} -> ok
    end,
    Pid ! yours,
    Pid.

opts(http) -> [{packet, pick([http, http_bin])}];
opts(httph) -> [{packet, pick([httph, httph_bin])}];
opts(line) -> [{packet, line}, {line_delimiter, $\n}];
opts(line_x) -> [{packet, line}, {line_delimiter, $!}];
opts(Mode) -> [{packet, Mode}].

segment_read(S, raw, Packets) ->
    ok = inet:setopts(S, [{packet, raw}]),
    lengths(S, iolist_size(Packets));
segment_read(S, Mode, Packets) ->
    ok = inet:setopts(S, opts(Mode) ++ [{mode, pick([list, binary])} || rand:uniform(3) =:= 1]),
    packets(S, length(Packets)).

%% Bytes, so many at a time.
lengths(_, 0) -> [];
lengths(S, Left) ->
    N = min(Left, pick([1, rand:uniform(10), rand:uniform(3000), Left])),
    R = recv(S, N),
    [R | lengths(S, Left - N)].

recv(S, N) ->
    case rand:uniform(4) of
        1 -> poll(S, N);
        _ -> shown(gen_tcp:recv(S, N, 5000))
    end.

poll(S, N) ->
    case gen_tcp:recv(S, N, 0) of
        {error, timeout} -> erlang:yield(), poll(S, N);
        R -> shown(R)
    end.

packets(_, 0) -> [];
packets(S, N) ->
    case rand:uniform(5) of
        1 ->
            ok = inet:setopts(S, [{active, once}]),
            [message(S) | packets(S, N - 1)];
        2 ->
            M = rand:uniform(N),
            ok = inet:setopts(S, [{active, M}]),
            Seen = [message(S) || _ <- lists:seq(1, M)],
            Seen ++ [message(S) | packets(S, N - M)];
        _ ->
            [recv(S, 0) | packets(S, N - 1)]
    end.

message(S) ->
    receive
        {Tag, S, Data} -> {Tag, hashed(Data)};
        {Tag, S} -> Tag
    after 5000 -> nothing end.

ended(S) ->
    case rand:uniform(3) of
        1 -> ok = inet:setopts(S, [{packet, raw}]), [drained(gen_tcp:recv(S, 0, 5000), S), gen_tcp:recv(S, 0, 5000)];
        2 -> ok = inet:setopts(S, [{packet, raw}, {active, true}]), [until_closed(S, 0)];
        3 -> ok = inet:setopts(S, [{packet, 4}]), [shown(gen_tcp:recv(S, 0, 5000))]
    end.

drained({ok, D}, _) -> {rest, iolist_size(D)};
drained(E, _) -> E.

until_closed(S, N) ->
    receive
        {tcp, S, D} -> until_closed(S, N + iolist_size(D));
        {tcp_closed, S} -> {closed, N};
        {tcp_error, S, E} -> {error, E, N}
    after 5000 -> nothing end.

shown({ok, D}) -> {ok, hashed(D)};
shown(E) -> E.

hashed(D) -> case erts_debug:flat_size(D) > 20 of true -> {hash, erlang:phash2(D)}; false -> D end.
