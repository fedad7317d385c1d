%% What a native library sends for a process that is traced or has a token of sequential trace, with an environment of
%% its own and without.
%% needs: erl_nif.h
-module(traced_sends).
-export([main/0, init/0, send/2, send_own/2, send_dirty/2, send_own_dirty/2]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).
send(_, _) -> erlang:nif_error(not_loaded).
send_own(_, _) -> erlang:nif_error(not_loaded).
send_dirty(_, _) -> erlang:nif_error(not_loaded).
send_own_dirty(_, _) -> erlang:nif_error(not_loaded).

ways() -> [send, send_own, send_dirty, send_own_dirty].

main() ->
    [traced(Way) || Way <- ways()],
    [saved(Way) || Way <- ways()],
    [token(Way) || Way <- ways()],
    [taken(Way) || Way <- ways()].

%% `send' of the tracer, to others, itself and one that is gone, with a specification that changes what is told.
traced(Way) ->
    Tracer = tracelog:start(),
    Self = self(),
    {Gone, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    [begin
         {Pid, Ends} = spawn_monitor(fun() -> receive go -> ok end,
             exit([?MODULE:Way(To, {hello, [1, 2]}) || To <- [Self, self(), Gone]]) end),
         erlang:trace_pattern(send, Pattern, []),
         1 = erlang:trace(Pid, true, [send, {tracer, Tracer}]),
         Pid ! go,
         receive {'DOWN', Ends, _, _, Reason} -> see:value(Way, Reason) end,
         receive {hello, _} -> ok end,
         tracelog:show(Way, tracelog:events(Tracer, [Pid]), #{Pid => tracee, Self => main, Gone => gone})
     end || Pattern <- [true, [{['$1', {'$2', '_'}], [], [{message, {{'$2'}}}]}], [{['_', other], [], []}], false]],
    erlang:trace_pattern(send, true, []),
    tracelog:stop(Tracer).

saved(Way) ->
    process_flag(save_calls, 10),
    ?MODULE:Way(self(), hello),
    receive hello -> ok end,
    {last_calls, Calls} = process_info(self(), last_calls),
    process_flag(save_calls, 0),
    see:value(saved, [Call || Call <- Calls, Call =:= send orelse Call =:= 'receive']).

%% A token that the sender has.
token(Way) ->
    Tracer = tracelog:start(),
    Self = self(),
    seq_trace:set_system_tracer(Tracer),
    {Pid, Monitor} = spawn_monitor(fun() ->
        seq_trace:set_token(label, 17),
        [seq_trace:set_token(Flag, true) || Flag <- [send, 'receive']],
        ?MODULE:Way(Self, hello),
        exit({seq_trace:get_token(label), seq_trace:get_token(serial)})
    end),
    receive hello -> ok end,
    Token = {seq_trace:get_token(label), seq_trace:get_token(serial)},
    seq_trace:set_token([]),
    see:value(Way, Token),
    receive {'DOWN', Monitor, _, _, Reason} -> see:value(sender, Reason) end,
    seq_trace:set_system_tracer(false),
    tracelog:show(Way, tracelog:events(Tracer, [Self]), #{Pid => sender, Self => main}),
    tracelog:stop(Tracer).

%% The token of the receiver, when the sender has none.
taken(Way) ->
    Self = self(),
    seq_trace:set_token(label, 18),
    Pid = spawn(fun() -> receive go -> seq_trace:set_token([]), ?MODULE:Way(Self, hello) end end),
    Pid ! go,
    receive hello -> ok end,
    see:value(Way, seq_trace:get_token(label)),
    seq_trace:set_token([]).
