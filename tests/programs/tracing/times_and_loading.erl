%% call_time (the calls, not the times), what is traced of modules that are loaded later, and what is left of tracing
%% when a module is loaded again or deleted.
%% args: +S 1:1
-module(times_and_loading).
-export([main/0, outer/1, inner/1, deep/1, fails/1]).

outer(N) -> inner(N) + inner(N + 1).
inner(N) -> N * 2.
deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).
fails(N) -> try error(N) catch error:N -> inner(N) end.

main() ->
    Me = self(),
    Pid = spawn(fun() -> Me ! up, wait() end),
    receive up -> ok end,
    times(Pid),
    loading(Pid),
    ok.

wait() -> receive {F, From} -> R = F(), From ! {done, R}, wait() end.

run(Pid, F) -> Pid ! {F, self()}, receive {done, R} -> R end.

calls(Pid) ->
    [{F, case erlang:trace_info({?MODULE, F, 1}, call_time) of
             {call_time, L} when is_list(L) -> [{P =:= Pid, Calls} || {P, Calls, S, Us} <- L, is_integer(S),
                 Us < 1000000];
             Other -> Other
         end} || F <- [outer, inner, deep, fails]].

times(Pid) ->
    All = fun() -> {outer(1), deep(100), fails(3)} end,
    see:value(set, [erlang:trace_pattern({?MODULE, F, 1}, true, [call_time]) || F <- [outer, inner, deep, fails]]),
    see:value(untraced_process, {run(Pid, All), calls(Pid)}),
    erlang:trace(Pid, true, [call]),
    see:value(traced, {run(Pid, All), calls(Pid)}),
    see:value(again, {run(Pid, All), calls(Pid)}),
    see:value(pause, [erlang:trace_pattern({?MODULE, F, 1}, pause, [call_time]) || F <- [outer, inner]]),
    see:value(paused, {run(Pid, All), calls(Pid)}),
    see:value(restart, [erlang:trace_pattern({?MODULE, F, 1}, restart, [call_time]) || F <- [outer, deep]]),
    see:value(restarted, {run(Pid, All), calls(Pid)}),
    see:value(off, [erlang:trace_pattern({?MODULE, F, 1}, false, [call_time]) || F <- [outer, inner]]),
    see:value(some, {run(Pid, All), calls(Pid)}),
    erlang:trace_pattern({'_', '_', '_'}, false, [call_time]),
    see:value(none, calls(Pid)).

version(N) ->
    Forms = [{attribute, 1, module, tal_loaded}, {attribute, 2, export, [{f, 1}]},
             {function, 3, f, 1, [{clause, 3, [{var, 3, 'X'}], [], [{call, 3, {atom, 3, g}, [{var, 3, 'X'}]}]}]},
             {function, 4, g, 1, [{clause, 4, [{var, 4, 'X'}], [], [{tuple, 4, [{integer, 4, N}, {var, 4, 'X'}]}]}]}],
    {ok, tal_loaded, Code} = compile:forms(Forms, []),
    Code.

infos() -> [erlang:trace_info(F, I) || F <- [{tal_loaded, f, 1}, {tal_loaded, g, 1}, on_load],
                                       I <- [traced, match_spec, meta_match_spec, call_count]].

loading(Pid) ->
    [V1, V2, V3] = [version(N) || N <- [1, 2, 3]],
    erlang:trace(Pid, true, [call]),
    Load = fun(V) ->
                   code:purge(tal_loaded),
                   {module, tal_loaded} = code:load_binary(tal_loaded, "tal_loaded.erl", V)
           end,
    Call = fun(Label) ->
                   R = run(Pid, fun() -> tal_loaded:f(a) end),
                   Ref = erlang:trace_delivered(Pid),
                   receive {trace_delivered, Pid, Ref} -> ok end,
                   see:value(Label, {R, events(Pid, []), infos()})
           end,
    Load(V1),
    Call(nothing),
    see:value(on_load, erlang:trace_pattern(on_load, [{'_', [], [{message, loaded}]}], [local])),
    Call(before),
    Load(V2),
    Call(local),
    see:value(count, erlang:trace_pattern(on_load, true, [call_count])),
    Load(V3),
    Call(both),
    see:value(no_local, erlang:trace_pattern(on_load, false, [local])),
    Load(V1),
    Call(count_only),
    see:value(global, erlang:trace_pattern(on_load, true, [global])),
    Load(V2),
    Call(global),
    see:value(off, erlang:trace_pattern(on_load, false, [global])),
    Load(V3),
    Call(off),
    see:value(set, erlang:trace_pattern({tal_loaded, '_', '_'}, true, [local])),
    Call(set),
    Load(V1),
    Call(loaded_again),
    see:value(set_global, erlang:trace_pattern({tal_loaded, f, 1}, true, [global])),
    Call(set_global),
    code:purge(tal_loaded),
    see:value(deleted, code:delete(tal_loaded)),
    see:value(infos, infos()).

events(Pid, Events) ->
    receive
        {trace, Pid, call, {tal_loaded, _, _} = Call} -> events(Pid, [Call | Events]);
        {trace, Pid, call, {tal_loaded, _, _} = Call, M} -> events(Pid, [{Call, M} | Events]);
        {trace, Pid, _, _} -> events(Pid, Events)
    after 0 -> lists:reverse(Events)
    end.
