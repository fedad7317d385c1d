%% The module `net`: interfaces, and names of hosts and services. What depends on the machine is compared with what
%% other functions say.
-module(net_names).
-export([main/0]).

main() ->
    {ok, All} = net:getifaddrs(all),
    see:value(loopback, lists:sort([maps:remove(flags, M) || #{name := "lo"} = M <- All])),
    see:value(flags, lists:usort([F || #{name := "lo", flags := F} <- All])),
    see:value(keys, lists:usort([lists:sort(maps:keys(M)) || M <- All, maps:get(name, M) =:= "lo"])),
    see:value(filtered, [begin {ok, L} = net:getifaddrs(F),
        lists:usort([maps:get(family, A) || #{addr := A} <- L, maps:get(name, A, "lo") =:= "lo"])
        end || F <- [default, inet, inet6, packet]]),
    see:value(named, tried(fun() -> {ok, L} = net:getifaddrs(#{family => inet, flags => [loopback]}),
        lists:usort([maps:get(name, M) || M <- L]) end)),
    see:value(bad_filter, [tried(fun() -> net:getifaddrs(F) end) || F <- [foo, #{family => x}, 1]]),
    {ok, Index} = net:if_name2index("lo"),
    see:value(index, [net:if_index2name(Index), net:if_name2index("nothere"), net:if_index2name(99999),
        tried(fun() -> net:if_name2index("a_name_that_is_much_too_long") end), tried(fun() -> net:if_name2index(x) end),
    tried(fun() -> net:if_index2name(-1) end), tried(fun() -> net:if_index2name(x) end),
    tried(fun() -> net:if_name2index([x]) end)]),
    {ok, Names} = net:if_names(),
    see:value(names, lists:member({Index, "lo"}, Names)),
    {ok, Host} = net:gethostname(),
    see:value(host, {ok, Host} =:= inet:gethostname() orelse Host),
    see:value(nameinfo, [net:getnameinfo(#{family => inet, port => P, addr => loopback}, F) || P <- [80, 0],
        F <- [[], [numerichost], [numericserv], [numerichost, numericserv], [numerichost, dgram]]]),
    see:value(nameinfo6, [net:getnameinfo(#{family => inet6, port => 22, addr => loopback},
        [numerichost, numericserv])]),
    see:value(nameinfo_bad,
        [tried(fun() -> net:getnameinfo(A, F) end) || {A, F} <- [{x, []}, {#{family => inet, port => 1, addr => {1, 2}},
        []}, {#{family => inet, port => 1, addr => loopback}, [foo]}, {#{family => inet, port => 1, addr => loopback},
    foo}, {#{family => local, path => "/x"}, []}]]),
    see:value(addrinfo, [addrs(tried(fun() -> net:getaddrinfo(H, S) end)) || {H, S} <- [{"127.0.0.1", undefined},
        {"127.0.0.1", "80"}, {undefined, "80"}, {"::1", undefined}, {"127.0.0.1", "http"},
    {"127.0.0.1", "no such service"}, {"300.1.1.1", undefined}, {[1000], undefined}]]),
    see:value(addrinfo_bad, [tried(fun() -> net:getaddrinfo(H) end) || H <- [x, undefined, <<"a">>, ""]]),
    see:value(info, [net:info(), tried(fun() -> net:command({debug, false}) end), tried(fun() -> net:command(x) end),
        tried(fun() -> net:command({debug, x}) end)]),
    see:value(windows, [tried(fun() -> prim_net:F(#{}) end) || F <- [get_adapters_addresses, get_interface_info,
        get_if_entry, get_ip_address_table]]).

addrs({ok, L}) -> {ok, lists:sort(L)};
addrs(X) -> X.

tried(F) -> try F() catch C:R -> {C, R} end.
