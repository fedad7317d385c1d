%% seq_trace tokens between nodes.
%% args: -connect_all false
%% timeout: 20
-module(trace_tokens).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    true = net_kernel:connect_node(B),
    tokens(B).

%% A token goes with a message to the other node and comes back with the answer.
tokens(B) ->
    Pid = cluster:on(B, fun() -> spawn(fun() -> receive {From, tell} -> From ! {token, seq_trace:get_token(label), seq_trace:get_token(serial)} end end) end),
    seq_trace:set_token(label, 17),
    seq_trace:set_token(send, true),
    Pid ! {self(), tell},
    see:value("token", cluster:next()),
    see:value("token here", [seq_trace:get_token(label), seq_trace:get_token(send)]),
    seq_trace:set_token([]),
    see:value("none", cluster:on(B, fun seq_trace:get_token/0)).
