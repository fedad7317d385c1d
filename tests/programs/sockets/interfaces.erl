%% What inet tells of the machine: its interfaces, its name, services; and names that are resolved without asking
%% anyone.
%% timeout: 60
-module(interfaces).
-export([main/0]).

main() ->
    {ok, All} = inet:getifaddrs(),
    see:value(interfaces, lists:sort([{Name, lists:sort([element(1, O) || O <- Opts])} || {Name, Opts} <- All])),
    see:value(loopback, proplists:get_value("lo", All)),
    see:value(list, inet:getiflist()),
    see:value(get, [inet:ifget("lo", [O]) || O <- [addr, broadaddr, dstaddr, netmask, mtu, flags, hwaddr]]),
    see:value(get_all, inet:ifget("lo", [addr, netmask, mtu, flags, hwaddr])),
    see:value(missing, [inet:ifget("nosuch0", [addr, flags]), inet:ifget("lo", [foo]), inet:ifget("lo", [])]),
    see:value(set, [inet:ifset("nosuch0", [{addr, {1, 2, 3, 4}}]), inet:ifset("lo", [])]),
    {ok, Name} = inet:gethostname(),
    see:value(name, {Name, net_adm:localhost() =/= ""}),
    see:value(services, [inet:getservbyname(N, P) || {N, P} <- [{http, tcp}, {domain, udp}, {nosuch, tcp},
        {http, foo}]] ++ [inet:getservbyport(80, tcp), inet:getservbyport(1, foo)]),
    see:value(addresses, [inet:getaddr(A, F) || A <- [{127, 0, 0, 1}, "127.0.0.1", "::1", "1.2.3.4.5"],
        F <- [inet, inet6]]),
    see:value(local, [inet:getaddrs("localhost", inet), inet:gethostbyname("127.0.0.1"),
        inet:gethostbyaddr({127, 0, 0, 1}) =/= {error, nxdomain}]),
    see:value(shown, length(string:lexemes(shown(), "\n")) > 0).

%% inet:i/0 prints a line for each socket.
shown() ->
    {ok, L} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    Me = self(),
    Leader = spawn(fun() -> collect(Me, []) end),
    Old = group_leader(),
    group_leader(Leader, self()),
    ok = inet:i(tcp),
    group_leader(Old, self()),
    gen_tcp:close(L),
    Leader ! {stop, self()},
    receive {printed, Text} -> Text after 1000 -> "" end.

collect(Me, Acc) ->
    receive
        {stop, _} -> Me ! {printed, lists:flatten(lists:reverse(Acc))};
        {io_request, From, Ref, {put_chars, unicode, M, F, A}} -> From ! {io_reply, Ref, ok},
        collect(Me, [apply(M, F, A) | Acc]);
        {io_request, From, Ref, {put_chars, unicode, C}} -> From ! {io_reply, Ref, ok}, collect(Me, [C | Acc]);
        {io_request, From, Ref, _} -> From ! {io_reply, Ref, {error, enotsup}}, collect(Me, Acc)
    end.
