%% Ports that are scheduled apart from their senders, by a flag: nothing that a sender can tell.
%% args: +spp true
-module(port_spp).
-export([main/0]).

main() ->
    see:value(default, erlang:system_info(port_parallelism)),
    Port = open_port({spawn, "cat"}, [{packet, 2}]),
    see:value(port, erlang:port_info(Port, parallelism)),
    Other = open_port({spawn, "cat"}, [{packet, 2}, {parallelism, false}]),
    see:value(other, erlang:port_info(Other, parallelism)),
    [port_command(P, integer_to_list(N)) || N <- lists:seq(1, 200), P <- [Port, Other]],
    Answers = fun(P) -> [receive {P, {data, D}} -> list_to_integer(D) after 5000 -> none end || _ <- lists:seq(1, 200)]
        end,
    see:value(in_order, [Answers(P) =:= lists:seq(1, 200) || P <- [Port, Other]]),
    port_command(Port, "before"),
    see:value(output, erlang:port_info(Port, output)),
    Port ! {self(), close},
    see:value(closed, receive {Port, closed} -> closed after 5000 -> none end),
    see:fails([fun() -> port_command(Port, "after") end]).
