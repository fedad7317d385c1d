%% What the machine answers by a message while very many others wait unread: the answers are found without looking at
%% those, and afterwards the next `receive` begins with the oldest again.
%% timeout: 30
-module(answers_behind_messages).
-export([main/0]).

main() ->
    Other = spawn_link(fun Loop() -> receive stop -> ok after 0 -> erlang:yield(), Loop() end end),
    [self() ! {old, I} || I <- lists:seq(1, 200000)],
    see:value(priority, repeated(2000, fun() -> process_info(Other, priority) end)),
    see:value(items, repeated(2000, fun() -> process_info(Other, [priority, trap_exit]) end)),
    see:value(alive, repeated(2000, fun() -> is_process_alive(Other) end)),
    see:value(suspended, repeated(300, fun() -> {erlang:suspend_process(Other), erlang:resume_process(Other)} end)),
    see:value(collected, repeated(300, fun() -> garbage_collect(Other) end)),
    see:value(checked, repeated(300, fun() -> erlang:check_process_code(Other, lists) end)),
    Port = open_port({spawn, "cat"}, [{parallelism, true}]),
    see:value(port_info, repeated(2000, fun() -> erlang:port_info(Port, connected) =:= {connected, self()} end)),
    see:value(port_command, repeated(2000, fun() -> port_command(Port, []) end)),
    see:value(port_control, repeated(100, fun() -> catch port_control(Port, 1, []) end)),
    see:value(closed, port_close(Port)),
    %% Called first with nothing read of the queue, as a process does that has just been sent everything.
    Asker = spawn_link(fun() -> receive go -> ok end, asker(Other) end),
    [Asker ! {old, I} || I <- lists:seq(1, 200000)],
    Asker ! {go_on, self()},
    Asker ! go,
    receive {answers, Answers} -> see:value(asker, Answers) end,
    see:value(oldest, [receive M -> M end || _ <- [1, 2, 3]]),
    see:value(chosen, receive {old, N} when N > 199999 -> N end),
    see:value(left, element(2, process_info(self(), message_queue_len))),
    Gone = spawn(fun() -> ok end),
    until_gone(Gone),
    see:value(of_the_dead, [process_info(Gone, priority), is_process_alive(Gone), catch garbage_collect(Gone)]),
    see:value(oldest, receive M1 -> M1 end),
    unlink(Other),
    Other ! stop.

repeated(N, Fun) -> lists:usort([Fun() || _ <- lists:seq(1, N)]).

asker(Other) ->
    Calls = [call(Other) || _ <- lists:seq(1, 1000)],
    From = receive {go_on, Pid} -> Pid end,
    From ! {answers, {lists:usort(Calls), element(2, process_info(self(), message_queue_len)), receive First -> First
        end}}.

call(Other) ->
    Ref = monitor(process, Other),
    self() ! {Ref, answer},
    Answer = receive {Ref, A} -> A; {'DOWN', Ref, _, _, _} -> down end,
    demonitor(Ref, [flush]),
    {Answer, is_process_alive(Other)}.

until_gone(Pid) ->
    Ref = monitor(process, Pid),
    receive {'DOWN', Ref, _, _, _} -> ok end.
