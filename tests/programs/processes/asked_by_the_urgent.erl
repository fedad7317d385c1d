%% Who waits for what it asked of a less urgent process gets it although processes between the two keep all schedulers
%% busy: group leaders, what a process knows, collections, checks of code, suspension; also when the process ends of it.
%% args: +S 2:2
%% timeout: 120
-module(asked_by_the_urgent).
-export([main/0]).

main() ->
    [see:value({Asker, Busy, Asked}, asked(Asker, Busy, Asked))
     || {Asker, Busy, Asked} <- [{max, high, normal}, {max, high, low}, {high, high, low}, {max, high, high},
         {high, normal, low}],
        Busy =/= Asked orelse Asker =/= Busy].

asked(Asker, Busy, Asked) ->
    process_flag(priority, Asker),
    Leader = group_leader(),
    Others = [asked_process(Asked) || _ <- lists:seq(1, 20)],
    Loops = [spawn_opt(fun() -> loop(0) end, [link, {priority, Busy}])
        || _ <- lists:seq(1, 2 * erlang:system_info(schedulers))],
    Init = whereis(init),
    Answers = [begin
        %% Something waits there already.
        demonitor(monitor(process, Other)),
        true = group_leader(Init, Other),
        {group_leader, Init} = process_info(Other, group_leader),
        true = group_leader(Leader, Other),
        Other ! ignored,
        [{message_queue_len, Length}, {priority, Asked}] = process_info(Other, [message_queue_len, priority]),
        true = erlang:garbage_collect(Other),
        false = erlang:check_process_code(Other, no_such_module),
        true = erlang:suspend_process(Other),
        {status, suspended} = process_info(Other, status),
        true = erlang:resume_process(Other),
        Length
    end || _ <- lists:seq(1, 20), Other <- Others],
    %% Those that end are known to have ended, and are found no more.
    Ends = [begin
        Monitor = monitor(process, Other),
        unlink(Other),
        exit(Other, bang),
        Refused = (catch group_leader(Init, Other)),
        {'EXIT', {badarg, _}} = Refused,
        receive {'DOWN', Monitor, process, Other, Reason} -> Reason end
    end || Other <- Others],
    [begin unlink(Loop), Monitor = monitor(process, Loop), exit(Loop, kill), receive {'DOWN', Monitor, _, _, _} -> ok
        end end
     || Loop <- Loops],
    process_flag(priority, normal),
    {length(Answers), lists:last(Answers), lists:usort(Ends), [is_process_alive(Other) || Other <- Others,
        is_process_alive(Other)]}.

asked_process(Priority) ->
    Parent = self(),
    Pid = spawn_opt(fun() -> Parent ! {self(), here}, receive after infinity -> ok end end,
        [link, {priority, Priority}]),
    receive {Pid, here} -> Pid end.

loop(N) -> loop(N + 1).
