%% Processes that do not use a persistent term, or the literals of a module, are not collected when it goes; one that
%% does keeps what it has.
-module(literals_of_others).
-export([main/0]).

main() ->
    Me = self(),
    Others = [spawn_link(fun() -> wait(Me, {N, integer_to_list(N), <<N:800>>}) end) || N <- lists:seq(1, 20)],
    [receive {ready, Pid} -> ok end || Pid <- Others],
    see:value(ended, [receive {erased, N} -> N end || N <- [erased(N) || N <- lists:seq(1, 5)]]),
    [erlang:trace(Pid, true, [garbage_collection, {tracer, Me}]) || Pid <- Others],
    [erased(N) || N <- lists:seq(6, 10)],
    Holder = spawn_link(fun() -> persistent_term:put(held, term(11)), wait(Me, persistent_term:get(held)) end),
    receive {ready, Holder} -> ok end,
    persistent_term:erase(held),
    %% The areas are freed one after the other, so these are the last.
    timer:sleep(300),
    Delivered = [erlang:trace_delivered(Pid) || Pid <- Others],
    [receive {trace_delivered, _, D} -> ok end || D <- Delivered],
    see:value(collected, length([x || {trace, _, _, _} <- element(2, process_info(Me, messages))])),
    Holder ! {show, Me},
    see:value(held, receive {shown, Term} -> Term =:= term(11) end),
    [begin Pid ! {show, Me}, receive {shown, {N, Text, <<N:800>>}} -> Text = integer_to_list(N) end end
        || {N, Pid} <- lists:zip(lists:seq(1, 20), Others)],
    see:value(others, same).

term(N) -> [{N, I, [I], <<I:600>>} || I <- lists:seq(1, 2000)].

erased(N) ->
    Me = self(),
    persistent_term:put({to_go, N}, term(N)),
    spawn(fun() -> persistent_term:erase({to_go, N}), Me ! {erased, N} end),
    N.

wait(Me, Term) ->
    Me ! {ready, self()},
    receive {show, From} -> From ! {shown, Term} end.
