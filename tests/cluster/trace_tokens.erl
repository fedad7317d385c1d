%% seq_trace tokens between nodes.
%% args: -connect_all false
%% timeout: 20
-module(trace_tokens).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    true = net_kernel:connect_node(B),
    tokens(B),
    ends(B).

%% A token goes with a message to the other node and comes back with the answer.
tokens(B) ->
    Pid = cluster:on(B, fun() ->
        spawn(fun() -> receive {From, tell} -> From ! {token, seq_trace:get_token(label), seq_trace:get_token(serial)}
        end end) end),
    seq_trace:set_token(label, 17),
    seq_trace:set_token(send, true),
    Pid ! {self(), tell},
    see:value("token", cluster:next()),
    see:value("token here", [seq_trace:get_token(label), seq_trace:get_token(send)]),
    seq_trace:set_token([]),
    see:value("none", cluster:on(B, fun seq_trace:get_token/0)).

%% A process with a token ends, and one of the other node is linked to it: that node's tracer is told, and the token
%% comes back with the message.
ends(B) ->
    process_flag(trap_exit, true),
    Self = self(),
    {Tracer, Pid} = cluster:on(B, fun() ->
                        Tracer = spawn(fun() -> collect([]) end),
                        seq_trace:set_system_tracer(Tracer),
                        {Tracer, spawn(fun() -> receive {ends, Why} -> exit(Why) end end)}
                    end),
    link(Pid),
    seq_trace:set_token(label, 17),
    [seq_trace:set_token(Flag, true) || Flag <- [send, 'receive']],
    Pid ! {ends, [because, this]},
    see:value("ended", receive {'EXIT', Pid, Why} -> Why end),
    see:value("token of the end", [seq_trace:get_token(What) || What <- [label, send, serial]]),
    seq_trace:set_token([]),
    Told = told(Tracer, 2),
    see:value("told", [{seq_trace, Label, {Kind, Serial, From =:= Self, From =:= Pid, To =:= Self, To =:= Pid,
        message(Message, Pid)}}
                       || {seq_trace, Label, {Kind, Serial, From, To, Message}} <- Told]),
    cluster:on(B, fun() -> seq_trace:set_system_tracer(false) end).

message({'EXIT', Pid, Why}, Pid) -> {'EXIT', it, Why};
message(Message, _) -> Message.

told(Tracer, Count) ->
    Tracer ! {self(), told},
    case receive {Tracer, Told} -> Told end of
        Told when length(Told) >= Count -> Told;
        _ -> receive after 5 -> told(Tracer, Count) end
    end.

collect(Told) ->
    receive
        {From, told} -> From ! {self(), lists:reverse(Told)}, collect(Told);
        Event -> collect([Event | Told])
    end.
