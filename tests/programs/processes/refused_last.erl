%% A monitor or link that reaches a process just after it was killed is refused only when nothing of the process is
%% left: neither its name nor its table.
-module(refused_last).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    io:format("monitors: ~p~n", [often(fun monitored/1)]),
    io:format("links: ~p~n", [often(fun linked/1)]).

%% Stock too leaves something in one of some 60,000 rounds.
often(Wait) ->
    case length([left || _ <- lists:seq(1, 2000), found(Wait)]) of
        Few when Few < 20 -> seldom;
        Many -> Many
    end.

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
        {undefined, undefined} -> false;
        _Left -> timer:sleep(10), true
    end.

%% It does not wait, so both signals may come before it looks at them.
spin() -> spin().

monitored(Pid) ->
    Watch = monitor(process, Pid),
    receive {'DOWN', Watch, process, Pid, _} -> ok end.

linked(Pid) ->
    link(Pid),
    receive {'EXIT', Pid, _} -> ok end.
