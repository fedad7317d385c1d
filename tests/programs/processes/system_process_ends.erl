%% A node ends with a process that belongs to the system: nothing could do its work.
%% status: 1
-module(system_process_ends).
-export([main/0]).

main() ->
    os:putenv("ERL_CRASH_DUMP", "/dev/null"),
    First = lists:sublist(lists:sort(processes()), 7),
    say("~p~n", [[erts_internal:is_system_process(Pid) || Pid <- First]]),
    say("~p~n", [[process_info(Pid, [message_queue_data, priority]) || Pid <- First]]),
    say("~p~n", [erts_internal:is_system_process(self())]),
    exit(whereis(init), kill),
    receive after infinity -> ok end.

%% Written when the call is over, for nobody takes leave of the process that writes for `io`.
say(Format, Arguments) ->
    ok = file:write_file("/dev/stdout", io_lib:format(Format, Arguments)).
