%% Links, monitors and exit signals.
-module(links_shown).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Linked = spawn_link(fun() -> exit(reason) end),
    receive {'EXIT', Linked, R1} -> erlang:display(R1) end,
    Normal = spawn_link(fun() -> ok end),
    receive {'EXIT', Normal, R2} -> erlang:display(R2) end,
    {Pid, Ref} = spawn_monitor(fun() -> receive stop -> exit(stopped) end end),
    Pid ! stop,
    receive {'DOWN', Ref, process, Pid, R3} -> erlang:display(R3) end,
    Gone = monitor(process, Pid),
    receive {'DOWN', Gone, process, Pid, R4} -> erlang:display(R4) end,
    Killed = spawn_link(fun() -> receive never -> ok end end),
    exit(Killed, kill),
    receive {'EXIT', Killed, R5} -> erlang:display(R5) end,
    erlang:display(is_process_alive(Killed)),
    erlang:display(is_process_alive(self())),
    register(a_name, self()),
    a_name ! to_myself,
    receive to_myself -> erlang:display(whereis(a_name) =:= self()) end,
    unregister(a_name),
    erlang:display(whereis(a_name)).
