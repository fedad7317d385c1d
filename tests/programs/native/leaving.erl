%% What a library has asked for by ERL_NIF_OPT_ON_UNLOAD_THREAD: every normal scheduler calls it when the library's
%% module is purged, online or not, idle or busy; then the library is unloaded, or stays for an object of one of its
%% resource types.
%% args: +S 4:2
%% differs: stock of OTP 25 does not have this option; what is expected is what stock of OTP 27 prints
%% needs: erl_nif.h
-module(leaving).
-export([main/0]).

main() ->
    true = register(told, self()),
    Path = filename:join([filename:dirname(code:which(?MODULE)), "leaver"]),
    load(Path),
    case leaver:lacks() of
        true -> see:value("lacks it", true);
        false ->
            purged = purge(),
            {4, nothing} = told(),
            leaves(Path)
    end.

leaves(Path) ->
    [see:value(How, left(Path, How)) || How <- [idle, busy, blocked, offline]],
    load(Path),
    see:value("set twice, or too late", {leaver:set_twice(), leaver:set()}),
    Object = leaver:object(),
    see:value("purged while an object lives", purge()),
    see:value("not unloaded", receive {unloaded, _, _} = Told -> Told after 200 -> is_reference(Object) end),
    true = garbage_collect(),
    see:value("unloaded", told()).

load(Path) ->
    {module, leaver} = code:load_abs(Path),
    ok = leaver:load(filename:rootname(code:which(leaver))).

left(Path, How) ->
    load(Path),
    End = begin_to(How),
    Purged = purge(),
    Told = told(),
    End(),
    {Purged, Told}.

begin_to(busy) ->
    Pids = [spawn(fun Loop() -> _ = lists:seq(1, 100), Loop() end) || _ <- lists:seq(1, 8)],
    fun() -> [exit(Pid, kill) || Pid <- Pids] end;
begin_to(blocked) ->
    _ = erlang:system_flag(multi_scheduling, block),
    fun() -> erlang:system_flag(multi_scheduling, unblock) end;
begin_to(offline) ->
    Before = erlang:system_flag(schedulers_online, 1),
    fun() -> erlang:system_flag(schedulers_online, Before) end;
begin_to(idle) ->
    timer:sleep(50),
    fun() -> ok end.

purge() ->
    true = code:delete(leaver),
    false = code:purge(leaver),
    purged.

%% How many schedulers have called, and what was wrong.
told() ->
    receive {unloaded, Normal, Wrong} -> {Normal, Wrong} after 10_000 -> nothing end.
