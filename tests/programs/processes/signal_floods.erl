%% Very many signals at once: all take effect, in order, whoever handles them; and what comes during them waits its
%% turn.
-module(signal_floods).
-export([main/0]).

-define(MANY, 40000).

main() ->
    see:value(downs, downs()),
    see:value(mixed, mixed()),
    see:value(information, information()),
    see:value(killed, killed()),
    see:value(timers, timers()),
    see:value(timers_of_others, timers_of_others()).

%% One process ends, and another learns it very often, after what the first one sent.
downs() ->
    Parent = self(),
    Ends = spawn(fun() -> receive {tell, To} -> [To ! {before, I} || I <- lists:seq(1, 10)] end end),
    Watcher = spawn(fun() ->
        References = [monitor(process, Ends) || _ <- lists:seq(1, ?MANY)],
        Ends ! {tell, self()},
        receive go -> ok end,
        {messages, Messages} = process_info(self(), messages),
        {Before, Downs} = lists:split(10, Messages),
        Parent ! {seen, Before, length(Downs),
                  lists:sort([R || {'DOWN', R, process, _, normal} <- Downs]) =:= lists:sort(References)}
        end),
    wait(Ends),
    %% All signals were sent when a call to the watcher, which comes after them, is answered.
    until(fun() -> element(2, process_info(Watcher, message_queue_len)) =:= ?MANY + 10 end),
    Watcher ! go,
    receive {seen, _, _, _} = Seen -> Seen end.

%% Exit signals, monitors, links and messages of one sender, to a process that was suspended meanwhile.
mixed() ->
    Parent = self(),
    Receiver = spawn(fun() -> process_flag(trap_exit, true), Parent ! ready, receive {got, 0} -> ok end,
        Parent ! {in_order, in_order(1)} end),
    receive ready -> ok end,
    erlang:suspend_process(Receiver),
    Sender = spawn(fun() ->
        Receiver ! {got, 0},
        [case I rem 4 of
             0 -> Receiver ! {got, I};
             1 -> exit(Receiver, I);
             2 -> demonitor(monitor(process, Receiver)), Receiver ! {got, I};
             3 -> link(Receiver), unlink(Receiver), exit(Receiver, I)
         end || I <- lists:seq(1, ?MANY)],
        Receiver ! last end),
    wait(Sender),
    erlang:resume_process(Receiver),
    receive {in_order, Count} -> Count end.

in_order(I) ->
    receive
        {got, I} -> in_order(I + 1);
        {'EXIT', _, I} -> in_order(I + 1);
        last -> {whole, I - 1};
        Other -> {Other, instead, I}
    end.

%% Questions to a process are answered as of their place among the other signals.
information() ->
    Parent = self(),
    Receiver = spawn(fun() -> process_flag(trap_exit, true), Parent ! ready, receive last -> ok end end),
    receive ready -> ok end,
    Lengths = [begin
        [exit(Receiver, I) || I <- lists:seq(1, ?MANY div 4)],
        {message_queue_len, Length} = process_info(Receiver, message_queue_len),
        Length end || _ <- lists:seq(1, 4)],
    exit(Receiver, kill),
    {Lengths, process_info(Receiver, message_queue_len)}.

%% A process that is killed between the others' signals: who asks it later is refused.
killed() ->
    Parent = self(),
    Receiver = spawn(fun() -> receive never -> ok end end),
    erlang:suspend_process(Receiver),
    Asker = spawn(fun() ->
        process_flag(trap_exit, true),
        Before = [monitor(process, Receiver) || _ <- lists:seq(1, ?MANY div 2)],
        exit(Receiver, kill),
        After = [monitor(process, Receiver) || _ <- lists:seq(1, ?MANY div 2)],
        link(Receiver),
        Parent ! {asked, lists:usort([down(R) || R <- Before]), lists:usort([down(R) || R <- After]),
            receive {'EXIT', Receiver, Why} -> Why end}
        end),
    wait(Asker),
    receive {asked, _, _, _} = Asked -> Asked end.

%% Timers end with the process that set them, however many there are.
timers() ->
    Parent = self(),
    Owner = spawn(fun() -> Parent ! {set, [erlang:start_timer(100000, self(), x) || _ <- lists:seq(1, ?MANY)]},
        receive go -> ok end end),
    References = receive {set, Set} -> Set end,
    Left = lists:usort([is_integer(erlang:read_timer(R)) || R <- References]),
    Owner ! go,
    wait(Owner),
    {Left, lists:usort([erlang:read_timer(R) || R <- References]),
        lists:usort([erlang:cancel_timer(R) || R <- References])}.

timers_of_others() ->
    Owner = spawn(fun() -> receive go -> ok end end),
    References = [erlang:send_after(100000, Owner, x) || _ <- lists:seq(1, ?MANY)],
    Owner ! go,
    wait(Owner),
    {lists:usort([erlang:read_timer(R) || R <- References]), lists:usort([erlang:cancel_timer(R) || R <- References])}.

wait(Pid) -> down(monitor(process, Pid)).
down(Reference) -> receive {'DOWN', Reference, process, _, Why} -> Why end.
until(Fun) -> case Fun() of true -> ok; false -> receive after 1 -> until(Fun) end end.
