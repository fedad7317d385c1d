%% Whether a dirty scheduler runs a process: one that reads large files is found there sooner or later.
-module(executing_dirty).
-export([main/0]).

main() ->
    see:value(self, erts_internal:is_process_executing_dirty(self())),
    {Dead, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, Dead, _} -> ok end,
    see:value(dead, erts_internal:is_process_executing_dirty(Dead)),
    Waits = spawn(fun() -> receive never -> ok end end),
    see:value(waits, erts_internal:is_process_executing_dirty(Waits)),
    see:fails([fun() -> erts_internal:is_process_executing_dirty(see:id(x)) end]),
    File = "executing_dirty_" ++ os:getpid(),
    ok = file:write_file(File, binary:copy(<<0>>, 20000000)),
    Reads = spawn(fun() -> reads(File) end),
    see:value(reads, found(Reads, erlang:monotonic_time(second) + 10)),
    exit(Reads, kill),
    see:value(removed, file:delete(File)).

reads(File) ->
    {ok, _} = prim_file:read_file(File),
    reads(File).

found(Pid, Until) ->
    case erts_internal:is_process_executing_dirty(Pid) of
        true -> true;
        false ->
            erlang:yield(),
            erlang:monotonic_time(second) < Until andalso found(Pid, Until)
    end.
