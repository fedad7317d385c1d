%% Unloading a driver with `kill_ports` ends its ports, however many: each once, and their owners learn it.
%% args: +Q 65536
%% needs: erl_nif.h
-module(killed_ports).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    see:value("few, unloaded", unloaded(3)),
    see:value("many, unloaded", unloaded(30_000)),
    see:value("user ended", user_ended(30_000)).

unloaded(N) ->
    load(),
    Ports = opened(N),
    {ok, pending_driver, Reference} = erl_ddll:try_unload(killed_ports, [{monitor, pending_driver}]),
    {ends(Ports), gone(Reference), left()}.

%% The ports are not those of the process that has loaded the driver.
user_ended(N) ->
    Owner = self(),
    {User, Monitor} = spawn_monitor(fun() -> load(), Owner ! loaded, receive stop -> ok end end),
    receive loaded -> ok end,
    Ports = opened(N),
    Reference = erl_ddll:monitor(driver, {killed_ports, unloaded}),
    User ! stop,
    receive {'DOWN', Monitor, process, User, normal} -> ok end,
    {ends(Ports), gone(Reference), left()}.

load() ->
    Folder = filename:dirname(code:which(?MODULE)),
    {ok, loaded} = erl_ddll:try_load(Folder, killed_ports, [{driver_options, [kill_ports]}]).

opened(N) -> [open_port({spawn_driver, "killed_ports"}, []) || _ <- lists:seq(1, N)].

%% How many have ended for which reason.
ends(Ports) ->
    lists:foldl(fun(Port, Ends) -> maps:update_with(ended(Port), fun(Count) -> Count + 1 end, 1, Ends) end, #{}, Ports).

ended(Port) -> receive {'EXIT', Port, Reason} -> Reason after 20_000 -> nothing end.

gone(Reference) ->
    receive {'DOWN', Reference, driver, Name, Reason} -> {Name, Reason} after 20_000 -> nothing end.

left() -> receive Message -> Message after 100 -> nothing end.
