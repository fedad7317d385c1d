%% A timer that stands still with its suspended receiver can no longer be read or cancelled, also when it runs again;
%% its message comes.
%% releases: 29
-module(cancelled_paused_29).
-export([main/0]).

main() ->
    {P, Monitor} = spawn_monitor(fun() -> receive Message -> exit(Message) end end),
    Timer = erlang:send_after(3000, P, came),
    erlang:suspend_process(P),
    see:value(read, erlang:read_timer(Timer)),
    see:value(cancelled, erlang:cancel_timer(Timer)),
    erlang:resume_process(P),
    see:value(later, erlang:cancel_timer(Timer)),
    receive {'DOWN', Monitor, process, P, Reason} -> see:value(ended, Reason) end.
