%% The term that a port keeps for programs: none at first, terms of every kind, one after the other, by many processes
%% at once until the port closes.
-module(port_data).
-export([main/0]).

main() ->
    Port = open_port({spawn, "cat"}, []),
    see:value(none, erlang:port_get_data(Port)),
    [see:value(kept, begin true = erlang:port_set_data(Port, Term), erlang:port_get_data(Port) =:= Term end)
        || Term <- terms()],
    port_close(Port),
    see:that(closed_get, fun() -> erlang:port_get_data(Port) end),
    see:that(closed_set, fun() -> erlang:port_set_data(Port, 1) end),
    see:value(at_once, lists:usort([at_once(N) || N <- lists:seq(1, 10)])),
    closing().

%% A port that was closed and still has output to write is there, but keeps nothing for programs: so `gen_tcp' tells who
%% wants to send that the socket is closed.
closing() ->
    {ok, Listener} = gen_tcp:listen(0, [{active, false}, binary, {recbuf, 1000}]),
    {ok, Number} = inet:port(Listener),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {sndbuf, 2000}, {high_watermark, 100_000_000}]),
    {ok, Accepted} = gen_tcp:accept(Listener),
    ok = gen_tcp:send(Socket, binary:copy(<<"x">>, 20_000_000)),
    see:value(kept, erlang:port_get_data(Socket)),
    true = port_close(Socket),
    see:value(is_there, lists:member(Socket, erlang:ports())),
    see:value(closing, [element(1, element(2, catch Fun()))
        || Fun <- [fun() -> erlang:port_get_data(Socket) end, fun() -> erlang:port_set_data(Socket, 1) end]]),
    see:value(sent, gen_tcp:send(Socket, "x")),
    gen_tcp:close(Accepted),
    gen_tcp:close(Listener).

terms() ->
    [undefined, 0, 1 bsl 70, 1.5, [], "list", {}, {tuple, [1]}, #{a => 1}, <<1:3>>, binary:copy(<<"x">>, 1000), self(),
        make_ref(), fun terms/0].

%% Each sets or asks until the port is closed, and no call fails before.
at_once(Round) ->
    Port = open_port({spawn, "cat"}, []),
    Monitors = [spawn_opt(fun() -> uses(Port, N + Round) end, [monitor, {scheduler, N rem 2}]) || N <- lists:seq(1, 8)],
    Me = self(),
    [Pid ! {closes, Me} || {Pid, _} <- Monitors],
    [receive {ready, Pid} -> ok end || {Pid, _} <- Monitors],
    port_close(Port),
    lists:usort([receive {'DOWN', Monitor, process, _, Reason} -> Reason end || {_, Monitor} <- Monitors]).

uses(Port, N) ->
    use(Port, N),
    receive
        {closes, From} ->
            From ! {ready, self()},
            until_closed(Port, N)
    after 0 -> uses(Port, N + 1)
    end.

until_closed(Port, N) ->
    try use(Port, N) of
        _ -> until_closed(Port, N + 1)
    catch
        error:badarg -> exit(closed)
    end.

use(Port, N) when N rem 3 =:= 0 ->
    case erlang:port_get_data(Port) of
        undefined -> ok;
        {set, _, <<"binary">>} -> ok
    end;
use(Port, N) -> true = erlang:port_set_data(Port, {set, N, <<"binary">>}).
