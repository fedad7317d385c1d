%% How many requests a process that changes the whole system may have outstanding, as the flag and then a program say.
%% args: +zosrl 9
-module(outstanding_requests).
-export([main/0]).

main() ->
    see:value(flag, erlang:system_info(outstanding_system_requests_limit)),
    see:value(before, erlang:system_flag(outstanding_system_requests_limit, 77)),
    see:value(now, erlang:system_info(outstanding_system_requests_limit)),
    {ok, Node} = peer(["+S", "3:1"]),
    see:value(default, Node).

%% What a node says that is started with these flags.
peer(Flags) ->
    {ok, [[Program]]} = init:get_argument(progname),
    Arguments = Flags ++ ["-noshell", "-eval", "io:format(\"~w\", [erlang:system_info(outstanding_system_requests_limit)]), halt()."],
    Port = open_port({spawn_executable, os:find_executable(Program)}, [{args, Arguments}, exit_status, use_stdio]),
    {ok, all(Port, [])}.

all(Port, Text) ->
    receive
        {Port, {data, More}} -> all(Port, Text ++ More);
        {Port, {exit_status, Status}} -> {Text, Status}
    end.
