%% A driver that answers open_port/2 later, and one that is unloaded while it has work on other threads.
%% args: +A 2
%% needs: erl_nif.h
-module(late_driver).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Folder = filename:dirname(code:which(?MODULE)),
    ok = erl_ddll:load(Folder, late_driver),
    [see:that(Command, fun() -> open("late_driver " ++ Command) end)
     || Command <- ["fine", "general", "badarg", "errno", "failure"]],
    see:value("other messages stay", begin self() ! first, Result = open("late_driver fine"),
        {Result, receive first -> ok after 0 -> none end} end),
    Port = open_port({spawn_driver, "late_driver job"}, []),
    File = filename:join(Folder, "late_driver" ++ os:getpid()),
    see:value("job", port_control(Port, 1, File)),
    {ok, pending_driver, Reference} = erl_ddll:try_unload(late_driver, [{monitor, pending_driver}]),
    see:value("close", port_close(Port)),
    see:value("not yet", receive {'DOWN', Reference, driver, _, _} -> unloaded after 100 -> loaded end),
    ok = file:write_file(File, ""),
    receive {'DOWN', Reference, driver, late_driver, State} ->
        see:value("down", {State, os:getenv("LATE_DRIVER_FINISH")}) end,
    ok = file:delete(File).

%% What a port is like that was opened, or how it ends.
open(Command) ->
    Port = open_port({spawn_driver, Command}, []),
    Info = erlang:port_info(Port, name),
    Info =/= undefined andalso port_close(Port),
    {is_port(Port), Info, receive {'EXIT', Port, Reason} -> Reason after 1000 -> none end}.
