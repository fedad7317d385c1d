%% The system monitor's long_message_queue: told when a queue becomes long, and when it no longer is.
%% releases: 27 29
-module(long_queues).
-export([main/0, loop/0]).

main() ->
    Self = self(),
    Known = fun({P, O}) when P =:= Self -> {self, O}; (X) -> X end,
    P = spawn(fun loop/0),
    see:value(set, [Known(erlang:system_monitor(self(), O))
        || O <- [[{long_message_queue, {5, 10}}, busy_port, {long_gc, 1000}], [{long_message_queue, {5, 10}}]]]),
    see:value(now, Known(erlang:system_monitor())),
    see:value(wrong, [try erlang:system_monitor(see:id(Self), [{long_message_queue, V}]) catch error:R -> R end
                      || V <- [{5, 5}, {6, 5}, {-1, 5}, {a, 5}, {1, b}, 5, {1, 2, 3}, true, {0, 0},
                          {1 bsl 70, 1 bsl 71}]]),
    % What asks whether all is seen counts, too.
    fill(P, 8), nothing(P),
    fill(P, 1), told(P),
    fill(P, 20), nothing(P),
    empty(P, 23), nothing(P),
    empty(P, 1), told(P),
    empty(P, 5), nothing(P),
    fill(P, 30), told(P),
    % A process that is new, and what is no longer wanted.
    Q = spawn(fun loop/0),
    fill(Q, 10), told(Q),
    _ = erlang:system_monitor(undefined),
    empty(Q, 10), empty(P, 30), nothing(Q),
    fill(Q, 10), nothing(Q),
    % A process that works and never receives.
    _ = erlang:system_monitor(self(), [{long_message_queue, {5, 10}}]),
    B = spawn(fun busy/0),
    [B ! filled || _ <- lists:seq(1, 9)], nothing(B),
    B ! filled, told(B),
    exit(B, kill),
    % The monitor is not told of its own queue.
    _ = erlang:system_monitor(self(), [{long_message_queue, {0, 3}}]),
    [self() ! mine || _ <- [1, 2, 3, 4]],
    see:value(own, [receive mine -> ok end || _ <- [1, 2, 3, 4]]),
    nothing(P),
    fill(P, 3), told(P),
    _ = erlang:system_monitor(self(), []),
    see:value(off, erlang:system_monitor()),
    [exit(X, kill) || X <- [P, Q]].

busy() -> lists:seq(1, see:id(1000)), busy().

%% Takes messages only when it is asked to, and has seen all before it answers.
loop() ->
    receive
        {empty, N, To} -> [receive filled -> ok end || _ <- lists:seq(1, N)], To ! done, loop();
        {sees, To} -> To ! done, loop()
    end.

fill(P, N) -> [P ! filled || _ <- lists:seq(1, N)], P ! {sees, self()}, receive done -> ok end.

empty(P, N) -> P ! {empty, N, self()}, receive done -> ok end.

told(P) -> see:value(told, receive {monitor, P, long_message_queue, Long} -> Long end), nothing(P).

nothing(P) -> see:value(nothing, receive {monitor, P, _, _} = M -> setelement(2, M, p) after 30 -> nothing end).
