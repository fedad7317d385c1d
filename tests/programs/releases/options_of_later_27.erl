%% Options, flags and answers that came or changed between OTP 25 and 28 under names that were there before.
%% releases: 27 29
-module(options_of_later_27).
-export([main/0, ends/0]).

main() ->
    see:all([{{spawned, Option}, fun() -> flag_of(Option) end}
             || Option <- [{async_dist, true}, {async_dist, false}, {async_dist, yes}, {async_dist}, async_dist]]),
    see:value(tolerant, erlang:system_info(tolerant_timeofday)),
    see:all([{{listen, Options}, fun() -> listening(Options) end}
             || Options <- [[{read_ahead, false}], [{read_ahead, true}], [{read_ahead, maybe_so}],
                            [{exclusiveaddruse, true}], [{reuseport, true}], [{reuseport_lb, true}]]]),
    see:value(datagrams, begin
        {ok, Udp} = gen_udp:open(0, []),
        {inet:getopts(Udp, [read_ahead]), inet:setopts(Udp, [{read_ahead, false}])}
    end),
    [see:value({behind_each_other, Packet, Mode}, packets(Packet, Mode)) || Packet <- [1, 2, 4, 0, line, tpkt],
        Mode <- [active, passive]],
    Info = socket:info(),
    see:value(socket, {maps:get(eei, Info), maps:get(name, maps:get(io_backend, Info))}),
    Local = {{2024, 7, 1}, {12, 0, 0}},
    os:putenv("TZ", "EST5"),
    see:value(no_summer, [erlang:localtime_to_universaltime(Local, Is) || Is <- [false, undefined]]),
    see:value(summer, erlang:localtime_to_universaltime(Local, true)).

flag_of(Option) ->
    {Pid, Ref} = spawn_opt(?MODULE, ends, [], [monitor, Option]),
    receive {'DOWN', Ref, process, Pid, Reason} -> Reason end.

ends() -> exit(process_info(self(), async_dist)).

listening(Options) ->
    {ok, Listener} = gen_tcp:listen(0, Options),
    Is = inet:getopts(Listener, [Name || {Name, _} <- Options]),
    gen_tcp:close(Listener),
    Is.

%% What arrives is the same, whether or not more than a packet is read at once.
packets(Packet, Mode) ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {packet, Packet}, {active, false}, {read_ahead, false}]),
    {ok, Port} = inet:port(Listener),
    {ok, To} = gen_tcp:connect("localhost", Port, [binary, {packet, raw}]),
    {ok, From} = gen_tcp:accept(Listener),
    Inherited = inet:getopts(From, [read_ahead]),
    Sent = [framed(Packet, <<N, (binary:copy(<<"x">>, N * 7 rem 40))/binary>>) || N <- lists:seq(1, 50)],
    ok = gen_tcp:send(To, Sent),
    ok = gen_tcp:shutdown(To, write),
    Mode =:= active andalso inet:setopts(From, [{active, true}]),
    Got = received(Mode, From, []),
    Same = case Packet of
        0 -> iolist_to_binary(Got) =:= iolist_to_binary(Sent);
        _ -> {length(Got), erlang:md5(Got)}
    end,
    {Inherited, Same}.

received(active, From, Got) ->
    receive
        {tcp, From, Data} -> received(active, From, [Data | Got]);
        {tcp_closed, From} -> lists:reverse(Got)
    end;
received(passive, From, Got) ->
    case gen_tcp:recv(From, 0) of
        {ok, Data} -> received(passive, From, [Data | Got]);
        {error, closed} -> lists:reverse(Got)
    end.

framed(1, Data) -> [byte_size(Data), Data];
framed(2, Data) -> [<<(byte_size(Data)):16>>, Data];
framed(4, Data) -> [<<(byte_size(Data)):32>>, Data];
framed(0, Data) -> Data;
framed(line, Data) -> [binary:replace(Data, <<"\n">>, <<"y">>), "\n"];
framed(tpkt, Data) -> [<<3, 0, (byte_size(Data) + 4):16>>, Data].
