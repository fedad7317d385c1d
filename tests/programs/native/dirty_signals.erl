%% Signals to a process in a dirty call of a native library: they are handled while the call goes on.
%% needs: erl_nif.h
-module(dirty_signals).
-export([main/0, init/0, sleep_ms/1]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    {Pid, Monitor} = spawn_monitor(fun() -> sleep_ms(300) end),
    timer:sleep(50),
    exit(Pid, kill),
    Begin = erlang:monotonic_time(millisecond),
    see:value("killed", receive {'DOWN', Monitor, process, Pid, Reason} ->
        {Reason, erlang:monotonic_time(millisecond) - Begin < 200} end),
    Pid2 = spawn(fun() -> sleep_ms(200) end),
    timer:sleep(20),
    see:value("status", {element(2, process_info(Pid2, status)), element(2, process_info(Pid2, current_function))}),
    see:value("message in a call", begin Pid2 ! hello, element(2, process_info(Pid2, message_queue_len)) end).

sleep_ms(_) -> erlang:nif_error(not_loaded).
