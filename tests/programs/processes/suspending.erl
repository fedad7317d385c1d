%% suspend_process and resume_process.
-module(suspending).
-export([main/0]).

main() ->
    P = spawn(fun() -> loop() end),
    see:value(suspend, [erlang:suspend_process(P), process_info(P, status)]),
    P ! {self(), ping},
    see:value(silent, receive pong -> pong after 30 -> silent end),
    see:value(queued, process_info(P, message_queue_len)),
    see:value(suspending, begin {suspending, L} = process_info(self(), suspending), [{P =:= X, A, B} || {X, A, B} <- L]
        end),
    see:value(resume, erlang:resume_process(P)),
    see:value(answers, receive pong -> pong after 5000 -> silent end),
    see:value(twice, [erlang:suspend_process(P), erlang:suspend_process(P), erlang:resume_process(P),
        process_info(P, status), erlang:resume_process(P)]),
    P ! {self(), ping}, see:value(answers_again, receive pong -> pong after 5000 -> silent end),
    see:value(unless, [erlang:suspend_process(P, [unless_suspending]), erlang:suspend_process(P, [unless_suspending]),
        erlang:resume_process(P)]),
    see:value(owner_dies, begin Me = self(), {Q, R} = spawn_monitor(fun() -> erlang:suspend_process(P), Me ! did end),
        receive did -> ok end, receive {'DOWN', R, _, Q, _} -> ok end, P ! {self(), ping},
    receive pong -> pong after 5000 -> silent end end),
    see:value(kill_suspended, begin {S, R2} = spawn_monitor(fun() -> loop() end), erlang:suspend_process(S),
        exit(S, kill), receive {'DOWN', R2, _, S, X} -> X after 5000 -> alive end end),
    see:value(busy, begin B = spawn(fun() -> count(0) end), erlang:suspend_process(B),
        {reductions, R3} = process_info(B, reductions), receive after 20 -> ok end,
    {reductions, R4} = process_info(B, reductions), erlang:resume_process(B), exit(B, kill), R3 =:= R4 end),
    see:fails([fun() -> erlang:resume_process(P) end, fun() -> erlang:suspend_process(self()) end,
        fun() -> erlang:suspend_process(see:id(x)) end, fun() -> erlang:suspend_process(P, [bad]) end]),
    exit(P, kill).

loop() -> receive {From, ping} -> From ! pong, loop() end.
count(N) -> count(N + 1).
