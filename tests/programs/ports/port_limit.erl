%% As many ports as there may be: one more is refused in every way of opening it, the others live, and a place that is
%% free again is used.
%% args: +Q 1024
%% timeout: 60
-module(port_limit).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    see:value(limit, erlang:system_info(port_limit)),
    {ok, Listening} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}]),
    {ok, Number} = inet:port(Listening),
    [full(Number) || _ <- [1, 2]],
    %% Numbers come round: a slot is used again and again, and an old identifier never means a new port.
    Old = open(),
    true = port_close(Old),
    All = [begin P = open(), true = port_close(P), P end || _ <- lists:seq(1, 3000)],
    see:value(distinct, length(lists:usort([Old | All]))),
    see:value(old, [erlang:port_info(Old), lists:member(Old, erlang:ports()),
        catch_reason(fun() -> port_command(Old, "x") end)]).

open() -> open_port({spawn_driver, "ram_file_drv"}, []).

full(Number) ->
    Before = erlang:ports(),
    {Ports, Reason} = fill([]),
    see:value(refused, Reason),
    see:value(count, {length(Ports) + length(Before), erlang:system_info(port_count)}),
    see:value(all_there, lists:sort(Ports ++ Before) =:= lists:sort(erlang:ports())),
    see:value(others, [catch_reason(Open) || Open <- [
        fun() -> open_port({spawn, "/bin/cat"}, []) end,
        fun() -> open_port({spawn_executable, "/bin/cat"}, [exit_status]) end,
        fun() -> open_port({spawn_executable, "/no/such"}, []) end,
        fun() -> open_port({spawn_driver, "no_such"}, []) end,
        fun() -> open_port({fd, 0, 1}, []) end,
        fun() -> open_port({spawn, "/bin/cat"}, [bad]) end,
        fun() -> gen_udp:open(0) end,
        fun() -> gen_tcp:listen(0, []) end,
        fun() -> gen_tcp:connect({127, 0, 0, 1}, Number, []) end,
        fun() -> os:cmd("echo x") end]]),
    see:value(explained, explained(fun() -> open_port({spawn_driver, "ram_file_drv"}, []) end)),
    [Gone | Rest] = Ports,
    true = port_close(Gone),
    see:value(in_its_place, os:cmd("echo x")),
    Cat = open_port({spawn, "/bin/cat"}, []),
    see:value(full_again, catch_reason(fun open/0)),
    port_command(Cat, "y"),
    see:value(answers, receive {Cat, {data, D}} -> D after 10000 -> none end),
    [true = port_close(P) || P <- [Cat | Rest]],
    [receive {'EXIT', P, normal} -> ok after 10000 -> throw(no_exit) end || P <- [Gone, Cat | Rest]],
    see:value(back, apart:wait(fun() -> lists:sort(erlang:ports()) =:= lists:sort(Before) end, true, 200)).

fill(Ports) when length(Ports) < 2000 ->
    try open() of
        Port -> fill([Port | Ports])
    catch
        Class:Reason -> {Ports, {Class, Reason}}
    end;
fill(Ports) -> {Ports, none}.

catch_reason(Fun) ->
    try Fun() of Value -> Value catch Class:Reason -> {Class, Reason} end.

explained(Fun) ->
    try Fun() catch
        Class:Reason:Stack ->
            hd(string:split(unicode:characters_to_list(erl_error:format_exception(Class, Reason, Stack)), "\n"))
    end.

