%% -on_load beside code that is in use: what fails leaves current and old code, and who runs them, as they were.
-module(on_load_deleted).
-export([main/0]).

main() ->
    register(watcher, self()),
    see:value(plain, load(plain)),
    Old = start(),
    see:value(delete, [code:delete(reloaded), erlang:check_old_code(reloaded), code:is_loaded(reloaded)]),
    see:value(failing, load_failing()),
    see:value(old_stays, state(Old)),
    see:value(failing_again, load_failing()),
    see:value(old_stays_still, state(Old)),
    see:value(well, [load(well), reloaded:version()]),
    see:value(beside_old, state(Old)),
    see:value(stopped, stop(Old)),
    see:value(purged, [code:soft_purge(reloaded), erlang:check_old_code(reloaded), reloaded:version()]),
    New = start(),
    see:value(failing_beside_current, load_failing()),
    see:value(current_stays, [reloaded:version(), erlang:check_old_code(reloaded), ask(New)]),
    see:value(well_again, [load(plain), reloaded:version()]),
    see:value(now_old, state(New)),
    see:value(failing_beside_both, catch finish(badly)),
    see:value(both_stay, [reloaded:version(), state(New)]),
    see:value(both_stopped, [stop(New), code:soft_purge(reloaded)]),
    see:value(delete_again, [code:delete(reloaded), code:soft_purge(reloaded), code:is_loaded(reloaded)]),
    same_code().

%% A version that fails and is the same, byte for byte, as the current one.
same_code() ->
    persistent_term:put(may_load, ok),
    see:value(same, load(changing)),
    Runs = start(), Fun = reloaded:fun_of(x),
    see:value(fun_works, [Fun(), ask(Runs)]),
    persistent_term:put(may_load, no),
    see:value(same_fails, load(changing)),
    see:value(same_stays, [reloaded:version(), ask(Runs), erlang:check_old_code(reloaded)]),
    see:value(fun_after, called(Fun)),
    see:value(fun_anew, called(reloaded:fun_of(y))),
    see:value(fun_then, called(Fun)),
    see:value(same_stopped, stop(Runs)).

called(Fun) ->
    try Fun() catch Class:Reason when is_atom(Reason) -> {Class, Reason}; Class:Reason -> {Class, element(1, Reason)}
        end.

file(Version) -> filename:join([filename:dirname(code:which(?MODULE)), Version, "reloaded"]).

load(Version) -> code:load_abs(file(Version)).

%% Without the code server, which would purge first.
finish(Version) ->
    {ok, Code} = file:read_file(file(Version) ++ ".beam"),
    erlang:finish_loading([erlang:prepare_loading(reloaded, Code)]).

%% Loads the version whose -on_load fails, and says how the process ends that it left behind.
load_failing() ->
    Me = self(),
    spawn_link(fun() -> Me ! {result, load(badly)} end),
    receive {left, Loader, Left} -> ok end,
    Ref = monitor(process, Left),
    Loader ! watched,
    Ended = receive {'DOWN', Ref, process, _, Reason} -> Reason end,
    [receive {result, Result} -> Result end, Ended].

start() ->
    Me = self(),
    Pid = spawn(fun() -> reloaded:loop(Me) end),
    ask(Pid),
    Pid.

ask(Pid) ->
    Ref = monitor(process, Pid),
    Pid ! ask,
    receive
        {answer, Pid, Answer} -> demonitor(Ref, [flush]), Answer;
        {'DOWN', Ref, process, Pid, Reason} -> {gone, Reason}
    end.

stop(Pid) ->
    Ref = monitor(process, Pid),
    Pid ! stop,
    receive {stopped, Pid} -> receive {'DOWN', Ref, process, Pid, Reason} -> Reason end;
            {'DOWN', Ref, process, Pid, Reason} -> {gone, Reason}
    end.

state(Pid) ->
    [erlang:check_old_code(reloaded), erlang:check_process_code(Pid, reloaded), code:soft_purge(reloaded), ask(Pid)].
