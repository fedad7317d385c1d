%% With `+L` exceptions and processes say no files and lines, and the rest of their stack traces is as always.
%% args: +L
-module(no_lines).
-export([main/0, fails/1]).

main() ->
    see:value(caught, try fails(a) catch error:badarith:Stack -> Stack end),
    see:value(of_a_library, try lists:nth(0, [a]) catch error:function_clause:Trace -> hd(Trace) end),
    {Waiting, Monitor} = spawn_monitor(fun() -> receive stop -> ok end end),
    waits(Waiting),
    {current_stacktrace, Frames} = process_info(Waiting, current_stacktrace),
    see:value(waits, [Location || {_, _, _, Location} <- Frames]),
    Waiting ! stop,
    receive {'DOWN', Monitor, process, _, normal} -> ok end.

fails(X) ->
    X + length([X]).

waits(Pid) ->
    case process_info(Pid, status) of
        {status, waiting} -> ok;
        _ -> erlang:yield(), waits(Pid)
    end.
