%% erlang:ports/0 shows the ports that were open at one moment, while another process opens and closes ports.
-module(listed_at_one_moment).
-export([main/0]).

-define(OPEN, 1000).

main() ->
    Others = erlang:ports(),
    Self = self(),
    {Changer, Monitor} = spawn_monitor(fun() ->
        Ports = queue:from_list([open() || _ <- lists:seq(1, ?OPEN)]),
        Self ! begun,
        change(Ports)
    end),
    receive begun -> ok end,
    Lists = [erlang:ports() -- Others || _ <- lists:seq(1, 300)],
    Changer ! {stop, self()},
    Opened = receive {opened, Order} -> Order end,
    receive {'DOWN', Monitor, process, _, Reason} -> see:value(changer, Reason) end,
    Numbers = maps:from_list(lists:zip(Opened, lists:seq(1, length(Opened)))),
    see:value(changes_meanwhile, length(Opened) > ?OPEN),
    see:value(inconsistent, [Gap || List <- Lists, Gap <- [gap(lists:sort([maps:get(Port, Numbers) || Port <- List]))],
        Gap =/= none]).

%% Opens a port, then closes the oldest: those that are open at any moment were opened one after the other, and there
%% are as many as at first or one more.
change(Ports) ->
    receive
        {stop, From} ->
            [port_close(Port) || Port <- queue:to_list(Ports)],
            From ! {opened, lists:reverse(get(opened))}
    after 0 ->
        More = queue:in(open(), Ports),
        {{value, Oldest}, Rest} = queue:out(More),
        port_close(Oldest),
        change(Rest)
    end.

open() ->
    Port = open_port({spawn_driver, "udp_inet"}, [binary]),
    put(opened, [Port | case get(opened) of undefined -> []; Before -> Before end]),
    Port.

gap([]) -> none_open;
gap([First | _] = Numbers) ->
    Count = length(Numbers),
    case lists:last(Numbers) - First + 1 of
        Count when Count =:= ?OPEN; Count =:= ?OPEN + 1 -> none;
        Span -> {Count, Span}
    end.
