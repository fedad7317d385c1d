%% Trace sessions: what one traces, what others see of it, and that it ends with the session; dbg, which rests on them.
%% releases: 27 29
%% needs: runtime_tools
-module(sessions_27).
-export([main/0, double/1]).

main() ->
    see:value(at_first, trace:session_info(all)),
    {Strong, Weak} = Session = trace:session_create(one, self(), []),
    see:value(made, {is_reference(Strong), Weak, trace:session_info(all)}),
    see:all([{{bad, A, C}, fun() -> trace:session_create(A, B, C) end} || {A, B, C} <- [{1, self(), []}, {a, b, []},
        {a, self(), [x]}, {a, {m}, []}]]),
    Pid = spawn(fun() -> receive {go, X} -> lists:reverse(X), ?MODULE:double(2) end, receive on -> ?MODULE:double(3)
        end end),
    see:value(on, trace:process(Session, Pid, true, [call, 'receive'])),
    see:value(told, {trace:info(Session, Pid, flags), trace:info(Session, Pid, tracer) =:= {tracer, self()},
        erlang:trace_info(Pid, flags),
                     erlang:trace_info(Pid, tracer), trace:session_info(Pid)}),
    see:value(function, trace:function(Session, {?MODULE, double, 1}, true, [local])),
    see:value(told, {trace:info(Session, {?MODULE, double, 1}, traced), erlang:trace_info({?MODULE, double, 1}, traced),
                     trace:session_info({?MODULE, double, 1}), trace:session_info({?MODULE, main, 0})}),
    see:value(weak, trace:info(Weak, Pid, flags)),
    see:fails([fun() -> trace:info({x, 99}, Pid, flags) end, fun() -> trace:info(foo, Pid, flags) end,
        fun() -> trace:process(make_ref(), Pid, true, [call]) end,
               fun() -> trace:process(Session, Pid, true, [{tracer, self()}]) end,
                   fun() -> trace:process(Session, Pid, true, [foo]) end,
               fun() -> trace:process(Session, Pid, perhaps, [call]) end,
                   fun() -> trace:process(Session, foo, true, [call]) end]),
    see:value(messages, {trace:send(Session, true, []), trace:recv(Session, true, []),
        trace:info(Session, send, match_spec)}),
    see:value(new, {trace:session_info(new), trace:info(Session, new, flags)}),
    Pid ! {go, [1]},
    see:value(came, [told() || _ <- [1, 2]]),
    see:value(not_mine, {erlang:trace(Pid, false, [all]), trace:info(Session, Pid, flags)}),
    see:value(destroyed, {trace:session_destroy(Session), trace:session_destroy(Session), trace:session_info(all),
                          erlang:trace_info({?MODULE, double, 1}, traced)}),
    see:fails([fun() -> trace:process(Session, Pid, true, [call]) end, fun() -> trace:info(Session, Pid, flags) end,
               fun() -> trace:function(Session, {?MODULE, double, 1}, true, []) end]),
    Monitor = monitor(process, Pid),
    Pid ! on,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    see:value(nothing, receive Any -> Any after 0 -> nothing end),
    see:value(by_weak, begin {_, Other} = trace:session_create(two, self(), []), trace:session_destroy(Other) end),
    later(),
    with_dbg().

%% A session may trace after another, also the same function, and what erlang:trace/3 does then is its own.
later() ->
    Session = trace:session_create(later, self(), []),
    1 = trace:process(Session, self(), true, [call, return_to]),
    1 = trace:function(Session, {?MODULE, double, 1}, [{'_', [], [{return_trace}]}], [local]),
    true = trace:session_destroy(Session),
    Self = self(),
    Tracer = spawn(fun() -> collect(Self, []) end),
    1 = erlang:trace(self(), true, [call, {tracer, Tracer}]),
    1 = erlang:trace_pattern({?MODULE, double, 1}, true, [local]),
    ?MODULE:double(21),
    1 = erlang:trace(self(), false, [all]),
    1 = erlang:trace_pattern({?MODULE, double, 1}, false, [local]),
    Tracer ! stop,
    see:value(later, receive {collected, All} -> [setelement(2, M, self) || M <- All] end).

with_dbg() ->
    Self = self(),
    {ok, _} = dbg:tracer(process, {fun(Message, All) -> Self ! {dbg, Message}, All end, []}),
    {ok, [{matched, _, 1}]} = dbg:p(self(), [c]),
    {ok, [{matched, _, 1}, {saved, 1}]} = dbg:tpl(?MODULE, double, 1, [{'_', [], [{return_trace}]}]),
    ?MODULE:double(4),
    see:value(dbg, [receive {dbg, M} -> setelement(2, M, self) end || _ <- [1, 2]]),
    dbg:stop().

double(X) -> X * 2.

told() -> receive T when element(1, T) =:= trace -> setelement(2, T, tracee) end.

collect(To, Found) ->
    receive
        stop -> To ! {collected, lists:reverse(Found)};
        Message -> collect(To, [Message | Found])
    end.
