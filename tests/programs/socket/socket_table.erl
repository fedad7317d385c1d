%% Options of sockets across the table: read, written with good and bad values, read again, by name and by number, on
%% TCP, UDP, IPv6 and local sockets.
%% timeout: 60
-module(socket_table).
-export([main/0]).

main() ->
    Kinds = [{inet, stream, tcp}, {inet, dgram, udp}, {inet6, stream, tcp}, {inet6, dgram, udp},
        {local, stream, default}],
    [see:value({read, K}, read_all(K)) || K <- Kinds],
    [see:value({booleans, K}, each(K, fun booleans/2)) || K <- Kinds],
    [see:value({numbers, K}, each(K, fun numbers/2)) || K <- Kinds],
    [see:value({odd, K}, each(K, fun odd/2)) || K <- Kinds],
    see:value(buffers, buffers()),
    see:value(linger, linger()),
    see:value(tos, tos()),
    see:value(multicast, multicast()),
    see:value(multicast6, multicast6()),
    see:value(text, text()),
    see:value(native, native()),
    see:value(native_get, native_get()),
    see:value(own, own()),
    see:value(unknown, unknown()),
    see:value(keep, keep()),
    see:value(pktoptions, pktoptions()),
    see:value(supports, supports()),
    see:value(ioctl, ioctl()),
    see:value(ioctl_bad, ioctl_bad()),
    see:value(commands, commands()),
    see:value(from_descriptor, from_descriptor()).

tried(F) -> try F() catch C:R -> {C, R} end.

with({D, T, P}, Fun) ->
    {ok, S} = socket:open(D, T, P),
    R = tried(fun() -> Fun(S) end),
    socket:close(S),
    R.

names() -> lists:sort([O || {O, _} <- socket:supports(options), lowercase(O)]).
lowercase({L, _}) -> lists:member(L, [socket, ip, ipv6, tcp, udp]).

%% What may differ between two sockets alike is not printed.
read_all(K) -> with(K, fun(S) -> [{O, same(O, tried(fun() -> socket:getopt(S, O) end))} || O <- names()] end).

same({socket, O}, {ok, N}) when O =:= rcvbuf; O =:= sndbuf -> is_integer(N);
same({tcp, maxseg}, {ok, N}) -> is_integer(N);
same({ipv6, mtu}, {ok, N}) -> is_integer(N);
same(_, R) -> R.

each(K, Fun) -> [{O, with(K, fun(S) -> Fun(S, O) end)} || O <- names()].

booleans(S, O) -> [tried(fun() -> short(socket:setopt(S, O, V)) end) || V <- [true, false]] ++
    [same(O, tried(fun() -> socket:getopt(S, O) end))].
numbers(S, O) -> [tried(fun() -> short(socket:setopt(S, O, V)) end) || V <- [1, 0, -1, 5, 1 bsl 31, 1 bsl 40]].
odd(S, O) -> [tried(fun() -> short(socket:setopt(S, O, V)) end) || V <- [x, "text", <<1:32/native>>, #{}, {1, 2},
    default, want, any, inet, null]].

short({error, {invalid, {socket_option, _, _}}}) -> bad_value;
short({error, {invalid, {socket_option, _}}}) -> no_option;
short(R) -> R.

buffers() ->
    with({inet, stream, tcp}, fun(S) ->
        [begin R = socket:setopt(S, {socket, O}, 16384), {ok, N} = socket:getopt(S, {socket, O}), {R, N >= 16384}
            end || O <- [rcvbuf, sndbuf]]
    end).

linger() ->
    with({inet, stream, tcp}, fun(S) ->
        O = {socket, linger},
        [begin R = short(socket:setopt(S, O, V)), {R, socket:getopt(S, O)} end || V <- [#{onoff => true, linger => 5},
            abort, #{onoff => false, linger => 0}, #{onoff => true}, #{onoff => x, linger => 1},
        #{onoff => true, linger => -1}, #{onoff => true, linger => 1 bsl 40}]]
    end).

tos() ->
    with({inet, dgram, udp}, fun(S) ->
        [begin R = short(socket:setopt(S, {ip, O}, V)), {O, V, R, socket:getopt(S, {ip, O})}
            end || {O, V} <- [{tos, lowdelay}, {tos, throughput}, {tos, reliability}, {tos, mincost}, {tos, 4},
        {tos, 255}, {tos, foo}, {mtu_discover, want}, {mtu_discover, dont}, {mtu_discover, do}, {mtu_discover, probe},
        {mtu_discover, 4}, {mtu_discover, 99}, {ttl, 7}, {ttl, 0}, {minttl, 3}]]
    end).

multicast() ->
    with({inet, dgram, udp}, fun(S) ->
        M = #{multiaddr => {239, 1, 2, 3}, interface => loopback},
        Source = M#{sourceaddr => {127, 0, 0, 1}},
        [short(R) || R <- [socket:setopt(S, {ip, multicast_if}, loopback), socket:getopt(S, {ip, multicast_if}),
            socket:setopt(S, {ip, multicast_if}, {127, 0, 0, 1}), socket:setopt(S, {ip, multicast_if}, {1, 2}),
         socket:setopt(S, {ip, add_membership}, M), socket:setopt(S, {ip, add_membership}, M),
         socket:setopt(S, {ip, drop_membership}, M), socket:setopt(S, {ip, drop_membership}, M),
         socket:setopt(S, {ip, add_source_membership}, Source), socket:setopt(S, {ip, drop_source_membership}, Source),
         socket:setopt(S, {ip, add_source_membership}, M),
         socket:setopt(S, {ip, add_membership}, M), socket:setopt(S, {ip, block_source}, Source),
         socket:setopt(S, {ip, unblock_source}, Source), socket:setopt(S, {ip, unblock_source}, Source),
         socket:setopt(S, {ip, msfilter}, M#{mode => exclude, slist => [{127, 0, 0, 1}, {127, 0, 0, 2}]}),
         socket:setopt(S, {ip, msfilter}, M#{mode => include, slist => []}),
         socket:setopt(S, {ip, msfilter}, M#{mode => foo, slist => []}),
         socket:setopt(S, {ip, msfilter}, M#{mode => include, slist => [x]}), socket:setopt(S, {ip, msfilter}, null),
         socket:setopt(S, {ip, multicast_ttl}, 3), socket:getopt(S, {ip, multicast_ttl}),
         socket:setopt(S, {ip, multicast_loop}, false), socket:getopt(S, {ip, multicast_loop}),
         socket:getopt(S, {ip, add_membership})]]
    end).

multicast6() ->
    with({inet6, dgram, udp}, fun(S) ->
        {ok, Index} = net:if_name2index("lo"),
        M = #{multiaddr => {16#ff02, 0, 0, 0, 0, 0, 0, 16#1234}, interface => Index},
        [short(R) || R <- [socket:setopt(S, {ipv6, add_membership}, M), socket:setopt(S, {ipv6, drop_membership}, M),
            socket:setopt(S, {ipv6, drop_membership}, M), socket:setopt(S, {ipv6, add_membership}, M#{interface => x}),
        socket:setopt(S, {ipv6, multicast_if}, Index), socket:getopt(S, {ipv6, multicast_if}) =:= {ok, Index},
         socket:setopt(S, {ipv6, multicast_hops}, 4), socket:getopt(S, {ipv6, multicast_hops}),
         socket:setopt(S, {ipv6, multicast_hops}, default), socket:getopt(S, {ipv6, multicast_hops}),
         socket:setopt(S, {ipv6, unicast_hops}, 256), socket:setopt(S, {ipv6, v6only}, true),
         socket:getopt(S, {ipv6, v6only}), socket:setopt(S, {ipv6, mtu_discover}, probe),
         socket:getopt(S, {ipv6, mtu_discover})]]
    end).

text() ->
    with({inet, stream, tcp}, fun(S) ->
        [short(R) || R <- [socket:setopt(S, {socket, bindtodevice}, "lo"), socket:getopt(S, {socket, bindtodevice}),
            socket:setopt(S, {socket, bindtodevice}, "a_name_much_too_long"), socket:setopt(S, {socket, bindtodevice},
            "nothere"), socket:setopt(S, {socket, bindtodevice}, ""), socket:getopt(S, {socket, bindtodevice}),
         socket:setopt(S, {tcp, congestion}, "reno"), socket:getopt(S, {tcp, congestion}),
         socket:setopt(S, {tcp, congestion}, "nothere"), socket:setopt(S, {tcp, congestion}, [1000])]]
    end).

native() ->
    with({inet, stream, tcp}, fun(S) ->
        [tried(F) || F <- [fun() -> socket:setopt_native(S, {socket, keepalive}, true) end,
            fun() -> socket:getopt(S, {socket, keepalive}) end, fun() -> socket:setopt_native(S, {socket, 9}, 0) end,
        fun() -> socket:getopt(S, {socket, keepalive}) end, fun() -> socket:setopt_native(S, {1, 9}, <<1:32/native>>)
            end, fun() -> socket:getopt(S, {socket, keepalive}) end,
            fun() -> socket:setopt_native(S, {tcp, 1}, 1) end, fun() -> socket:getopt(S, {tcp, nodelay}) end,
                fun() -> socket:setopt_native(S, {1, 9}, x) end, fun() -> socket:setopt_native(S, {foo, 1}, 1) end,
            fun() -> socket:setopt_native(S, {1, 99999}, 1) end, fun() -> socket:setopt_native(S, {1, 9}, <<1>>) end,
            fun() -> socket:setopt_native(S, {1 bsl 40, 9}, 1) end, fun() -> socket:setopt_native(S, {1, 1 bsl 40}, 1)
                end]]
    end).

native_get() ->
    with({inet, stream, tcp}, fun(S) ->
        [tried(F) || F <- [fun() -> socket:getopt_native(S, {socket, 3}, integer) end,
            fun() -> socket:getopt_native(S, {socket, type}, integer) end,
        fun() -> socket:getopt_native(S, {1, 9}, boolean) end, fun() -> socket:getopt_native(S, {1, 3}, 4) end,
        fun() -> socket:getopt_native(S, {1, 3}, 100) end, fun() -> socket:getopt_native(S, {1, 3}, 1) end,
        fun() -> socket:getopt_native(S, {1, 3}, <<0, 0, 0, 0, 0, 0, 0, 0>>) end,
            fun() -> socket:getopt_native(S, {1, 3}, foo) end, fun() -> socket:getopt_native(S, {1, 99999}, integer)
                end, fun() -> socket:getopt_native(S, {6, 13}, 16) end, fun() -> socket:getopt_native(S, {1, 13}, 8)
            end]]
    end).

own() ->
    with({inet, stream, tcp}, fun(S) ->
        Get = [socket:getopt(S, {otp, O}) || O <- [debug, iow, rcvbuf, rcvctrlbuf, sndctrlbuf, meta, use_registry,
            domain]],
        {ok, Fd} = socket:getopt(S, {otp, fd}),
        Set = [begin R = tried(fun() -> short(socket:setopt(S, {otp, O}, V)) end),
            {O, V, R, tried(fun() -> socket:getopt(S, {otp, O}) end)} end || {O, V} <- [{iow, true}, {iow, x},
        {rcvbuf, 100}, {rcvbuf, default}, {rcvbuf, {5, 200}}, {rcvbuf, {0, 200}}, {rcvbuf, {5, default}}, {rcvbuf, 0},
        {rcvbuf, -1}, {rcvbuf, {1, 2, 3}}, {rcvctrlbuf, 333}, {rcvctrlbuf, default}, {rcvctrlbuf, x}, {sndctrlbuf, 444},
        {sndctrlbuf, 0}, {debug, x}, {domain, inet}]],
        [Get, is_integer(Fd), tried(fun() -> socket:getopt(S, {otp, foo}) end),
            socket:getopt(S, {otp, controlling_process}) =:= {ok, self()}, Set]
    end).

unknown() ->
    with({inet, stream, tcp}, fun(S) ->
        [tried(F) || F <- [fun() -> socket:getopt(S, {socket, foo}) end, fun() -> socket:setopt(S, {foo, bar}, 1) end,
            fun() -> socket:getopt(S, {socket, acceptfilter}) end, fun() -> socket:setopt(S, foo, 1) end,
        fun() -> socket:getopt(S, {1, 3}) end, fun() -> socket:setopt(S, {socket, type}, stream) end,
        fun() -> socket:setopt(x, {socket, type}, stream) end, fun() -> socket:getopt(S, ip, tos) end]]
    end).

%% Setting one option leaves the priority and the type of service alone.
keep() ->
    with({inet, stream, tcp}, fun(S) ->
        [socket:setopt(S, {socket, priority}, 5), socket:getopt(S, {socket, priority}), socket:setopt(S, {ip, tos}, 16),
            socket:getopt(S, {socket, priority}), socket:setopt(S, {tcp, nodelay}, true),
        socket:getopt(S, {socket, priority}), socket:getopt(S, {ip, tos}), socket:setopt(S, {socket, priority}, 99)]
    end).

pktoptions() ->
    {L, A, B} = ends:stream(),
    R = [socket:setopt(B, {ip, recvtos}, true), socket:setopt(B, {ip, recvttl}, true), socket:send(A, "x"),
        socket:recv(B, 1), socket:getopt(B, {ip, pktoptions})],
    [socket:close(X) || X <- [A, B, L]],
    R.

supports() ->
    [[{K, if is_list(V) -> lists:sort(V); true -> V end} || {K, V} <- lists:sort(socket:supports()), K =/= protocols],
        [lists:sort(socket:supports(K)) || K <- [ioctl_requests, ioctl_flags, options, msg_flags, foo]],
    lists:sort(socket:supports(options, tcp)), socket:is_supported(protocols, tcp),
    socket:is_supported(msg_flags, peek), socket:is_supported(ioctl_flags, up),
     [lists:member(P, socket:supports(protocols)) || P <- [{tcp, true}, {udp, true}, {icmp, true}, {sctp, true}]]].

ioctl() ->
    with({inet, dgram, udp}, fun(S) ->
        {ok, List} = socket:ioctl(S, gifconf),
        {ok, Index} = socket:ioctl(S, gifindex, "lo"),
        [lists:member(#{name => "lo", addr => #{family => inet, port => 0, addr => {127, 0, 0, 1}}}, List),
            socket:ioctl(S, gifname, Index)] ++
        [address(socket:ioctl(S, R, "lo")) || R <- [gifflags, gifaddr, gifdstaddr, gifbrdaddr, gifnetmask, gifmtu,
            gifhwaddr, gifmap, giftxqlen]]
    end).

%% Behind the six bytes of an address stock's has what lay there.
address({ok, #{family := loopback, addr := <<A:6/binary, _/binary>>}}) -> {ok, loopback, A};
address(R) -> R.

ioctl_bad() ->
    with({inet, dgram, udp}, fun(S) ->
        [tried(F) || F <- [fun() -> socket:ioctl(S, foo) end, fun() -> socket:ioctl(S, gifmtu) end,
            fun() -> socket:ioctl(S, gifconf, "lo") end, fun() -> socket:ioctl(S, gifmtu, "nothere") end,
        fun() -> socket:ioctl(S, gifmtu, x) end, fun() -> socket:ioctl(S, gifname, "lo") end,
        fun() -> socket:ioctl(S, gifname, 99999) end, fun() -> socket:ioctl(S, gifmtu, "a_name_that_is_much_too_long")
            end,
            fun() -> socket:ioctl(S, sifmtu, "nothere", 1500) end, fun() -> socket:ioctl(S, sifmtu, "lo", x) end,
                fun() -> socket:ioctl(S, sifaddr, "nothere", #{family => inet, port => 0, addr => {127, 0, 0, 1}}) end,
            fun() -> socket:ioctl(S, sifaddr, "lo", foo) end,
            fun() -> socket:ioctl(S, sifflags, "nothere", #{up => true}) end,
            fun() -> socket:ioctl(S, siftxqlen, "nothere", 5) end, fun() -> socket:ioctl(x, gifconf) end]]
    end).

commands() -> [tried(F) || F <- [fun() -> socket:debug(false) end, fun() -> socket:socket_debug(false) end,
    fun() -> socket:use_registry(true) end, fun() -> socket:debug(x) end, fun() -> prim_socket:debug(x) end]].

from_descriptor() ->
    {L, A, B} = ends:stream(),
    {ok, Fd} = socket:getopt(A, {otp, fd}),
    {ok, C} = socket:open(Fd, #{dup => true}),
    {ok, D} = socket:open(Fd, #{dup => false}),
    Info = fun(S) -> I = socket:info(S), T = case maps:get(ctype, I) of {fromfd, Fd} -> {fromfd, fd}; X -> X end,
        {T, maps:get(wstates, I), maps:get(domain, I), maps:get(type, I), maps:get(protocol, I)} end,
    R = [Info(S) || S <- [A, B, C, D]] ++ [socket:send(C, "dup"), socket:recv(B, 3), socket:send(D, "same"),
        socket:recv(B, 4), socket:close(D), socket:send(A, "still"), socket:recv(B, 5), socket:close(C),
    socket:send(A, "open"), socket:recv(B, 4)],
    [socket:close(S) || S <- [A, B, L]],
    R ++ [tried(fun() -> socket:open(Fd + 1000) end), tried(fun() -> socket:open(-1) end),
        tried(fun() -> socket:open(0, #{domain => inet, type => stream, protocol => tcp, dup => foo}) end) =/= x].
