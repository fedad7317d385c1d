%% A message that the machine sends by itself leaves the receiver's token of sequential trace alone; one that a process
%% sends without a token takes it away. And return_trace in patterns of messages is taken, and says nothing.
-module(own_messages).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    Gone = spawn(fun() -> ok end),
    wait_for_end(Gone),
    [see:value(Name, kept(Fun, Gone)) || {Name, Fun} <- ways()],
    [see:value("taken", erlang:trace_pattern(What, [{'_', [], [Action]}], [])) || What <- [send, 'receive'],
        Action <- [{return_trace}, {exception_trace}]],
    Tracer = tracelog:start(),
    Pid = spawn(fun Loop() -> receive {From, Text} -> From ! {self(), Text}, Loop() end end),
    1 = erlang:trace(Pid, true, [send, 'receive', {tracer, Tracer}]),
    Pid ! {self(), text},
    receive {Pid, text} -> ok end,
    tracelog:show(events, tracelog:events(Tracer, [Pid]), #{self() => main, Pid => pid}),
    [erlang:trace_pattern(What, true, []) || What <- [send, 'receive']].

wait_for_end(Pid) ->
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, process, _, _} -> ok end.

ways() ->
    Self = self(),
    [{trace_delivered, fun(_) -> R = erlang:trace_delivered(all), receive {trace_delivered, all, R} -> ok end end},
     {timer, fun(_) -> erlang:send_after(0, Self, timer), receive timer -> ok end end},
     {timer_name, fun(_) -> true = register(name, self()), R = erlang:start_timer(0, name, t),
         receive {timeout, R, t} -> unregister(name) end end},
     {cancelled, fun(_) -> R = erlang:start_timer(10000, Self, t), erlang:cancel_timer(R, [{async, true}]),
         receive {cancel_timer, R, _} -> ok end end},
     {down, fun(Gone) -> wait_for_end(Gone) end},
     {link, fun(Gone) -> catch link(Gone), receive {'EXIT', _, _} -> ok end end},
     {port, fun(_) -> Port = open_port({spawn, "echo a"}, [exit_status]), receive {Port, {data, _}} -> ok end,
         receive {Port, {exit_status, 0}} -> ok end, receive {'EXIT', Port, _} -> ok end end},
     {port_down, fun(_) -> Port = open_port({spawn, "cat"}, []), M = monitor(port, Port), port_close(Port),
         receive {'DOWN', M, port, _, _} -> ok end, receive {'EXIT', Port, _} -> ok end end},
     {self, fun(_) -> Self ! self, receive self -> ok end end},
     {other, fun(_) -> seq_trace:set_token([]), spawn(fun() -> timer:sleep(20), Self ! other end),
         seq_trace:set_token(label, 3), receive other -> ok end end}].

kept(Fun, Gone) ->
    seq_trace:set_token(label, 5),
    Fun(Gone),
    Token = seq_trace:get_token(label),
    seq_trace:set_token([]),
    Token.
