%% The largest values that options take, and names and patterns that are refused.
-module(largest_values).
-export([main/0]).

main() ->
    see:value(limits, [{Limit, opens(Limit)} || Limit <- [0, 1, 1 bsl 59, 1 bsl 60, 1 bsl 63, (1 bsl 64) - 2,
        (1 bsl 64) - 1, 1 bsl 64]]),
    {ok, Socket} = gen_tcp:listen(0, []),
    Get = fun(Options) ->
        case inet:getopts(Socket, Options) of
            {ok, List} -> [byte_size(Value) || {raw, _, _, Value} <- List];
            Error -> Error
        end
    end,
    see:value(raw, [{Size, Get([{raw, 1, 13, Size}])} || Size <- [0, 8, 65522, 65523, 65536, 65537]]),
    see:value(raw_after, [{Size, Get([nodelay, {raw, 1, 13, Size}])} || Size <- [65517, 65518]]),
    see:value(raw_twice, [{Size, Get([{raw, 1, 13, 8}, {raw, 1, 13, Size}])} || Size <- [65501, 65502]]),
    see:value(names, [{Name, catches(fun() -> os:getenv(Name) end)} || Name <- ["a=", "=", "=a", "a=b", "", "\0"]]),
    see:value(nested, [{Depth, nested(Depth)} || Depth <- [250, 251, 798, 799, 5000]]),
    see:value(version, re:version()).

opens(Limit) ->
    catches(fun() ->
        Port = open_port({spawn, "cat"}, [{busy_limits_port, {Limit, Limit}}, {busy_limits_msgq, {Limit, Limit}}]),
        port_close(Port)
    end).

catches(Fun) ->
    try Fun() catch error:Reason -> Reason end.

nested(Depth) ->
    case re:compile([lists:duplicate(Depth, $(), lists:duplicate(Depth, $))]) of
        {ok, {re_pattern, Groups, _, _, _}} -> Groups;
        Error -> Error
    end.
