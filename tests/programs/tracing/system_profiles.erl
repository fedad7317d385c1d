%% Who is told which processes and ports are ready to run.
%% args: +S 1:1
-module(system_profiles).
-export([main/0, waits/0, keeps/1]).

main() ->
    settings(),
    [processes(Label, Options) || {Label, Options} <- [
        {plain, []}, {wall, [timestamp]}, {monotonic, [monotonic_timestamp]}, {strict, [strict_monotonic_timestamp]}]],
    of_itself(),
    ports(),
    schedulers().

settings() ->
    Profiler = profiler(),
    Show = fun(undefined) -> undefined; ({P, Options}) -> {P =:= Profiler, Options} end,
    [begin
         see:value(Options, Show(erlang:system_profile(Profiler, Options))),
         see:value(now, Show(erlang:system_profile()))
     end || Options <- [[runnable_procs], [runnable_ports], [scheduler, runnable_ports, runnable_procs, timestamp],
                        [exclusive, strict_monotonic_timestamp], []]],
    see:value(off, Show(erlang:system_profile(undefined, [runnable_procs]))),
    [see:that(Bad, fun() -> erlang:system_profile(P, Bad) end)
     || {P, Bad} <- [{Profiler, [nothing]}, {Profiler, [runnable_procs | x]}, {Profiler, x}, {a, [runnable_procs]},
         {1, [x]}]],
    Gone = spawn(fun() -> ok end),
    Monitor = monitor(process, Gone),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    see:that(gone, fun() -> erlang:system_profile(Gone, [runnable_procs]) end),
    see:value(off, erlang:system_profile()),
    exit(Profiler, kill).

profiler() -> spawn(?MODULE, keeps, [[]]).

keeps(Kept) ->
    receive
        {profile, _, _, _, _} = Event -> keeps([Event | Kept]);
        {profile, _, _, _, _, _} = Event -> keeps([Event | Kept]);
        {give, From} -> From ! {kept, lists:reverse(Kept)}, keeps(Kept)
    end.

%% What the profiler has been told once the fun says that it is enough. On stock events arrive late, and never after
%% profiling was turned off.
kept(Profiler, IsEnough) ->
    Profiler ! {give, self()},
    receive
        {kept, Events} ->
            case IsEnough(Events) of
                true -> erlang:system_profile(undefined, []), Events;
                false -> erlang:yield(), kept(Profiler, IsEnough)
            end
    end.

waits() -> receive {From, go} -> From ! went, waits(); stop -> ok end.

processes(Label, Options) ->
    Profiler = profiler(),
    Pid = spawn(?MODULE, waits, []),
    erlang:yield(),
    erlang:system_profile(Profiler, [runnable_procs | Options]),
    [begin Pid ! {self(), go}, receive went -> ok end end || _ <- [1, 2]],
    Monitor = monitor(process, Pid),
    Pid ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    Events = kept(Profiler, fun(Kept) -> [ok || {profile, P, inactive, 0, _} <- Kept, P =:= Pid] =/= [] end),
    see:value(Label, [{Status, Place, kind(Time)} || {profile, P, Status, Place, Time} <- Events, P =:= Pid]),
    exit(Profiler, kill).

kind({A, B, C}) when is_integer(A), is_integer(B), is_integer(C) -> wall;
kind({A, B}) when is_integer(A), is_integer(B) -> strict;
kind(A) when is_integer(A) -> monotonic.

of_itself() ->
    Profiler = profiler(),
    erlang:system_profile(Profiler, [runnable_procs]),
    Pid = spawn(?MODULE, waits, []),
    Pid ! {self(), go},
    receive went -> ok end,
    Events = kept(Profiler, fun(Kept) -> [ok || {profile, P, inactive, _, _} <- Kept, P =:= Pid] =/= [] end),
    see:value(of_itself, [Event || {profile, P, _, _, _} = Event <- Events, P =:= Profiler]),
    Pid ! stop,
    exit(Profiler, kill).

ports() ->
    Profiler = profiler(),
    Port = open_port({spawn, "cat"}, []),
    erlang:system_profile(Profiler, [runnable_ports]),
    port_command(Port, "abc"),
    receive {Port, {data, "abc"}} -> ok end,
    Kept = kept(Profiler, fun(Kept) -> length([ok || {profile, P, inactive, _, _} <- Kept, P =:= Port]) > 1 end),
    Events = [{Status, Count} || {profile, P, Status, Count, _} <- Kept, P =:= Port],
    see:value(ports, {lists:usort(Events), alternate([Status || {Status, _} <- Events])}),
    port_close(Port),
    exit(Profiler, kill).

alternate([A, A | _]) -> false;
alternate([_ | T]) -> alternate(T);
alternate([]) -> true.

schedulers() ->
    Profiler = profiler(),
    erlang:system_profile(Profiler, [scheduler]),
    timer:sleep(50),
    Kept = kept(Profiler, fun(Kept) -> length([ok || {profile, scheduler, _, active, _, _} <- Kept]) > 1 end),
    Events = [{Number, Status, Count} || {profile, scheduler, Number, Status, Count, _} <- Kept],
    see:value(schedulers, lists:usort(Events)),
    exit(Profiler, kill).
