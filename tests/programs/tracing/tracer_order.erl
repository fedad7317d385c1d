%% In what order a module that is a tracer is asked and told, and match specifications are run; and what enif_self is
%% meanwhile.
%% args: +S 1:1
%% needs: erl_nif.h
-module(tracer_order).
-export([main/0, init/0, enabled/3, trace/5, say/1]).
-export([called/1, failing/1, child/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).
enabled(_, _, _) -> erlang:nif_error(not_loaded).
trace(_, _, _, _, _) -> erlang:nif_error(not_loaded).
say(_) -> erlang:nif_error(not_loaded).

called(X) -> {X, self()}.
failing(X) -> error(X).
child() -> ok.

main() ->
    [of_events(Event, Pattern, Answer, Flags) || Event <- [send, 'receive'], Pattern <- patterns([]),
        Answer <- [trace, discard, remove], Flags <- [[], [silent]]],
    erlang:trace_pattern(send, true, []),
    erlang:trace_pattern('receive', true, []),
    [of_calls(Pattern, Answer, How, Flags) || Pattern <- patterns([{return_trace}]), Answer <- [trace, discard, remove],
        How <- [local, global, meta], Flags <- [[], [silent], [return_to]]],
    [of_others(Flags, Answer) || Flags <- [[procs], [running], [garbage_collection], [procs, send, 'receive', call]],
        Answer <- [trace, discard, remove]].

patterns(More) ->
    [true, false | [[{'_', Guards, [{display, run} | More] ++ Body}] || {Guards, Body} <- [{[], []},
        {[], [{message, false}]}, {[], [{message, more}]}, {[false], []}]]].

of_events(Event, Pattern, Answer, Flags) ->
    say(list_to_binary(io_lib:format("~w ~0p ~w ~w", [Event, Pattern, Answer, Flags]))),
    erlang:trace_pattern(Event, Pattern, []),
    traced([Event | Flags], Answer, fun() -> self() ! hello, receive hello -> ok end, self() ! again,
        receive again -> ok end end),
    erlang:trace_pattern(Event, true, []).

of_calls(Pattern, Answer, How, Flags) ->
    say(list_to_binary(io_lib:format("call ~0p ~w ~w ~w", [Pattern, Answer, How, Flags]))),
    Options = case How of meta -> [{meta, ?MODULE, state(Answer)}]; _ -> [How] end,
    [erlang:trace_pattern({?MODULE, Name, 1}, Pattern, Options) || Name <- [called, failing]],
    traced([call | Flags], Answer, fun() -> ?MODULE:called(1), catch ?MODULE:failing(1), ok end),
    [erlang:trace_pattern({?MODULE, Name, 1}, false, Options) || Name <- [called, failing]].

of_others(Flags, Answer) ->
    say(list_to_binary(io_lib:format("~w ~w", [Flags, Answer]))),
    traced(Flags, Answer, fun() -> Child = spawn_link(?MODULE, child, []), unlink(Child), garbage_collect() end).

state(Answer) -> maps:from_list([{Tag, Answer} || Tag <- [call, send, 'receive', spawn, link, getting_unlinked, exit,
    in, out, gc_major_start, gc_major_end]]).

traced(Flags, Answer, Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> ok end, say(<<"begins">>), Fun(), say(<<"ends">>) end),
    erlang:yield(),
    1 = erlang:trace(Pid, true, [{tracer, ?MODULE, state(Answer)} | Flags]),
    Pid ! go,
    receive {'DOWN', Monitor, _, _, normal} -> ok end.
