%% The node ends while a socket holds output that another socket of this node should read, but nobody asks it to: the
%% ports are closed, so that ends at once. No process runs meanwhile, to see how they close.
%% status: 3
-module(halt_among_ports).
-export([main/0]).

main() ->
    {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    Options = [binary, {active, false}, {sndbuf, 4096}, {high_watermark, 10000000}],
    {ok, A} = gen_tcp:connect({127, 0, 0, 1}, Port, Options),
    {ok, _B} = gen_tcp:accept(Listener),
    ok = gen_tcp:send(A, binary:copy(<<0>>, 6000000)),
    {ok, [{send_pend, Pending}]} = inet:getstat(A, [send_pend]),
    see:value(pending, Pending > 0),
    Watcher = spawn(fun() ->
        process_flag(trap_exit, true),
        link(A),
        receive {'EXIT', A, Reason} -> see:value(told, Reason) end
    end),
    {links, [A]} = apart:wait(fun() -> process_info(Watcher, links) end, {links, [A]}, 400),
    see:value(ends, now),
    halt(3).
