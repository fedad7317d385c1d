%% A socket on the descriptor of another one: the second hears what comes, and both may send.
-module(udp_of_descriptor).
-export([main/0]).

main() ->
    % Stock reports that control was taken over, with addresses.
    logger:set_primary_config(level, none),
    {ok, First} = gen_udp:open(0, [{ip, {127, 0, 0, 1}}, {active, true}]),
    {ok, Port} = inet:port(First),
    {ok, Descriptor} = prim_inet:getfd(First),
    see:value(other_family, gen_udp:open(0, [inet6, {fd, Descriptor}])),
    {ok, Second} = gen_udp:open(0, [{fd, Descriptor}, {active, true}]),
    see:value(same_port, {ok, Port} =:= inet:port(Second)),
    {ok, Sender} = gen_udp:open(0, [{ip, {127, 0, 0, 1}}, {active, true}]),
    {ok, SenderPort} = inet:port(Sender),
    Name = fun(S) when S =:= First -> first; (S) when S =:= Second -> second; (S) when S =:= Sender -> sender end,
    Hear = fun() ->
                   receive {udp, S, {127, 0, 0, 1}, P, Text} -> {Name(S), P =:= Port, P =:= SenderPort, Text};
                           {udp_error, S, Reason} -> {Name(S), Reason}
                   after 10000 -> nothing
                   end
           end,
    see:value(heard, [begin ok = gen_udp:send(Sender, {127, 0, 0, 1}, Port, Text), Hear() end
        || Text <- ["one", "two", "three"]]),
    see:value(sent, [begin ok = gen_udp:send(S, {127, 0, 0, 1}, SenderPort, Text), Hear() end
        || {S, Text} <- [{Second, "from second"}, {First, "from first"}]]),
    see:value(closed, [gen_udp:close(S) || S <- [Sender, Second]]).
