%% A monitor or link that reaches a process just after it was killed is refused only when nothing of the process is left:
%% neither its name nor its table.
-module(refused_last).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    io:format("monitors: ~p~n", [[Found || _ <- lists:seq(1, 2000), Found <- found(fun monitored/1)]]),
    io:format("links: ~p~n", [[Found || _ <- lists:seq(1, 2000), Found <- found(fun linked/1)]]).

found(Wait) ->
    Parent = self(),
    Pid = spawn(fun() ->
        register(refused, self()),
        Parent ! {table, ets:new(table, [])},
        spin()
    end),
    Table = receive {table, Made} -> Made end,
    exit(Pid, kill),
    Wait(Pid),
    case {whereis(refused), ets:info(Table, size)} of
        {undefined, undefined} -> [];
        Left -> timer:sleep(10), [Left =:= Left]
    end.

%% It does not wait, so both signals may come before it looks at them.
spin() -> spin().

monitored(Pid) ->
    Watch = monitor(process, Pid),
    receive {'DOWN', Watch, process, Pid, _} -> ok end.

linked(Pid) ->
    link(Pid),
    receive {'EXIT', Pid, _} -> ok end.
