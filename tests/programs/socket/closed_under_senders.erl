%% A process that sends much, and waits, when another one closes the socket: it is told so, by the server of the socket.
%% args: +S 2
-module(closed_under_senders).
-export([main/0]).

main() ->
    see:value("what they get", lists:usort([one() || _ <- lists:seq(1, 20)])).

one() ->
    Options = [{inet_backend, socket}, binary, {active, false}],
    {ok, Listener} = gen_tcp:listen(0, Options ++ [{ip, {127, 0, 0, 1}}]),
    {ok, Port} = inet:port(Listener),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, Options),
    {ok, Accepted} = gen_tcp:accept(Listener),
    {Sender, Monitor} = spawn_monitor(fun() -> exit(fill(Socket, binary:copy(<<"x">>, 1_000_000))) end),
    {status, waiting} = apart:wait(fun() -> process_info(Sender, status) end, {status, waiting}, 400),
    ok = gen_tcp:close(Socket),
    Result = receive {'DOWN', Monitor, process, Sender, Reason} -> Reason end,
    [gen_tcp:close(Other) || Other <- [Accepted, Listener]],
    Result.

fill(Socket, Data) ->
    case gen_tcp:send(Socket, Data) of
        ok -> fill(Socket, Data);
        {error, {Reason, _}} -> Reason;
        {error, Reason} -> Reason
    end.
