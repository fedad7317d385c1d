%% Names: inet_res against a server that is written here, which answers, refuses, truncates, lies or keeps silent.
%% timeout: 60
-module(name_server).
-export([main/0]).

-define(LO, {127, 0, 0, 1}).

main() ->
    {U, L, Port} = same_port(),
    ok = gen_udp:controlling_process(U, spawn_link(fun() -> udp(U) end)),
    spawn_link(fun() -> tcp(L) end),
    O = [{nameservers, [{?LO, Port}]}, {timeout, 400}, {retry, 1}],
    [see:value({T, N}, sorted(catch inet_res:resolve(N, in, T, O))) ||
        {T, N} <- [{a, "one.test"}, {a, "many.test"}, {aaaa, "one.test"}, {mx, "mail.test"}, {txt, "text.test"},
            {srv, "srv.test"}, {cname, "alias.test"}, {a, "alias.test"},
                   {soa, "soa.test"}, {ns, "ns.test"}, {ptr, "1.2.0.192.in-addr.arpa"}, {naptr, "naptr.test"},
                   {hinfo, "hinfo.test"}, {any, "one.test"}, {a, "none.test"},
                   {a, "refused.test"}, {a, "servfail.test"}, {a, "formerr.test"}, {a, "notimp.test"}, {a, "big.test"},
                   {a, "silent.test"}, {a, "wrongid.test"}, {a, "garbage.test"},
                   {a, "empty.test"}, {a, "loop.test"}, {a, "short.test"}, {a, "otherquestion.test"}, {caa, "caa.test"},
                   {uri, "uri.test"}, {a, ""}, {a, lists:duplicate(70, $x) ++ ".test"},
                   {a, lists:duplicate(300, $x)}, {a, "UPPER.Test"}, {nosuch, "one.test"}]],
    [see:value({lookup, T, N}, try lists:sort(inet_res:lookup(N, in, T, O)) catch C:E -> {C, E} end)
        || {T, N} <- [{a, "one.test"}, {a, "many.test"}, {a, "none.test"}, {txt, "text.test"}]],
    [see:value({hostbyname, N}, inet_res:gethostbyname(N, F, 1000)) || {N, F} <- [{"192.0.2.1", inet}, {"::1", inet6},
        {"192.0.2.1", inet6}]],
    [see:value({bytes, P}, sorted(catch inet_res:resolve("one.test", in, a, P ++ O)))
        || P <- [[{usevc, true}], [{edns, 0}], [{edns, 0}, {udp_payload_size, 1000}], [{recurse, false}],
        [{inet6, true}], [{nxdomain_reply, true}]]],
    see:value(nxdomain_reply, sorted(catch inet_res:resolve("none.test", in, a, [{nxdomain_reply, true} | O]))),
    see:value(no_server, inet_res:resolve("one.test", in, a, [{nameservers, [{?LO, 9}]}, {timeout, 300}, {retry, 1}])),
    see:value(two_servers,
        sorted(inet_res:resolve("one.test", in, a, [{nameservers, [{?LO, 9}, {?LO, Port}]}, {timeout, 1000},
        {retry, 2}]))),
    see:value(alternative,
        sorted(inet_res:resolve("one.test", in, a, [{nameservers, []}, {alt_nameservers, [{?LO, Port}]},
        {timeout, 1000}, {retry, 2}]))),
    %% The whole of kernel asks it as well.
    ok = inet_db:res_option(nameservers, [{?LO, Port}]), ok = inet_db:res_option(lookup, [dns]),
    ok = inet_db:res_option(timeout, 400), ok = inet_db:res_option(retry, 1), ok = inet_db:res_option(search, []),
    see:value(getaddr, [inet:getaddr(N, F) || N <- ["one.test", "none.test", "alias.test"], F <- [inet, inet6]]),
    see:value(getaddrs, [case inet:getaddrs("many.test", inet) of {ok, As} -> lists:sort(As); E -> E end]),
    see:value(gethostbyaddr, inet:gethostbyaddr({192, 0, 2, 1})),
    see:value(connect, gen_tcp:connect("none.test", 1, [], 500)),
    see:value(rc, lists:sort([K || T <- inet:get_rc(), K <- [element(1, T)]])).

sorted({ok, Record}) -> lists:sort([{S, lists:sort([r(R) || R <- Rs])} || {S, Rs} <- inet_dns:msg(Record),
    is_list(Rs)]) ++ [lists:keydelete(id, 1, inet_dns:header(inet_dns:msg(Record, header)))];
sorted({error, {nxdomain, R}}) when is_tuple(R) -> {nxdomain, sorted({ok, R})};
sorted(Other) -> Other.

r(R) -> try inet_dns:rr(R) of L -> lists:keydelete(tm, 1, lists:keydelete(cnt, 1, L)) catch _:_ ->
    catch inet_dns:dns_query(R) end.

udp(U) ->
    receive
        {udp, U, A, P, Q} ->
            case answer(Q, udp) of
                none -> ok;
                Bytes -> gen_udp:send(U, A, P, Bytes)
            end,
            udp(U)
    end.

tcp(L) ->
    {ok, S} = gen_tcp:accept(L),
    receive
        {tcp, S, Q} -> case answer(Q, tcp) of none -> ok; Bytes -> gen_tcp:send(S, Bytes) end
    after 2000 -> ok end,
    gen_tcp:close(S),
    tcp(L).

answer(<<Id:16, _:16, 1:16, _:48, Rest/binary>> = Q, How) ->
    {ok, Query} = inet_dns:decode(Q),
    [Question] = inet_dns:msg(Query, qdlist),
    Domain = string:lowercase(inet_dns:dns_query(Question, domain)),
    Type = inet_dns:dns_query(Question, type),
    End = question_end(Rest, 0),
    <<Asked:End/binary, _/binary>> = Rest,
    H = fun(Flags, Count) -> <<Id:16, (16#8580 bor Flags):16, 1:16, Count:16, 0:32, Asked/binary>> end,
    A = fun(T, D) -> <<16#c00c:16, T:16, 1:16, 60:32, (byte_size(D)):16, D/binary>> end,
    case {Domain, Type} of
        {"one.test", a} -> [H(0, 1), A(1, <<192, 0, 2, 1>>)];
        {"one.test", aaaa} -> [H(0, 1), A(28, <<16#20010db8:32, 0:88, 7>>)];
        {"one.test", any} -> [H(0, 2), A(1, <<192, 0, 2, 1>>), A(16, <<3, "any">>)];
        {"upper.test", _} -> [H(0, 1), A(1, <<192, 0, 2, 9>>)];
        {"many.test", _} -> [H(0, 20) | [A(1, <<192, 0, 2, I>>) || I <- lists:seq(1, 20)]];
        {"mail.test", _} -> [H(0, 2), A(15, <<10:16, 2, "mx", 16#c00c:16>>), A(15, <<20:16, 3, "mx2", 4, "test", 0>>)];
        {"text.test", _} -> [H(0, 2), A(16, <<5, "hello", 5, "world">>), A(16, <<0>>)];
        {"srv.test", _} -> [H(0, 1), A(33, <<1:16, 2:16, 8080:16, 4, "host", 16#c00c:16>>)];
        {"alias.test", _} -> [H(0, 2), A(5, <<3, "one", 4, "test", 0>>), <<3, "one", 4, "test", 0, 1:16, 1:16, 60:32,
            4:16, 192, 0, 2, 1>>];
        {"soa.test", _} -> [H(0, 1),
            A(6, <<2, "ns", 16#c00c:16, 4, "root", 16#c00c:16, 1:32, 2:32, 3:32, 4:32, 5:32>>)];
        {"ns.test", _} -> [H(0, 1), A(2, <<2, "ns", 16#c00c:16>>)];
        {"1.2.0.192.in-addr.arpa", _} -> [H(0, 1), A(12, <<3, "one", 4, "test", 0>>)];
        {"naptr.test", _} -> [H(0, 1), A(35, <<1:16, 2:16, 1, "u", 3, "sip", 9, "!^.*$!x!i", 0>>)];
        {"hinfo.test", _} -> [H(0, 1), A(13, <<3, "cpu", 2, "os">>)];
        {"caa.test", _} -> [H(0, 1), A(257, <<0, 5, "issue", "ca.test">>)];
        {"uri.test", _} -> [H(0, 1), A(256, <<1:16, 2:16, "http://x.test/">>)];
        {"none.test", _} -> H(3, 0);
        {"refused.test", _} -> H(5, 0);
        {"servfail.test", _} -> H(2, 0);
        {"formerr.test", _} -> H(1, 0);
        {"notimp.test", _} -> H(4, 0);
        {"big.test", _} when How =:= udp -> H(16#200, 0);
        {"big.test", _} -> [H(0, 100) | [A(1, <<192, 0, 2, I>>) || I <- lists:seq(1, 100)]];
        {"silent.test", _} -> none;
        {"wrongid.test", _} -> [<<(Id bxor 1):16, 16#8400:16, 1:16, 1:16, 0:32, Asked/binary>>, A(1, <<192, 0, 2, 1>>)];
        {"garbage.test", _} -> <<Id:16, "this is no answer at all">>;
        {"empty.test", _} -> <<>>;
        {"loop.test", _} -> [H(0, 1), <<16#c01b:16, 1:16, 1:16, 60:32, 4:16, 1, 2, 3, 4>>, <<16#c01b:16>>];
        {"short.test", _} -> [H(0, 1), <<16#c00c:16, 1:16, 1:16, 60:32, 400:16, 1, 2, 3, 4>>];
        {"otherquestion.test", _} -> [<<Id:16, 16#8400:16, 1:16, 1:16, 0:32, 5, "other", 4, "test", 0, 1:16, 1:16>>,
            A(1, <<192, 0, 2, 1>>)];
        _ -> H(3, 0)
    end;
answer(_, _) -> none.

question_end(<<0, _:32, _/binary>>, N) -> N + 5;
question_end(<<L, _:L/binary, Rest/binary>>, N) -> question_end(Rest, N + L + 1).

%% A number that is free for datagrams may be taken for streams.
same_port() ->
    {ok, U} = gen_udp:open(0, [binary, {active, true}, {ip, ?LO}]),
    {ok, Port} = inet:port(U),
    case gen_tcp:listen(Port, [binary, {packet, 2}, {active, true}, {ip, ?LO}, {reuseaddr, true}]) of
        {ok, L} -> {U, L, Port};
        {error, eaddrinuse} -> ok = gen_udp:close(U), same_port()
    end.
