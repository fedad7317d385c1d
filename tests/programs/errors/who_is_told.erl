%% Who gets the machine's reports: a process that was named, `logger` when that one has ended, nobody when told so.
-module(who_is_told).
-export([main/0]).

main() ->
    Main = self(),
    Proxy = erlang:system_info(system_logger),
    true = unregister(logger),
    Logger = spawn_link(fun() -> register(logger, self()), Main ! ready, forward(logger, Main) end),
    receive ready -> ok end,
    Named = spawn_link(fun() -> forward(named, Main) end),
    see:value(before, erlang:system_flag(system_logger, Named) =:= Proxy),
    report(while_named),
    %% To nobody; if somebody was told, it would come before the next.
    see:value(named, erlang:system_flag(system_logger, undefined) =:= Named),
    silent(),
    see:value(nobody, erlang:system_flag(system_logger, Named)),
    unlink(Named),
    {_, Ref} = {exit(Named, kill), monitor(process, Named)},
    receive {'DOWN', Ref, process, Named, _} -> ok end,
    report(after_its_end),
    see:value(then, erlang:system_info(system_logger)),
    see:value(dead, erlang:system_flag(system_logger, Named)),
    report(while_dead),
    [see:that(Label, fun() -> erlang:system_flag(system_logger, Bad) end)
     || {Label, Bad} <- [{atom, foo}, {nil, []}, {reference, make_ref()}, {number, 1}, {tuple, {Logger}}]],
    see:value(at_last, erlang:system_flag(system_logger, Logger)),
    report(as_named).

forward(Tag, Main) ->
    receive Message -> Main ! {Tag, Message}, forward(Tag, Main) end.

report(When) ->
    {Pid, Ref} = spawn_monitor(fun() -> error(When) end),
    receive {'DOWN', Ref, process, Pid, _} -> ok end,
    receive
        {Tag, {log, Level, Format, [Pid, {Reason, _}], #{pid := Pid, error_logger := Where}}} ->
            see:value(When, {Tag, Level, Format, Reason, Where})
    end.

silent() ->
    {Pid, Ref} = spawn_monitor(fun() -> error(silent) end),
    receive {'DOWN', Ref, process, Pid, _} -> ok end.
