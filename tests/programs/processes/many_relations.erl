%% A process with very many links and monitors ends, and very many processes are listed.
%% args: +P 262144
-module(many_relations).
-export([main/0]).

-define(MANY, 20000).

main() ->
    see:value(links, told(fun(Hub) -> link(Hub) end)),
    see:value(monitors, told(fun(Hub) -> monitor(process, Hub) end)),
    see:value(monitoring, monitoring()),
    see:value(listed, listed()).

%% How many learn of the end of one process.
told(Bind) ->
    Me = self(),
    %% It is told by each of them, because only what one process sends to another arrives in order.
    Hub = spawn(fun() -> [receive bound -> ok end || _ <- lists:seq(1, ?MANY)], exit(over) end),
    Others = [spawn(fun() -> process_flag(trap_exit, true), Bind(Hub), Hub ! bound,
        receive {_, Hub, Reason} -> Me ! {told, Reason}; {'DOWN', _, process, Hub, Reason} -> Me ! {told, Reason} end
        end) || _ <- lists:seq(1, ?MANY)],
    Reasons = [receive {told, Reason} -> Reason end || _ <- Others],
    {length(Reasons), lists:usort(Reasons)}.

%% A process that monitors very many others ends; they no longer have the monitor.
monitoring() ->
    Others = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, ?MANY)],
    {P, R} = spawn_monitor(fun() -> [monitor(process, Other) || Other <- Others], exit(over) end),
    receive {'DOWN', R, process, P, over} -> ok end,
    Last = lists:last(Others),
    Left = apart:wait(fun() -> process_info(Last, monitored_by) end, {monitored_by, []}, 400),
    [Other ! stop || Other <- Others],
    Left.

listed() ->
    Others = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 4 * ?MANY)],
    All = processes(),
    Result = {Others -- All, lists:member(self(), All), length(All) =:= length(lists:usort(All))},
    [Other ! stop || Other <- Others],
    Result.
