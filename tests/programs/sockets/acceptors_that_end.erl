%% A listening socket whose acceptors end: it no longer says that it accepts, and the next one is served.
-module(acceptors_that_end).
-export([main/0]).

main() ->
    {ok, Listener} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}, binary, {active, false}]),
    {ok, Number} = inet:port(Listener),
    see:value(listening, states(Listener)),
    Acceptors = [acceptor(Listener) || _ <- [1, 2, 3]],
    until(Listener, fun(States) -> lists:member(accepting, States) end),
    see:value(accepting, states(Listener)),
    [First | Others] = Acceptors,
    kill(First),
    see:value(one_has_ended, states(Listener)),
    lists:foreach(fun kill/1, Others),
    see:value(all_have_ended, states(Listener)),
    Next = acceptor(Listener),
    until(Listener, fun(States) -> lists:member(accepting, States) end),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Number, [binary, {active, false}]),
    receive {Next, accepted, Accepted} -> see:value(accepted, Accepted) end,
    see:value(afterwards, states(Listener)),
    Late = acceptor(Listener),
    until(Listener, fun(States) -> lists:member(accepting, States) end),
    gen_tcp:close(Listener),
    receive {Late, accepted, Failed} -> see:value(closed, Failed) end,
    gen_tcp:close(Socket).

states(Socket) -> maps:get(states, inet:info(Socket)).

until(Socket, Holds) ->
    case Holds(states(Socket)) of
        true -> ok;
        false -> erlang:yield(), until(Socket, Holds)
    end.

acceptor(Listener) ->
    Main = self(),
    spawn(fun() -> Main ! {self(), accepted, element(1, Result = gen_tcp:accept(Listener))}, Result end).

kill(Pid) ->
    Ref = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Ref, process, Pid, _} -> ok end.
