%% Functions that are traced when a library replaces them stay traced: calls and counts, local and global, are those of
%% stock, before and after, and so are the functions when tracing ends.
%% needs: erl_nif.h
-module(traced_library).
-export([main/0]).

main() ->
    Folder = filename:dirname(code:which(?MODULE)),
    [seen(Folder, How) || How <- [local, global, call_count, call_time, meta, return, both]].

seen(Folder, How) ->
    {module, replaced} = code:load_abs(filename:join(Folder, "replaced")),
    Before = {replaced:number(), replaced:through()},
    Tracer = tracelog:start(),
    erlang:trace(self(), true, [call, {tracer, Tracer}]),
    on(How, Tracer),
    Traced = {replaced:number(), replaced:through()},
    ok = replaced:load(),
    Loaded = {replaced:number(), replaced:through()},
    Info = [counted(How, erlang:trace_info({replaced, number, 0}, What)) || What <- [traced, call_count, meta,
        call_time]],
    erlang:trace_pattern({replaced, '_', '_'}, false, [local | flags(How)]),
    erlang:trace_pattern({replaced, '_', '_'}, false, [global]),
    After = {replaced:number(), replaced:through()},
    on(How, Tracer),
    Again = {replaced:number(), replaced:through()},
    erlang:trace(self(), false, [call]),
    see:value(How, [Before, Traced, Loaded, After, Again]),
    see:value("info", Info),
    [see:value("event", plain(Event)) || Event <- tracelog:events(Tracer, [all])],
    true = code:delete(replaced),
    false = code:purge(replaced).

on(local, _) -> pattern(true, [local]);
on(global, _) -> pattern(true, [global]);
on(call_count, _) -> pattern(true, [call_count]);
on(call_time, _) -> pattern(true, [call_time]);
on(meta, Tracer) -> pattern(true, [{meta, Tracer}]);
on(return, _) -> pattern([{'_', [], [{return_trace}]}], [local]);
on(both, Tracer) -> pattern(true, [local]), pattern(true, [{meta, Tracer}]), pattern(true, [call_count]).

pattern(Specification, Flags) ->
    see:value("functions", erlang:trace_pattern({replaced, '_', '_'}, Specification, Flags)).

flags(call_count) -> [call_count];
flags(call_time) -> [call_time];
flags(meta) -> [meta];
flags(both) -> [meta, call_count];
flags(_) -> [].

%% Times are not compared.
counted(_, {call_time, [{_, Count, _, _}]}) -> {call_time, Count};
counted(_, {meta, Tracer}) when is_pid(Tracer) -> meta;
counted(_, Info) -> Info.

plain({trace, _, Tag, Call}) -> {Tag, Call};
plain({trace, _, Tag, Call, Value}) -> {Tag, Call, Value};
plain({trace_ts, _, Tag, Call, _}) -> {meta, Tag, Call}.
