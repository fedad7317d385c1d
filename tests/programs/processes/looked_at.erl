%% Processes that are looked at all the time by a thread that is no scheduler (of ferl alone: stock refuses to begin).
%% They get what is sent to them, answer at once, and end when they are told to, whatever their priority and whichever
%% scheduler they are bound to.
-module(looked_at).
-export([main/0]).

-define(MS, 2500).

main() ->
    erts_debug:set_internal_state(available_internal_state, true),
    catch erts_debug:set_internal_state(look_at_processes, ?MS),
    End = erlang:monotonic_time(millisecond) + ?MS,
    Idle = [spawn(fun() -> idle(0) end) || _ <- lists:seq(1, 300)],
    Waiting = [spawn(fun() -> receive {From, Tag} -> From ! {self(), Tag} end end) || _ <- lists:seq(1, 300)],
    Hot = spawn(fun() -> hot(End, 0) end),
    Asker = spawn_opt(fun() -> ask_others(End, Idle) end, [{priority, high}]),
    Churning = [spawn(fun() -> churn(End, Number) end) || Number <- lists:seq(1, 8)],
    Monitors = [{monitor(process, Pid), Pid} || Pid <- [Hot, Asker | Churning]],
    Ends = [receive {'DOWN', Monitor, process, Pid, Why} -> Why after 60_000 -> {stuck, look(Pid)} end
            || {Monitor, Pid} <- Monitors],
    see:value(ends, lists:usort(Ends)),
    [Pid ! stop || Pid <- Idle],
    [Pid ! {self(), Pid} || Pid <- Waiting],
    see:value(waiting, length([ok || Pid <- Waiting, receive {Pid, Pid} -> true after 20_000 -> false end])),
    see:value(left, [look(Pid) || Pid <- Idle ++ Waiting, not ends(Pid)]).

look(Pid) -> process_info(Pid, [status, message_queue_len, current_function]).

ends(Pid) ->
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, _, _, _} -> true after 20_000 -> false end.

%% Goes to rest and is woken by timers all the time.
idle(Count) ->
    receive stop -> Count after 1 + Count rem 20 -> idle(Count + 1) end.

hot(End, Count) ->
    case Count rem 100_000 =:= 0 andalso erlang:monotonic_time(millisecond) > End of
        true -> ok;
        false -> hot(End, Count + 1)
    end.

%% Asks processes of lower priority, which need not have a turn for that.
ask_others(End, Pids) ->
    [_ = process_info(Pid, [memory, current_stacktrace]) || Pid <- Pids],
    timer:sleep(3),
    case erlang:monotonic_time(millisecond) > End of
        true -> ok;
        false -> ask_others(End, Pids)
    end.

churn(End, Number) ->
    Priority = lists:nth(1 + Number rem 4, [normal, low, high, normal]),
    Bound = Number rem (erlang:system_info(schedulers_online) + 1),
    Server = spawn_opt(fun serve/0, [{priority, Priority}, {scheduler, Bound}]),
    Numbers = lists:seq(1, 20),
    [begin Server ! {self(), Item}, answered(Server, Item) end || Item <- Numbers],
    [Server ! {self(), Item} || Item <- Numbers],
    true = erlang:suspend_process(Server),
    true = erlang:garbage_collect(Server),
    true = erlang:resume_process(Server),
    [answered(Server, Item) || Item <- Numbers],
    Monitor = monitor(process, Server),
    exit(Server, kill),
    receive {'DOWN', Monitor, _, _, killed} -> ok after 20_000 -> exit(lives) end,
    case erlang:monotonic_time(millisecond) > End of
        true -> ok;
        false -> churn(End, Number + 1)
    end.

serve() ->
    receive {From, Item} -> From ! {self(), lists:last(lists:seq(1, 50 * Item)) div 50}, serve() end.

answered(Server, Item) ->
    receive {Server, Item} -> ok after 20_000 -> exit({no_answer, look(Server)}) end.
