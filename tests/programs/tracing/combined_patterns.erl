%% Patterns for a function for which there is one already: each of pause, restart, true and false, by each flag, after
%% each other one; how many events two calls then make, and what trace_info/2 says.
-module(combined_patterns).
-export([main/0, f/1]).

f(X) -> X.

main() ->
    Tracer = tracelog:start(),
    see:value("loaded", of_loaded(Tracer)),
    1 = erlang:trace(self(), true, [call, {tracer, Tracer}]),
    [combined(Tracer, Before, How, Flags)
     || Before <- [{false, []}, {true, [{meta, Tracer}]}, {true, [local]}, {true, [local, {meta, Tracer}]},
         {true, [global]}, {true, [call_count]},
                   {true, [local, call_count, call_time, {meta, Tracer}]}],
        How <- [pause, restart, true, false],
        Flags <- [[], [global], [local], [{meta, Tracer}], [call_count], [call_time], [local, {meta, Tracer}],
            [local, call_count]]].

%% A global pattern takes the tracer of meta tracing away.
of_loaded(Tracer) ->
    [begin
         pattern_of_loaded(true, [local, {meta, Tracer}, call_count]),
         pattern_of_loaded(Specification, Flags),
         {all, Items} = erlang:trace_info(on_load, all),
         [pattern_of_loaded(false, All) || All <- [[local, meta, call_count, call_time], [global]]],
         Items =/= false andalso {traced(Items), lists:keyfind(meta, 1, Items) =:= {meta, Tracer}}
     end || Specification <- [true, false], Flags <- [[], [local], [{meta, Tracer}]]].

pattern_of_loaded(Specification, Flags) -> erlang:trace_pattern(on_load, Specification, Flags).

traced(Items) -> [Item || Item = {What, _} <- Items,
    lists:member(What, [traced, match_spec, meta_match_spec, call_count])].

combined(Tracer, {Before, FlagsBefore}, How, Flags) ->
    pattern(Before, FlagsBefore),
    Changed = pattern(How, Flags),
    _ = ?MODULE:f(1),
    _ = f(2),
    Events = tracelog:events(Tracer, [self()]),
    Info = [info(Item) || Item <- [traced, meta, match_spec, meta_match_spec, call_count, call_time]],
    pattern(false, [local, meta, call_count, call_time]),
    pattern(false, [global]),
    see:value(io_lib:format("~w ~w, ~w ~w", [Before, shown(FlagsBefore), How, shown(Flags)]),
        {Changed, length(Events), Info}).

pattern(Specification, Flags) -> erlang:trace_pattern({?MODULE, f, 1}, Specification, Flags).

shown(Flags) -> [case Flag of {meta, _} -> meta; _ -> Flag end || Flag <- Flags].

info(Item) ->
    case erlang:trace_info({?MODULE, f, 1}, Item) of
        {meta, Tracer} when is_pid(Tracer) -> meta;
        {call_time, [{_, Count, _, _}]} -> {call_time, Count};
        Other -> Other
    end.
