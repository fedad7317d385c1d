%% Random steps on both ends of one connection, by seed, eight at a time: sending, receiving by every means, options,
%% half-closing, resetting, closing, and whatever is asked of an end that is over. One process takes all steps, so that
%% each one finds what those before it have left.
%% timeout: 100
-module(tcp_steps_random).
-export([main/0, main/2, trace/1]).

-define(LO, {127, 0, 0, 1}).
-define(PATIENCE, 3000).

main() -> main([{1, 180}, {4318, 4318}]).

main(From, To) -> main([{From, To}]).

main(Ranges) ->
    ok = logger:set_primary_config(level, none),
    %% What is loaded on the way is loaded before anything is counted.
    rounds(1, 8),
    Before = apart:counts(),
    [rounds(From, To) || {From, To} <- Ranges],
    see:value(left, apart:settle(Before, 200)).

rounds(From, To) when From > To -> ok;
rounds(From, To) ->
    Last = min(From + 7, To),
    Me = self(),
    Runs = [{Seed, spawn_link(fun() -> Me ! {self(), apart:run(fun() -> trace(Seed) end, 30000)} end)}
        || Seed <- lists:seq(From, Last)],
    [receive {Run, Result} -> io:format("~b ~0p~n", [Seed, summary(Result)]) end || {Seed, Run} <- Runs],
    rounds(Last + 1, To).

summary({Kind, Trace}) when is_list(Trace) -> {Kind, length(Trace), erlang:phash2(Trace)};
summary(Other) -> Other.

%% What every step was answered.
trace(Seed) ->
    rand:seed(exsss, {Seed, 11, 5}),
    process_flag(trap_exit, true),
    Kind = pick([v4, v4, v6, local]),
    {A, B} = connect(Kind),
    Ends = #{a => new(A), b => new(B)},
    {Trace, Last} = steps(20 + rand:uniform(40), raw, Ends, []),
    [catch gen_tcp:close(maps:get(s, E)) || E <- maps:values(Last)],
    {Kind, lists:reverse(Trace)}.

pick(L) -> lists:nth(rand:uniform(length(L)), L).
chance(N) -> rand:uniform(N) =:= 1.

new(S) ->
    %% What comes, as packets or as one binary; whether the other end sends no more; whether this one is over, or sends
    %% no more.
    #{s => S, queue => [], active => false, ended => no, over => false, shut => false}.

connect(Family) ->
    Own = [binary, {active, false}] ++ [{buffer, pick([1460, 3000, 100000])} || chance(3)]
        ++ [{exit_on_close, false} || chance(3)] ++ [{show_econnreset, true} || chance(4)]
        ++ [{delay_send, true} || chance(6)] ++ [{send_timeout, 3000} || chance(5)]
        ++ [{linger, {true, 3}} || chance(6)] ++ [{recbuf, 100000} || chance(6)],
    case Family of
        local ->
            Name = {local, <<0, "steps", (list_to_binary(os:getpid()))/binary,
                (integer_to_binary(erlang:unique_integer([positive])))/binary>>},
            {ok, L} = gen_tcp:listen(0, Own ++ [{ifaddr, Name}]),
            {ok, A} = gen_tcp:connect(Name, 0, [local | Own]);
        _ ->
            {Address, F} = case Family of v4 -> {?LO, []}; v6 -> {{0, 0, 0, 0, 0, 0, 0, 1}, [inet6]} end,
            {ok, L} = gen_tcp:listen(0, F ++ Own ++ [{ip, Address}, {nodelay, true}]),
            {ok, P} = inet:port(L),
            {ok, A} = gen_tcp:connect(Address, P, F ++ Own ++ [{nodelay, true}])
    end,
    {ok, Z} = gen_tcp:accept(L),
    ok = gen_tcp:close(L),
    {A, Z}.

other(a) -> b;
other(b) -> a.

steps(0, _, Ends, Trace) -> {Trace, Ends};
steps(N, Mode, Ends, Trace) ->
    X = pick([a, b]),
    {Step, Answer, Mode1, Ends1} = step(kind(Ends), X, Mode, Ends),
    {Told, Ends2} = followed(Mode1, Ends1),
    steps(N - 1, Mode1, Ends2, [{X, Step, Answer, Told} | Trace]).

%% An end that sees the end closes by itself, most of the time, and then the other one sees that.
followed(Mode, Ends) ->
    {Told, Last} = lists:mapfoldl(fun(X, Seen) -> followed(X, Mode, Seen) end, Ends, [a, b, a]),
    {lists:append(Told), Last}.

followed(X, Mode, Ends) ->
    Y = other(X),
    #{X := #{s := S, over := Over, active := Active} = E, Y := F} = Ends,
    case not Over andalso element(1, inet:sockname(S)) =:= error of
        true ->
            pause(),
            {First, _} = case Active of false -> {[], E}; _ -> expect(Mode, ended(E, fin)) end,
            {Then, F1} = expect(Mode, ended(F, fin)),
            {First ++ Then, Ends#{X := E#{over := true, active := false, queue := []}, Y := F1}};
        false -> {[], Ends}
    end.

%% Ends come late, or there would be nothing between.
kind(#{a := #{over := OA, ended := EA}, b := #{over := OB, ended := EB}}) ->
    Late = OA orelse OB orelse EA =/= no orelse EB =/= no,
    case rand:uniform(40) of
        N when N =< 12 -> send;
        N when N =< 21 -> recv;
        N when N =< 27 -> active;
        N when N =< 29 -> mode;
        N when N =< 32 -> options;
        N when N =< 34 -> stats;
        35 -> unrecv;
        36 -> names;
        37 -> short;
        38 -> pick([shutdown, shutdown, names]);
        39 when Late -> pick([close, shutdown, reset]);
        39 -> pick([close, shutdown, options, send, recv, reset]);
        40 -> pick([bad, bad, active])
    end.

step(What, X, Mode, Ends) ->
    step(What, X, maps:get(X, Ends), Mode, Ends).

%% When this end learns that nobody is there is a matter of how busy the machine is.
step(send, X, #{over := false} = E, Mode, #{a := #{over := OA}, b := #{over := OB}} = Ends) when OA;
    OB -> step(names, X, E, Mode, Ends);
step(send, X, E, Mode, Ends) ->
    Y = other(X),
    #{Y := F} = Ends,
    %% In how many pieces bytes come is chance.
    Most = case {Mode, maps:get(active, F)} of {raw, once} -> 1; _ -> 3 end,
    Packets = [packet(Mode, how_long(Mode)) || _ <- lists:seq(1, rand:uniform(Most))],
    Answers = [gen_tcp:send(maps:get(s, E), sent_as(Mode, P)) || P <- Packets],
    Ok = [P || {P, ok} <- lists:zip(Packets, Answers)],
    case Ok of
        Packets ->
            Arrives = not maps:get(over, F) andalso maps:get(ended, F) =:= no,
            F1 = case Arrives of
                     true -> F#{queue := join(Mode, maps:get(queue, F) ++ Packets)};
                     false -> F
                 end,
            {Got, F2} = expect(Mode, F1),
            {send, {Answers, Got}, Mode, Ends#{Y := F2}};
        _ -> {send, Answers, Mode, Ends}
    end;

%% So many bytes as there are, fewer or more; a packet.
step(recv, X, E, Mode, Ends) ->
    #{s := S, queue := Queue, active := Active, ended := Ended, over := Over} = E,
    case {Active, Queue} of
        {_, _} when Over; Active =/= false ->
            {recv, shown(gen_tcp:recv(S, pick([0, 3]), 100)), Mode, Ends};
        {false, []} when Ended =:= no ->
            %% A length would leave something behind: see buffers_kept and length_of_another_time.
            {recv, {nothing, shown(gen_tcp:recv(S, 0, pick([0, 0, 10])))}, Mode, Ends};
        {false, []} ->
            {recv, {ended, shown(gen_tcp:recv(S, 0, ?PATIENCE))}, Mode, Ends};
        {false, [Bytes]} when Mode =:= raw ->
            Size = byte_size(Bytes),
            case pick([some, some, all, more]) of
                more when Ended =:= no ->
                    {recv, {more, shown(gen_tcp:recv(S, Size + 1, 10))}, Mode, Ends};
                all ->
                    {recv, {all, shown(gen_tcp:recv(S, Size, ?PATIENCE))}, Mode, Ends#{X := E#{queue := []}}};
                _ ->
                    N = rand:uniform(Size),
                    <<_:N/binary, Rest/binary>> = Bytes,
                    {recv, {some, shown(gen_tcp:recv(S, N, ?PATIENCE))}, Mode,
                        Ends#{X := E#{queue := [Rest || Rest =/= <<>>]}}}
            end;
        {false, [_ | Rest]} ->
            {recv, {packet, shown(gen_tcp:recv(S, 0, ?PATIENCE))}, Mode, Ends#{X := E#{queue := Rest}}}
    end;

step(active, X, E, Mode, Ends) ->
    New = case Mode of raw -> pick([false, once, true]); _ -> pick([false, once, once, true, 1, 2, 5]) end,
    Answer = inet:setopts(maps:get(s, E), [{active, New}]),
    case Answer of
        ok ->
            Active = case {New, maps:get(active, E)} of
                         {N, M} when is_integer(N), is_integer(M) -> N + M;
                         {N, _} -> N
                     end,
            {Got, E1} = expect(Mode, E#{active := Active}),
            {{active, New}, {ok, Got, inet:getopts(maps:get(s, E), [active])}, Mode, Ends#{X := E1}};
        _ -> {{active, New}, Answer, Mode, Ends}
    end;

%% Only when nothing is on its way.
step(mode, X, _, Mode, #{a := #{queue := [], s := A} = EA, b := #{queue := [], s := B} = EB} = Ends)
    when map_get(ended, EA) =:= no, map_get(ended, EB) =:= no ->
    %% Lines of headers wait for what follows them.
    New = pick([raw, 1, 2, 4, line, asn1, sunrm, cdr, fcgi, tpkt]),
    Counts = is_integer(maps:get(active, EA)) orelse is_integer(maps:get(active, EB)),
    case Counts andalso New =:= raw of
        true -> step(stats, X, Mode, Ends);
        false ->
            Answers = [inet:setopts(S, [{packet, New}]) || S <- [A, B]],
            case Answers of
                [ok, ok] -> {{mode, New}, ok, New, Ends};
                _ -> {{mode, New}, Answers, Mode, Ends}
            end
    end;
step(mode, X, _, Mode, Ends) -> step(names, X, Mode, Ends);

step(options, _, #{s := S}, Mode, Ends) ->
    Names = [active, mode, packet, packet_size, header, exit_on_close, show_econnreset, keepalive, nodelay, linger,
        priority, tos,
             reuseaddr, send_timeout, send_timeout_close, delay_send, high_watermark, low_watermark,
             high_msgq_watermark,
             low_msgq_watermark, deliver, line_delimiter, buffer, recbuf, sndbuf, recvtos],
    case rand:uniform(2) of
        1 ->
            Asked = [pick(Names) || _ <- lists:seq(1, 3)],
            {{getopts, Asked}, inet:getopts(S, Asked), Mode, Ends};
        2 ->
            Set = [pick([{keepalive, true}, {keepalive, maybe_so}, {nodelay, false}, {nodelay, true}, {priority, 3},
                {tos, 16}, {linger, {false, 0}},
                         {linger, {true, 2}}, {send_timeout, 5000}, {send_timeout, infinity}, {high_watermark, 5000},
                         {high_watermark, -1}, {low_watermark, 1000},
                         {packet_size, 100000}, {packet_size, 0}, {mode, list}, {mode, binary}, {buffer, 2000},
                         {recbuf, 9000},
                         {sndbuf, 9000}, {header, 0}, {delay_send, false}, {show_econnreset, false},
                         {exit_on_close, true}, {no_such, 1}, wrong,
                         {active, what}, {packet, 9}, {high_msgq_watermark, 30000}, {low_msgq_watermark, 0}])
                   || _ <- lists:seq(1, rand:uniform(2))],
            {{setopts, Set}, catch inet:setopts(S, Set), Mode, Ends}
    end;

step(stats, _, #{s := S}, Mode, Ends) ->
    Asked = [recv_oct, send_oct, send_cnt, send_pend, send_max],
    {stats, case inet:getstat(S, [pick(Asked), pick(Asked)]) of {ok, L} -> lists:sort(L); Other -> Other end, Mode,
        Ends};

step(unrecv, X, #{s := S, active := false, over := false, queue := Queue} = E, raw, Ends) ->
    Data = rand:bytes(rand:uniform(20)),
    Answer = gen_tcp:unrecv(S, Data),
    E1 = case Answer of ok -> E#{queue := join(raw, [Data | Queue])}; _ -> E end,
    {unrecv, Answer, raw, Ends#{X := E1}};
step(unrecv, X, _, Mode, Ends) -> step(stats, X, Mode, Ends);

step(names, _, #{s := S}, Mode, Ends) ->
    Shape = fun({ok, {A, P}}) when is_integer(P) -> {A, port}; ({ok, {local, _}}) -> local; (Other) -> Other end,
    Info = case inet:info(S) of
               #{states := States} -> States;
               Other -> Other
           end,
    {names, {Shape(inet:peername(S)), Shape(inet:sockname(S)), Info, element(1, inet:port(S))}, Mode, Ends};

%% Somebody waits while the other end sends what is asked for in pieces.
step(short, X, E, raw, Ends) ->
    #{s := _} = F = maps:get(other(X), Ends),
    #{s := S, queue := Queue, active := Active, over := Over, ended := Ended} = E,
    case {Active, Over orelse maps:get(over, F) orelse maps:get(shut, F), Ended} of
        {false, false, no} ->
            Me = self(),
            Pieces = [rand:bytes(rand:uniform(2000)) || _ <- [1, 2, 3]],
            Wanted = iolist_size([Queue, Pieces]),
            Reader = spawn_link(fun() -> Me ! {read, gen_tcp:recv(S, Wanted, ?PATIENCE)} end),
            Sent = [gen_tcp:send(maps:get(s, F), P) || P <- Pieces],
            Read = receive {read, R} -> R after ?PATIENCE -> none end,
            receive {'EXIT', Reader, _} -> ok after ?PATIENCE -> ok end,
            case Read of
                {ok, _} -> {short, {Sent, shown(Read)}, raw, Ends#{X := E#{queue := []}}};
                _ -> {short, {Sent, shown(Read)}, raw, Ends}
            end;
        _ -> step(names, X, raw, Ends)
    end;
step(short, X, _, Mode, Ends) -> step(names, X, Mode, Ends);

step(shutdown, X, E, Mode, Ends) ->
    Y = other(X),
    How = pick([write, write, write, read_write, read]),
    #{Y := F} = Ends,
    case {maps:get(over, E), How, maps:get(queue, E), maps:get(active, E)} of
        {false, read, _, _} -> step(stats, X, Mode, Ends);
        {false, read_write, _, _} -> step(stats, X, Mode, Ends);
        _ ->
            Answer = gen_tcp:shutdown(maps:get(s, E), How),
            {Got, F1} = case Answer of
                            ok -> expect(Mode, ended(F, fin));
                            _ -> {[], F}
                        end,
            {{shutdown, How}, {Answer, Got}, Mode, Ends#{X := E#{shut := true}, Y := F1}}
    end;

%% A connection that is closed with bytes unread is reset.
step(close, X, _, Mode, Ends) -> close(X, fin, Mode, Ends);
step(reset, X, E, Mode, Ends) ->
    Set = inet:setopts(maps:get(s, E), [{linger, {true, 0}}]),
    {Step, Answer, Mode1, Ends1} = close(X, rst, Mode, Ends),
    {{reset, Step}, {Set, Answer}, Mode1, Ends1};

step(bad, _, #{s := S}, Mode, Ends) ->
    {bad, pick_fun([fun() -> gen_tcp:send(S, x) end, fun() -> gen_tcp:recv(S, 1 bsl 27, 0) end,
                    fun() -> gen_tcp:accept(S, 1000) end, fun() -> gen_tcp:listen(S, []) end,
                        fun() -> inet:getopts(S, [nonsense]) end,
                    fun() -> inet:getstat(S, [nonsense]) end, fun() -> gen_tcp:shutdown(S, sideways) end,
                    fun() -> gen_tcp:controlling_process(S, self()) end]), Mode, Ends}.

pick_fun(Funs) ->
    Fun = pick(Funs),
    try Fun() catch Class:Reason -> {Class, Reason} end.

close(X, How, Mode, Ends) ->
    Y = other(X),
    #{X := E, Y := F} = Ends,
    Was = maps:get(over, E),
    Answer = gen_tcp:close(maps:get(s, E)),
    _ = Was orelse pause(),
    %% What was delivered meanwhile is nobody's.
    Got = left(maps:get(s, E)),
    End = case maps:get(queue, E) of [] -> How; _ -> rst end,
    {Told, F1} = case Was of
                     true -> {[], F};
                     false -> expect(Mode, ended(F, End))
                 end,
    {close, {Answer, Got, Told}, Mode, Ends#{X := E#{over := true, queue := []}, Y := F1}}.

ended(#{ended := no} = F, How) -> F#{ended := How};
ended(F, _) -> F.

pause() -> receive after 20 -> ok end.

left(S) ->
    receive {Tag, S} -> [Tag | left(S)] after 0 -> [] end.

%% The messages that an active end must get, and what is left then.
expect(Mode, #{active := false} = E) -> _ = Mode, {[], E};
expect(_, #{over := true} = E) -> {[], E};
expect(raw, #{s := S, queue := [Bytes], active := true} = E) ->
    Got = gather(S, byte_size(Bytes), []),
    {More, E1} = expect(raw, E#{queue := []}),
    {[shown({ok, Got}) | More], E1};
expect(raw, #{s := S, queue := [Bytes]} = E) ->
    %% How much one message has is chance; the rest is fetched.
    case message(S) of
        {tcp, D} ->
            Left = byte_size(Bytes) - iolist_size(D),
            Rest = case Left =< 0 of true -> <<>>; false -> case gen_tcp:recv(S, Left, ?PATIENCE) of {ok, R} -> R;
                Error -> atom_to_list(element(2, Error)) end end,
            {[shown({ok, iolist_to_binary([D, Rest])})], passive(E#{queue := []})};
        Other -> {[Other], E}
    end;
expect(Mode, #{s := S, queue := [_ | Rest]} = E) ->
    First = message(S),
    {More, E1} = expect(Mode, passive(E#{queue := Rest})),
    {[shown(First) | More], E1};
%% It may be told once more, when it is made active again.
expect(_, #{s := S, queue := [], ended := told} = E) ->
    {receive {Tag, S} -> [Tag]; {Tag, S, D} -> [{Tag, D}] after 30 -> [] end, E#{active := false}};
expect(_, #{s := S, queue := [], ended := How} = E) when How =/= no ->
    End = case message(S) of
              {tcp_error, _} = Error -> [Error, message(S)];
              Told -> [Told]
          end,
    {End, E#{active := false, ended := told}};
expect(_, E) -> {[], E}.

%% One more message has come.
passive(#{active := once} = E) -> E#{active := false};
passive(#{active := 1, s := S} = E) ->
    receive {tcp_passive, S} -> ok after ?PATIENCE -> ok end,
    E#{active := false};
passive(#{active := N} = E) when is_integer(N) -> E#{active := N - 1};
passive(E) -> E.

gather(_, 0, Acc) -> iolist_to_binary(Acc);
gather(S, N, Acc) ->
    case message(S) of
        {tcp, D} -> gather(S, N - iolist_size(D), [Acc, D]);
        Other -> [Acc, Other]
    end.

message(S) ->
    receive
        {Tag, S, Data} when Tag =/= tcp_passive -> {Tag, Data};
        {Tag, S} when Tag =/= tcp_passive -> Tag
    after ?PATIENCE -> nothing
    end.

join(raw, []) -> [];
join(raw, Packets) -> [iolist_to_binary(Packets)];
join(_, Packets) -> Packets.

how_long(1) -> rand:uniform(256) - 1;
how_long(line) -> rand:uniform(9);
how_long(_) -> pick([rand:uniform(5) - 1, rand:uniform(100), rand:uniform(3000)]).

%% Lengths that the driver itself puts in front are not sent.
sent_as(P, Packet) when P =:= 1; P =:= 2; P =:= 4 -> binary:part(Packet, P, byte_size(Packet) - P);
sent_as(_, Packet) -> Packet.

packet(raw, N) -> rand:bytes(N + 1);
packet(P, N) when P =:= 1; P =:= 2; P =:= 4 -> <<N:(8 * P), (rand:bytes(N))/binary>>;
packet(line, N) -> <<(text(N))/binary, $\n>>;
packet(asn1, N) when N < 128 -> <<16#30, N, (rand:bytes(N))/binary>>;
packet(asn1, N) -> <<16#30, 16#82, N:16, (rand:bytes(N))/binary>>;
packet(sunrm, N) -> <<N:32, (rand:bytes(N))/binary>>;
packet(cdr, N) -> <<"GIOP", 1, 0, 0, 0, N:32, (rand:bytes(N))/binary>>;
packet(fcgi, N) -> Pad = N rem 8, <<1, 2, 1:16, N:16, Pad, 0, (rand:bytes(N))/binary, 0:(Pad * 8)>>;
packet(tpkt, N) -> <<3, 0, (N + 4):16, (rand:bytes(N))/binary>>.

text(N) -> << <<($a + rand:uniform(26) - 1)>> || _ <- lists:seq(1, N) >>.

shown({Tag, D}) -> {Tag, hashed(D)};
shown(Other) -> Other.

hashed(D) when is_list(D); is_binary(D) ->
    try iolist_to_binary(D) of B when byte_size(B) > 20 -> {hash, erlang:phash2(D)}; _ -> D catch error:_ -> D end;
hashed(D) -> D.
