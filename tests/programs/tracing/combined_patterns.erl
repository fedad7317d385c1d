%% Patterns for a function, and for a BIF, for which there is one already: each of pause, restart, true and false, by
%% each flag, after each other one; how many events two calls then make, and what trace_info/2 says.
-module(combined_patterns).
-export([main/0, f/1]).

f(X) -> X.

main() ->
    Tracer = tracelog:start(),
    see:value("loaded", of_loaded(Tracer)),
    1 = erlang:trace(self(), true, [call, {tracer, Tracer}]),
    [combined(Tracer, Function, Before, How, Flags)
     || Function <- [{?MODULE, f, 1}, {erlang, adler32, 1}],
        Before <- [{false, []}, {true, [{meta, Tracer}]}, {true, [local]}, {true, [local, {meta, Tracer}]},
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

combined(Tracer, Function, {Before, FlagsBefore}, How, Flags) ->
    pattern(Function, Before, FlagsBefore),
    Changed = pattern(Function, How, Flags),
    called(Function),
    Events = tracelog:events(Tracer, [self()]),
    Info = [info(Function, Item) || Item <- [traced, meta, match_spec, meta_match_spec, call_count, call_time]],
    pattern(Function, false, [local, meta, call_count, call_time]),
    pattern(Function, false, [global]),
    see:value(io_lib:format("~w: ~w ~w, ~w ~w", [element(2, Function), Before, shown(FlagsBefore), How, shown(Flags)]),
        {Changed, length(Events), Info}).

called({?MODULE, f, 1}) -> {_, _} = {?MODULE:f(1), f(2)};
called({erlang, adler32, 1}) -> {1, 1} = {erlang:adler32([]), erlang:adler32(<<>>)}.

pattern(Function, Specification, Flags) -> erlang:trace_pattern(Function, Specification, Flags).

shown(Flags) -> [case Flag of {meta, _} -> meta; _ -> Flag end || Flag <- Flags].

info(Function, Item) ->
    case erlang:trace_info(Function, Item) of
        {meta, Tracer} when is_pid(Tracer) -> meta;
        {call_time, [{_, Count, _, _}]} -> {call_time, Count};
        Other -> Other
    end.
