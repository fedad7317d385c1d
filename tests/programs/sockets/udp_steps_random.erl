%% Random steps on two datagram sockets, by seed, eight pairs at a time: sending in every form, to each other and to
%% where nobody is, receiving by every means, connecting, options, statistics, closing. What must come is known at each
%% step, and waited for before the next one, so that nothing depends on how soon it comes.
%% timeout: 60
-module(udp_steps_random).
-export([main/0, main/2, trace/1]).

-define(PATIENCE, 3000).
%% What may lie unread: less than the least buffer for it.
-define(MOST_BYTES, 60000).
%% A local socket takes no more than 11 unread.
-define(MOST_DATAGRAMS, 8).

main() -> main(1, 60).

main(From, To) ->
    ok = logger:set_primary_config(level, none),
    %% What is loaded on the way is loaded before anything is counted.
    rounds(1, 8),
    Before = apart:counts(),
    rounds(From, To),
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
    rand:seed(exsss, {Seed, 7, 2}),
    process_flag(trap_exit, true),
    Family = pick([v4, v4, v6, local]),
    %% Stock's connected sockets answer chance as ancillary data.
    Kind = case Family of
               local -> {local, plain};
               _ -> {Family, pick([connects, connects, ancillary])}
           end,
    {Opened, [A, B]} = lists:unzip([open(Kind) || _ <- [1, 2]]),
    {Trace, Last} = steps(30 + rand:uniform(60), Kind, #{a => A, b => B}, []),
    [catch gen_udp:close(maps:get(s, E)) || E <- maps:values(Last)],
    {Kind, [Opened | lists:reverse(Trace)]}.

pick(L) -> lists:nth(rand:uniform(length(L)), L).
chance(N) -> rand:uniform(N) =:= 1.

address(v4) -> {127, 0, 0, 1};
address(v6) -> {0, 0, 0, 0, 0, 0, 0, 1}.

open({Family, Use}) ->
    Active = pick([false, false, once, true, 3]),
    Common = [{active, Active}, {recbuf, 200000}, pick([list, binary, {mode, binary}])]
        ++ [{header, rand:uniform(4)} || chance(6)] ++ [{buffer, pick([50, 1460, 3000, 70000])} || chance(3)]
        ++ [{read_packets, pick([1, 2, 7])} || chance(4)] ++ [{deliver, port} || chance(12)] ++
            [{sndbuf, 200000} || chance(4)]
        ++ [{reuseaddr, true} || chance(6)] ++ [{high_msgq_watermark, 20000} || chance(8)],
    Own = case Family of
              local ->
                  [local, {ifaddr, {local,
                      <<0, "steps", (integer_to_binary(1 bsl 40 + list_to_integer(os:getpid())))/binary,
                      (integer_to_binary(1 bsl 40 + erlang:unique_integer([positive])))/binary>>}}];
              v4 ->
                  [{ip, address(v4)}] ++ [inet || chance(2)] ++ [{tos, 16} || chance(5)] ++
                      [{ttl, 1 + rand:uniform(99)} || chance(4)]
                      ++ [{broadcast, true} || chance(6)] ++ [{dontroute, true} || chance(8)] ++
                          [{multicast_ttl, 4} || chance(6)]
                      ++ [pick([{recvtos, true}, {recvttl, true}]) || Use =:= ancillary];
              v6 ->
                  [inet6, {ip, address(v6)}] ++ [{tclass, 32} || chance(5)] ++ [{ipv6_v6only, true} || chance(5)]
                      ++ [{recvtclass, true} || Use =:= ancillary]
          end,
    S = opened(Family, shuffled_tail(Own ++ Common)),
    {without_names(Own) ++ Common, #{s => S, active => Active, over => false, queue => [], to => none}}.

%% A port that was not asked for by its number is lost when the socket is connected anew.
opened(local, Options) ->
    {ok, S} = gen_udp:open(0, Options),
    S;
opened(Family, Options) ->
    {ok, First} = gen_udp:open(0, [family(Family), {ip, address(Family)}]),
    {ok, Port} = inet:port(First),
    ok = gen_udp:close(First),
    case gen_udp:open(Port, Options) of
        {ok, S} -> S;
        %% Somebody else was sooner.
        {error, eaddrinuse} -> opened(Family, Options)
    end.

%% The family comes first.
shuffled_tail([First | Rest]) -> [First | [X || {_, X} <- lists:sort([{rand:uniform(1 bsl 30), X} || X <- Rest])]].

without_names(Options) -> [case O of {ifaddr, _} -> ifaddr; _ -> O end || O <- Options].

other(a) -> b;
other(b) -> a.

steps(0, _, Ends, Trace) -> {Trace, Ends};
steps(N, Kind, Ends, Trace) ->
    X = pick([a, b]),
    What = kind(),
    {Step, Answer, Ends1} = step(What, X, maps:get(X, Ends), Kind, Ends),
    steps(N - 1, Kind, Ends1, [{X, Step, Answer} | Trace]).

kind() ->
    case rand:uniform(40) of
        N when N =< 14 -> send;
        N when N =< 21 -> recv;
        N when N =< 26 -> active;
        N when N =< 30 -> options;
        N when N =< 32 -> stats;
        N when N =< 34 -> connect;
        35 -> names;
        36 -> waiting;
        37 -> nobody;
        38 -> bad;
        39 -> pick([close, names, send]);
        40 -> pick([too_long, bad])
    end.

step(send, X, E, Kind, Ends) ->
    Y = other(X),
    #{Y := F} = Ends,
    Data = rand:bytes(how_long()),
    case room(F, byte_size(Data)) of
        false -> step(stats, X, E, Kind, Ends);
        true ->
            Form = pick([data, tuple, four, four, ancillary, map]),
            {Answer, Where} = sent(Form, X, Data, Kind, Ends),
            arrives(X, {send, Form, byte_size(Data)}, Answer, Where, Data, Kind, Ends)
    end;

%% To an address of which nobody has heard.
step(nobody, _, #{over := false, to := none} = E, Kind, Ends) ->
    {{send, nobody}, gen_udp:send(maps:get(s, E), closed_port(Kind), <<"nobody">>), Ends};
step(nobody, X, E, Kind, Ends) -> step(names, X, E, Kind, Ends);

step(recv, X, E, _, Ends) ->
    #{s := S, queue := Queue, active := Active, over := Over} = E,
    Length = pick([0, 0, 5, 100]),
    case Queue of
        _ when Over; Active =/= false -> {recv, gen_udp:recv(S, Length, 20), Ends};
        [] -> {recv, {nothing, gen_udp:recv(S, Length, pick([0, 0, 10]))}, Ends};
        [_ | Rest] -> {recv, shown(tried(fun() -> gen_udp:recv(S, Length, ?PATIENCE) end), X, Ends),
            Ends#{X := E#{queue := Rest}}}
    end;

%% Two wait, one of them in vain; then something comes.
step(waiting, X, #{over := false, active := false, queue := []} = E, Kind, Ends) ->
    Y = other(X),
    #{s := S} = E,
    case goes(Y, Ends) of
        X ->
            Me = self(),
            {Reader, _} = spawn_monitor(fun() -> Me ! {read, tried(fun() -> gen_udp:recv(S, 0, ?PATIENCE) end)} end),
            See = fun() -> process_info(Reader, [status, current_function]) end,
            apart:wait(See, [{status, waiting}, {current_function, {prim_inet, recvfrom0, 3}}], 100),
            Second = gen_udp:recv(S, 0, 10),
            {Sent, _} = sent(four, Y, <<"awaited">>, Kind, Ends),
            Read = receive {read, R} -> R after ?PATIENCE -> none end,
            receive {'DOWN', _, process, Reader, _} -> ok after ?PATIENCE -> ok end,
            {waiting, {Second, Sent, shown(Read, X, Ends)}, Ends};
        _ -> step(stats, X, E, Kind, Ends)
    end;
step(waiting, X, E, Kind, Ends) -> step(stats, X, E, Kind, Ends);

step(active, X, E, _, Ends) ->
    New = pick([false, once, once, true, 1, 2, 5, -1]),
    #{s := S, active := Old} = E,
    case inet:setopts(S, [{active, New}]) of
        ok ->
            Active = case {New, Old} of
                         {N, M} when is_integer(N), is_integer(M), N + M =< 0 -> ends_counting;
                         {N, M} when is_integer(N), is_integer(M) -> N + M;
                         {N, _} when is_integer(N), N =< 0 -> ends_counting;
                         {N, _} -> N
                     end,
            {Got, E1} = case Active of
                            ends_counting -> {[passive_told(S)], E#{active := false}};
                            _ -> expect(X, E#{active := Active}, Ends)
                        end,
            {{active, New}, {ok, Got, inet:getopts(S, [active])}, Ends#{X := E1}};
        Answer -> {{active, New}, Answer, Ends}
    end;

step(options, _, #{s := S}, {Family, Use}, Ends) ->
    Names = [active, mode, header, deliver, buffer, recbuf, sndbuf, read_packets, reuseaddr, priority, broadcast,
        dontroute, high_msgq_watermark,
             low_msgq_watermark, packet, nodelay, exit_on_close, linger, multicast_loop, multicast_ttl, tos, ttl,
             tclass, ipv6_v6only,
             recvtos, recvttl, recvtclass, {raw, 1, 2, 4}, {raw, 1, 7, <<0:32>>}, show_econnreset, debug, netns,
             bind_to_device],
    case rand:uniform(2) of
        1 ->
            Asked = [pick(Names) || _ <- lists:seq(1, 3)],
            {{getopts, Asked}, inet:getopts(S, Asked), Ends};
        2 ->
            Own = case {Family, Use} of
                      {v4, ancillary} -> [{tos, 8}, {ttl, 77}, {recvtos, true}, {recvttl, true}, {recvtos, false},
                          {recvttl, false}];
                      {v6, ancillary} -> [{tclass, 8}, {recvtclass, true}, {recvtclass, false}];
                      {v4, _} -> [{tos, 8}, {ttl, 77}];
                      {v6, _} -> [{tclass, 8}];
                      {local, _} -> []
                  end,
            Set = [pick(Own ++ [{mode, list}, {mode, binary}, {header, 0}, {header, 3}, {header, -1}, {deliver, term},
                {deliver, nobody}, {buffer, 100},
                                {buffer, 70000}, {buffer, 0}, {sndbuf, 150000}, {recbuf, 210000}, {read_packets, 3},
                                {read_packets, 0}, {broadcast, true},
                                {broadcast, maybe_so}, {dontroute, false}, {priority, 2}, {multicast_ttl, 3},
                                {multicast_ttl, 300}, {multicast_loop, false},
                                {multicast_if, {127, 0, 0, 1}}, {multicast_if, {1, 2, 3, 4}}, {ttl, -5}, {tos, what},
                                {high_msgq_watermark, 40000},
                                {low_msgq_watermark, 100}, {low_msgq_watermark, 0}, {raw, 1, 2, <<1:32/native>>},
                                {raw, 1, 200, <<1>>}, {no_such, 1}, wrong,
                                {active, what}, {add_membership, {{1, 2, 3, 4}, {127, 0, 0, 1}}},
                                {drop_membership, {{239, 9, 9, 9}, {127, 0, 0, 1}}}])
                   || _ <- lists:seq(1, rand:uniform(2))],
            {{setopts, Set}, tried(fun() -> inet:setopts(S, Set) end), Ends}
    end;

step(stats, _, #{s := S}, _, Ends) ->
    %% How much has come in of what nobody has asked for is not counted.
    Asked = [recv_oct, recv_cnt, recv_max, recv_avg, recv_dvi, send_oct, send_cnt, send_max, send_avg, send_pend],
    {stats, case inet:getstat(S, [pick(Asked), pick(Asked)]) of {ok, L} -> lists:sort(L); Other -> Other end, Ends};

step(names, X, #{s := S}, _, Ends) ->
    Info = case inet:info(S) of
               #{states := States} -> States;
               Other -> Other
           end,
    {names, {whose(inet:peername(S), Ends), element(1, inet:sockname(S)), Info, port_kind(inet:port(S)), X}, Ends};

%% To the other one, to where nobody is, or to what is no address.
step(connect, X, #{over := false, s := S} = E, {Family, connects} = Kind, Ends) ->
    Y = other(X),
    #{Y := F} = Ends,
    case pick([peer, peer, nobody, bad]) of
        peer when map_get(over, F) =:= false ->
            Answer = case chance(2) of
                         true -> gen_udp:connect(S, address(Family), port(F));
                         false -> gen_udp:connect(S, #{family => family(Family), addr => address(Family),
                             port => port(F)})
                     end,
            {{connect, peer}, {Answer, whose(inet:peername(S), Ends)}, Ends#{X := E#{to := Y}}};
        nobody ->
            {Address, Port} = closed_port(Kind),
            Answer = gen_udp:connect(S, Address, Port),
            {{connect, nobody}, {Answer, element(1, inet:peername(S))}, Ends#{X := E#{to := nobody}}};
        _ ->
            {Address, Port} = case Family of v4 -> pick([{{0, 0, 0, 0, 0, 0, 0, 1}, 9}, {{255, 255, 255, 255}, 9}]);
                v6 -> {{127, 0, 0, 1}, 9} end,
            Answer = tried(fun() -> gen_udp:connect(S, Address, Port) end),
            %% A refused one leaves it unconnected.
            Left = inet:peername(S),
            E1 = case Left of {ok, _} -> E; _ -> E#{to := none} end,
            {{connect, bad, Address}, {Answer, whose(Left, Ends)}, Ends#{X := E1}}
    end;
step(connect, X, E, Kind, Ends) -> step(names, X, E, Kind, Ends);

step(too_long, _, #{s := S, over := Over, to := To}, {Family, _}, Ends) ->
    case Over orelse To =/= none orelse Family =:= local of
        true -> {too_long, left_out, Ends};
        false -> {too_long, gen_udp:send(S, address(Family), 9, binary:copy(<<"x">>, pick([65508 + 20, 70000]))), Ends}
    end;

%% A connected socket does not look at addresses.
step(bad, X, #{to := To} = E, Kind, Ends) when To =/= none -> step(names, X, E, Kind, Ends);
step(bad, _, #{s := S}, {Family, _}, Ends) ->
    Fun = pick([fun() -> gen_udp:send(S, {1, 2, 3}, 9, "x") end,
                fun() -> gen_udp:send(S, {127, 0, 0, 1}, no_service, "x") end,
                fun() -> gen_udp:send(S, pick([{local, "x"}, {inet, {{1, 2}, 3}}, {inet6, 5}]), "x") end,
                fun() -> gen_udp:send(S, other_family(Family), 9, "x") end,
                fun() -> gen_udp:send(S, {127, 0, 0, 1}, 70000, "x") end,
                fun() -> gen_udp:send(S, {127, 0, 0, 1}, 9, pick([x, [x], [256], 5])) end,
                fun() -> gen_udp:send(S, {{127, 0, 0, 1}, 9}, [pick([{tos, x}, {nothing, 1}, {recvtos, true}, tos])],
                    "x") end,
                fun() -> gen_udp:recv(S, -1, 0) end, fun() -> gen_udp:recv(S, 0, soon) end,
                fun() -> inet:getopts(S, [nonsense]) end, fun() -> inet:getstat(S, [nonsense]) end,
                fun() -> gen_tcp:accept(S, 10) end, fun() -> gen_tcp:shutdown(S, write) end,
                    fun() -> gen_tcp:listen(S, []) end,
                fun() -> gen_udp:controlling_process(S, self()) end, fun() -> prim_inet:gettype(S) end,
                    fun() -> inet:gethostname(S) end]),
    {bad, tried(Fun), Ends};

step(close, X, #{s := S} = E, _, Ends) ->
    Answer = gen_udp:close(S),
    {close, {Answer, told(S)}, Ends#{X := E#{over := true, queue := []}}}.

tried(Fun) ->
    try Fun() of {'EXIT', {Reason, _}} -> {exit, Reason}; Value -> Value catch Class:Reason -> {Class, Reason} end.

family(v4) -> inet;
family(v6) -> inet6.

other_family(v6) -> {127, 0, 0, 1};
other_family(_) -> {0, 0, 0, 0, 0, 0, 0, 1}.

%% How many bytes of something are sent.
how_long() -> pick([0, rand:uniform(5), rand:uniform(5), rand:uniform(100), rand:uniform(3000), rand:uniform(20000)]).

room(#{queue := Queue}, Size) -> length(Queue) < ?MOST_DATAGRAMS andalso lists:sum(Queue) + Size < ?MOST_BYTES.

port(#{s := S}) ->
    case inet:port(S) of
        {ok, Port} -> Port;
        {error, _} -> 9
    end.

%% Nobody has this one while it is asked for: it is closed.
closed_port({local, _}) -> {local, <<0, "nobody of this name">>};
closed_port({Family, _}) -> {address(Family), 1}.

%% What sending was answered, and who gets it, if anybody.
sent(Form, X, Data, {Family, Use} = Kind, Ends) ->
    Y = other(X),
    #{X := #{s := S}, Y := F} = Ends,
    Where = case Family of
                local when map_get(over, F) -> closed_port(Kind);
                local -> {ok, Name} = inet:sockname(maps:get(s, F)), Name;
                _ -> {address(Family), port(F)}
            end,
    Goes = goes(X, Ends),
    Answer = case Form of
                 data when Goes =/= none; Family =:= local -> gen_udp:send(S, Where, Data);
                 data -> gen_udp:send(S, Data);
                 tuple -> gen_udp:send(S, Where, Data);
                 four when Family =:= local -> gen_udp:send(S, Where, 0, Data);
                 four -> {Address, Port} = Where, gen_udp:send(S, Address, Port, Data);
                 ancillary when Use =:= ancillary, Family =:= v4 ->
                     gen_udp:send(S, Where, pick([[{tos, 4}], [{ttl, 9}], [{tos, 8}, {ttl, 30}]]), Data);
                 ancillary when Use =:= ancillary -> gen_udp:send(S, Where, [{tclass, 12}], Data);
                 ancillary -> gen_udp:send(S, Where, [], [Data, [[]]]);
                 map when Family =:= local -> gen_udp:send(S, Where, [Data]);
                 map -> {Address, Port} = Where,
                 gen_udp:send(S, #{family => family(Family), addr => Address, port => Port}, Data)
             end,
    {Answer, Goes}.

%% Whom a datagram of this one reaches; `refused' when it is told that nobody is there.
goes(X, Ends) ->
    Y = other(X),
    #{X := #{over := Over, to := To}, Y := #{over := Gone, to := Back}} = Ends,
    if
        Over -> none;
        To =:= nobody -> refused;
        To =:= none, Gone -> none;
        Gone -> refused;
        Back =:= none; Back =:= X -> Y;
        To =:= none -> none;
        true -> refused
    end.

arrives(_, Step, ok, Y, Data, _, Ends) when Y =:= a; Y =:= b ->
    #{Y := #{queue := Queue} = F} = Ends,
    {Got, F1} = expect(Y, F#{queue := Queue ++ [byte_size(Data)]}, Ends),
    {Step, {ok, Got}, Ends#{Y := F1}};
%% Whoever is connected is told next, before whatever waits there.
arrives(X, Step, ok, refused, _, _, Ends) ->
    case maps:get(X, Ends) of
        #{s := S, active := false} -> {Step, {refused, gen_udp:recv(S, 0, ?PATIENCE)}, Ends};
        #{s := S} -> {Step, {refused, message(X, S, Ends), inet:getopts(S, [active])}, Ends}
    end;
arrives(_, Step, Answer, _, _, _, Ends) -> {Step, Answer, Ends}.

%% The messages that an active socket must get, and what is left then.
expect(_, #{active := false} = E, _) -> {[], E};
expect(_, #{over := true} = E, _) -> {[], E};
expect(_, #{queue := []} = E, _) -> {[], E};
expect(X, #{s := S, queue := [_ | Rest], active := Active} = E, Ends) ->
    Got = message(X, S, Ends),
    {Passive, Now} = case Active of
                         true -> {[], true};
                         once -> {[], false};
                         1 -> {[passive_told(S)], false};
                         N -> {[], N - 1}
                     end,
    {More, E1} = expect(X, E#{queue := Rest, active := Now}, Ends),
    {[Got | Passive] ++ More, E1}.

passive_told(S) ->
    receive {udp_passive, S} -> udp_passive after ?PATIENCE -> none end.

message(X, S, Ends) ->
    receive
        {udp, S, Address, Port, Data} -> {udp, shown({ok, {Address, Port, Data}}, X, Ends)};
        {udp, S, Address, Port, Ancillary, Data} -> {udp, shown({ok, {Address, Port, Ancillary, Data}}, X, Ends)};
        {udp_error, S, Reason} -> {udp_error, Reason};
        {udp_closed, S} -> udp_closed;
        %% With the address in front, which differs from run to run.
        {S, {data, Data}} -> {data, iolist_size(Data)}
    after ?PATIENCE -> nothing
    end.

%% What is told of a socket that nobody expects.
told(S) ->
    receive
        {Tag, S} -> [Tag | told(S)];
        {Tag, S, Reason} -> [{Tag, Reason} | told(S)];
        {Tag, S, _, _, _} -> [Tag | told(S)]
    after 0 -> []
    end.

shown({ok, {Address, Port, Data}}, _, Ends) -> {ok, whose({ok, {Address, Port}}, Ends), hashed(Data)};
shown({ok, {Address, Port, Ancillary, Data}}, _, Ends) -> {ok, whose({ok, {Address, Port}}, Ends), Ancillary,
    hashed(Data)};
shown(Other, _, _) -> Other.

%% Names and ports differ from run to run; whose they are does not.
whose({ok, {{local, Name}, _}}, Ends) -> whose({ok, {local, Name}}, Ends);
whose({ok, Name}, Ends) ->
    case [X || {X, #{s := S, over := false}} <- maps:to_list(Ends), inet:sockname(S) =:= {ok, Name}] of
        [X] -> X;
        _ when element(1, Name) =:= local -> local;
        _ -> element(1, Name)
    end;
whose(Other, _) -> Other.

port_kind({ok, Port}) when is_integer(Port), Port > 0 -> port;
port_kind({ok, Name}) when is_binary(Name) -> name;
port_kind(Other) -> Other.

hashed(D) when is_list(D); is_binary(D) ->
    try iolist_to_binary(D) of B when byte_size(B) > 20 -> {hash, erlang:phash2(D)}; _ -> D catch error:_ -> D end;
hashed(D) -> D.
