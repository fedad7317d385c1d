%% How commands to a port are shown: as a list of parts by drivers that take vectors, otherwise as one binary.
-module(port_commands).
-export([main/0]).

main() ->
    erlang:trace(new_ports, true, ['receive']),
    Program = open_port({spawn, "cat"}, [binary]),
    told(program, fun(Data) -> port_command(Program, Data) end),
    Packets = open_port({spawn, "cat"}, [binary, {packet, 2}]),
    %% The question comes behind the command, which may wait for the port.
    told(packets, fun(Data) -> Packets ! {self(), {command, Data}}, erlang:port_info(Packets, id) end),
    {ok, Listening} = gen_tcp:listen(0, [{active, false}, binary]),
    {ok, Number} = inet:port(Listening),
    {ok, Socket} = gen_tcp:connect("localhost", Number, [binary, {active, false}]),
    {ok, _} = gen_tcp:accept(Listening),
    told(tcp, fun(Data) -> gen_tcp:send(Socket, Data) end),
    ok = inet:setopts(Socket, [{packet, 4}]),
    told(packed, fun(Data) -> gen_tcp:send(Socket, Data) end),
    {ok, Unconnected} = gen_udp:open(0),
    told(udp, fun(Data) -> gen_udp:send(Unconnected, {127, 0, 0, 1}, 9, Data) end),
    Descriptor = open_port({fd, 0, 2}, [out]),
    told(descriptor, fun(Data) -> port_command(Descriptor, Data) end, ["a\n", [binary:copy(<<"x">>, 70), "\n"], "",
        [[], <<>>]]),
    ok.

told(Label, Send) -> told(Label, Send, commands()).

told(Label, Send, Commands) ->
    events([]),
    [begin
         Send(Data),
         [see:value(Label, shown(own(Label, Told))) || {_, {command, Told}} <- events([])]
     end || Data <- Commands].

%% What the ports have received, in order: the traces of a port come from the process that uses it.
events(Events) ->
    Reference = erlang:trace_delivered(all),
    receive {trace_delivered, all, Reference} -> ok end,
    collected(Events).

collected(Events) ->
    receive
        {trace, _, 'receive', Event} -> collected([Event | Events])
    after 0 ->
        lists:reverse(Events)
    end.

%% What a socket is told begins, from OTP 26 on, with a reference and the size of its external form.
own(Label, Told) when Label =:= tcp; Label =:= packed; Label =:= udp ->
    case list_to_integer(erlang:system_info(otp_release)) >= 26 of
        true -> without_reference(Told);
        false -> Told
    end;
own(_, Told) ->
    Told.

without_reference([First | Rest]) -> [without_reference(First) | Rest];
without_reference(<<Bytes:16, Reference:Bytes/binary, Rest/binary>>) ->
    true = is_reference(binary_to_term(Reference)),
    Rest;
without_reference(Other) -> {other, Other}.

shown(List) when is_list(List) -> [shown(Part) || Part <- List];
shown(Binary) when byte_size(Binary) > 20 -> {byte_size(Binary), erlang:crc32(Binary)};
shown(Binary) -> Binary.

commands() ->
    Long = binary:copy(<<"ab">>, 500),
    ["x", <<"y">>, [], <<>>, [[], <<>>], binary:part(Long, 0, 64), binary:part(Long, 1, 65), binary:copy(<<"ab">>, 33),
     [Long, "a", binary:part(Long, 3, 30)], ["a", binary:copy(<<"b">>, 70), "b", <<"cc">>, Long,
         [Long | binary:copy(<<"d">>, 80)], "z"],
     [binary:copy(<<"e">>, 66), <<>>, binary:copy(<<"f">>, 68)], lists:duplicate(300, $a),
     lists:duplicate(20, <<"0123456789">>),
     [lists:duplicate(3000, $q) | Long], [binary:part(Long, 3, 10), Long]].
