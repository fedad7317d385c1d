%% Modules as tracers: what they are asked and told, and what becomes of what they answer.
%% args: +S 1:1
%% needs: erl_nif.h
-module(tracer_modules).
-export([main/0, init/0, enabled/3, trace/5, enabled_send/3, trace_send/5, trace_procs/5]).
-export([called/1, failing/1, child/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).
enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
enabled_send(_, _, _) -> erlang:nif_error(not_loaded).
trace_send(_, _, _, _, _) -> erlang:nif_error(not_loaded).
trace_procs(_, _, _, _, _) -> erlang:nif_error(not_loaded).

called(X) -> {X, self()}.
failing(X) -> error(X).
child() -> ok.

main() ->
    invalid(),
    All = maps:from_list([{Tag, trace} || Tag <- tags()]),
    erlang:trace_pattern({?MODULE, called, 1}, true, [local]),
    erlang:trace_pattern({?MODULE, failing, 1}, [{'_', [], [{exception_trace}]}], [local]),
    [told(Label, Answers, Flags) || {Label, Answers} <- answers(All),
        Flags <- [[call], [call, arity, monotonic_timestamp], [send, scheduler_id, strict_monotonic_timestamp],
                  ['receive', timestamp], [procs], [send, call, procs, 'receive']]],
    erlang:trace_pattern({?MODULE, called, 1}, [{'_', [], [{return_trace}, {message, {{seen, {caller}}}}]}], [local]),
    told(specification, All, [call]),
    told(specification_discarded, All#{call => discard}, [call]),
    erlang:trace_pattern({?MODULE, called, 1}, [{'_', [], [{message, false}, {return_trace}]}], [local]),
    told(return_only, All, [call, return_to]),
    erlang:trace_pattern({?MODULE, '_', '_'}, false, [local]),
    meta(All),
    others(All),
    newcomers(All),
    sequences(All),
    ports(All),
    unloaded(All).

tags() -> [trace_status, call, send, send_to_non_existing_process, 'receive', spawn, spawned, exit, link, unlink,
           getting_linked, getting_unlinked, register, unregister, open, closed, seq_trace, gc_major_start,
           gc_major_end].

answers(All) ->
    [{all, All}, {nothing, #{}}, {no_call, All#{call => discard}}, {no_send, All#{send => discard}},
     {gone, All#{trace_status => remove}}].

invalid() ->
    [see:that(options, fun() -> erlang:trace(self(), true, [call | Options]) end)
     || Options <- [[{tracer, foobar}], [{tracer, foobar, []}], [{tracer, make_ref(), []}], [{tracer, lists, []}],
                    [{tracer, erl_tracer, self(), more}]]],
    [see:that(pattern, fun() -> erlang:trace_pattern({?MODULE, called, 1}, true, Flags) end)
     || Flags <- [[{meta, foobar}], [{meta, foobar, []}], [{meta, lists, []}], [{meta, 1, []}]]].

%% What a process that is traced by the module does.
told(Label, Answers, Flags) ->
    Me = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> ok end, work(Me) end),
    State = {Answers, Me},
    io:format("~w ~w~n", [Label, Flags]),
    see:that(trace, fun() -> erlang:trace(Pid, true, [{tracer, ?MODULE, State} | Flags]) end),
    see:value(info, [tracelog:named(erlang:trace_info(Pid, Item), #{Me => main}) || Item <- [flags, tracer]]),
    Pid ! go,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    show(#{Pid => tracee, Me => main}).

work(Me) ->
    called(1),
    catch failing(2),
    self() ! hello,
    receive hello -> ok end,
    Child = spawn_link(?MODULE, child, []),
    unlink(Child),
    register(tracer_modules_tracee, self()),
    Me ! {from, tracee},
    exit(done).

show(Names) ->
    receive
        {trace_delivered, _, _} -> show(Names);
        Message -> io:format("    ~0tp~n", [tracelog:named(Message, Names)]), show(Names)
    after 0 -> ok
    end.

meta(All) ->
    Me = self(),
    [begin
         State = {Answers, Me},
         io:format("meta ~w ~w~n", [Label, Specification]),
         erlang:trace_pattern({?MODULE, called, 1}, Specification, [{meta, ?MODULE, State}]),
         see:value(meta, tracelog:named(erlang:trace_info({?MODULE, called, 1}, meta), #{Me => main})),
         called(1),
         garbage_collect(),
         see:value(meta, tracelog:named(erlang:trace_info({?MODULE, called, 1}, meta), #{Me => main})),
         {all, About} = erlang:trace_info({?MODULE, called, 1}, all),
         see:value(all, tracelog:named(lists:keyfind(meta, 1, About), #{Me => main})),
         show(#{Me => main}),
         erlang:trace_pattern({?MODULE, called, 1}, false, [meta])
     end || {Label, Answers} <- answers(All), Specification <- [true, [{'_', [], [{return_trace}]}]]].

%% A second tracer, which is refused while the first one is there; a tracer that goes.
others(All) ->
    Me = self(),
    Pid = spawn(fun() -> receive stop -> ok end end),
    1 = erlang:trace(Pid, true, [procs, {tracer, ?MODULE, {All, Me}}]),
    logger:set_primary_config(level, none),
    see:that(second, fun() -> erlang:trace(Pid, true, [procs, {tracer, ?MODULE, {All, Me}}]) end),
    see:that(process, fun() -> erlang:trace(Pid, true, [procs]) end),
    see:that(off, fun() -> erlang:trace(Pid, false, [procs]) end),
    see:that(process, fun() -> erlang:trace(Pid, true, [procs]) end),
    erlang:trace(Pid, false, [all]),
    1 = erlang:trace(Pid, true, [procs, {tracer, ?MODULE, {All#{trace_status => remove}, Me}}]),
    see:that(after_gone, fun() -> erlang:trace(Pid, true, [send]) end),
    see:value(flags, erlang:trace_info(Pid, flags)),
    erlang:trace(Pid, false, [all]),
    1 = erlang:trace(Pid, true, [procs, {tracer, ?MODULE, an_atom}]),
    see:value(tracer, erlang:trace_info(Pid, tracer)),
    see:that(same, fun() -> erlang:trace(Pid, true, [send, {tracer, ?MODULE, an_atom}]) end),
    see:value(flags, erlang:trace_info(Pid, flags)),
    Pid ! stop.

newcomers(All) ->
    Me = self(),
    erlang:trace(new_processes, true, [procs, {tracer, ?MODULE, {All, Me}}]),
    see:value(new, tracelog:named(erlang:trace_info(new_processes, tracer), #{Me => main})),
    {Pid, Monitor} = spawn_monitor(?MODULE, child, []),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    erlang:trace(new_processes, false, [procs]),
    show(#{Me => main, Pid => child}),
    erlang:trace(new_processes, true, [procs, {tracer, ?MODULE, {All#{trace_status => remove}, Me}}]),
    see:value(new, erlang:trace_info(new_processes, tracer)).

sequences(All) ->
    Me = self(),
    see:value(before, seq_trace:set_system_tracer({?MODULE, {All, Me}})),
    see:value(tracer, tracelog:named(seq_trace:get_system_tracer(), #{Me => main})),
    [begin
         Pid = spawn(fun() ->
             seq_trace:set_token(label, 17), seq_trace:set_token(print, true),
             [seq_trace:set_token(Stamp, true) || Stamp <- Stamps],
             seq_trace:print(17, "printed"), Me ! printed
         end),
         receive printed -> ok end,
         show(#{Me => main, Pid => printer}),
         seq_trace:set_token([])
     end || Stamps <- [[], [timestamp], [monotonic_timestamp], [strict_monotonic_timestamp]]],
    seq_trace:set_system_tracer({?MODULE, {#{}, Me}}),
    seq_trace:set_token(print, true),
    seq_trace:print("not told"),
    seq_trace:set_token([]),
    show(#{Me => main}),
    see:that(bad, fun() -> seq_trace:set_system_tracer({lists, []}) end),
    see:that(gone, fun() -> seq_trace:set_system_tracer({?MODULE, {#{trace_status => remove}, Me}}) end),
    seq_trace:set_system_tracer(false).

ports(All) ->
    Me = self(),
    Port = open_port({spawn, "cat"}, []),
    1 = erlang:trace(Port, true, [ports, send, {tracer, ?MODULE, {All, Me}}]),
    see:value(port, tracelog:named(erlang:trace_info(Port, tracer), #{Me => main})),
    port_command(Port, "abc"),
    receive {Port, {data, "abc"}} -> ok end,
    port_close(Port),
    show(#{Me => main, Port => port}).

%% The module is deleted: whoever it traces is not traced any more at its next call.
unloaded(All) ->
    Me = self(),
    Pid = spawn(fun F() -> receive stop -> ok; {From, X} -> lists:seq(1, X), From ! done, F() end end),
    erlang:trace_pattern({lists, seq, 2}, true, []),
    1 = erlang:trace(Pid, true, [call, {tracer, ?MODULE, {All, Me}}]),
    Pid ! {Me, 2}, receive done -> ok end,
    show(#{Me => main, Pid => tracee}),
    finish(Me, Pid).

finish(Me, Pid) ->
    true = code:delete(?MODULE),
    Pid ! {Me, 3}, receive done -> ok end,
    see:value(flags, erlang:trace_info(Pid, flags)),
    see:value(tracer, erlang:trace_info(Pid, tracer)).
