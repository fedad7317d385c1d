%% Control messages, several messages at a time, types of service and protocols of `socket`, as they are from OTP 28 and
%% 29 on.
%% releases: 29
-module(socket_messages_29).
-export([main/0]).

main() ->
    see:all([{{received, Family, Level, Option}, fun() -> received(Family, Level, Option, Value) end}
             || {Family, Level, Option, Value} <- [{inet, socket, timestamp, true}, {inet, socket, timestampns, true},
                    {inet, ip, recvttl, true}, {inet, ip, recvtos, true}, {inet6, ipv6, flowinfo, true},
                    {inet6, ipv6, recvhoplimit, true}, {inet6, ipv6, recvtclass, true}]]
            ++ [{{sent, Message}, fun() -> sent(Message) end}
                || Message <- [#{level => ip, type => ttl, value => 7},
                       #{level => ip, type => tos, value => #{dscp => 46}},
                       #{level => ip, type => tos, value => mincost}, #{level => ip, type => tos, value => 16#b8},
                       #{level => socket, type => timestampns, value => #{sec => 1, nsec => 2}},
                       #{level => socket, type => timestampns, value => #{sec => 1, usec => 2}},
                       #{level => ipv6, type => flowinfo, value => 1}]]
            ++ [{services, fun services/0},
                {services_with_precedence, fun services_with_precedence/0}, {several, fun several/0},
                {nothing_yet, fun nothing_yet/0},
                {mptcp, fun mptcp/0}]).

%% What comes with a datagram, with numbers of the moment as their kinds.
received(Family, Level, Option, Value) ->
    {S, Address} = bound(Family),
    Set = socket:setopt(S, {Level, Option}, Value),
    ok = socket:sendto(S, <<"x">>, Address),
    {ok, #{ctrl := Control}} = socket:recvmsg(S, 0, 1000, 5000),
    socket:close(S),
    {Set, [case Message of
               #{value := #{sec := Seconds} = Time} ->
                   Now = erlang:system_time(second),
                   {Message#{value := maps:keys(Time), data := data}, abs(Now - Seconds) < 3600};
               #{type := flowinfo, value := Label} -> Message#{value := is_integer(Label), data := data};
               _ -> Message
           end || Message <- Control]}.

sent(Message) ->
    {S, Address} = bound(inet),
    [socket:setopt(S, {ip, Option}, true) || Option <- [recvttl, recvtos]],
    Sent = socket:sendmsg(S, #{addr => Address, iov => [<<"x">>], ctrl => [Message]}),
    Received = case Sent of
                   ok -> {ok, #{ctrl := Control}} = socket:recvmsg(S, 0, 1000, 5000), Control;
                   _ -> nothing
               end,
    socket:close(S),
    {Sent, Received}.

bound(Family) ->
    {ok, S} = socket:open(Family, dgram),
    ok = socket:bind(S, #{family => Family, addr => loopback, port => 0}),
    {ok, Address} = socket:sockname(S),
    {S, Address}.

services() ->
    {ok, S} = socket:open(inet, dgram),
    [{Value, socket:setopt(S, {ip, tos}, Value), socket:getopt(S, {ip, tos})}
     || Value <- [lowdelay, throughput, reliability, mincost, 0, 16#b8, 255, 256, -1, #{}, #{dscp => 46, ecn => 1},
                  #{dscp => ef}, #{dscp => 64}, #{ecn => ect1}, foo]].

%% A service and a precedence, which must both be there.
services_with_precedence() ->
    Maps = [#{tos => Service, precedence => Precedence}
            || Service <- [default, lowdelay, mincost, 0, 4, 15, 16, -1, 1 bsl 70, x],
               Precedence <- [routine, flash, netcontrol, 0, 1, 7, 8, -1, 1.0, x]]
        ++ [#{tos => throughput}, #{precedence => 1}, #{}, #{dscp => 3}, #{native => 8},
            #{tos => throughput, precedence => 3, more => 1}],
    [begin
         {ok, S} = socket:open(inet, dgram, udp),
         Set = socket:setopt(S, {ip, tos}, Map),
         Now = socket:getopt_native(S, {ip, tos}, integer),
         ok = socket:close(S),
         {Map, Set, Now}
     end || Map <- Maps].

several() ->
    {S, Address} = bound(inet),
    Sent = socket:sendmmsg(S, [#{addr => Address, iov => [<<"a">>]}, #{addr => Address, iov => [<<"bc">>, <<"d">>]},
                               #{addr => Address, iov => []}], [], infinity),
    {ok, Received} = socket:recvmmsg(S, 8, 0, 0, [], 5000),
    Cut = begin
              ok = socket:sendto(S, <<"long">>, Address),
              {ok, [One]} = socket:recvmmsg(S, 8, 2, 0, [], 5000),
              One
          end,
    {Sent, [maps:remove(addr, Message) || Message <- Received], maps:remove(addr, Cut)}.

nothing_yet() ->
    {S, _} = bound(inet),
    {select, {select_info, What, _}} = socket:recvmmsg(S, 2, 0, 0, [], nowait),
    {What, socket:recvmmsg(S, 2, 0, 0, [], 20), socket:sendmmsg(S, [], [], 20), socket:sendmmsg(S, [], [], nowait)}.

mptcp() ->
    case socket:open(inet, stream, mptcp) of
        {ok, S} ->
            Info = socket:info(S),
            Protocol = element(1, socket:getopt(S, {socket, protocol})),
            {maps:with([domain, type, protocol], Info), Protocol, socket:close(S)};
        Error -> Error
    end.
