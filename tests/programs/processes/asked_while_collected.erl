%% Who asks a less urgent process while its large heap is collected gets the answers, although processes between the two
%% keep all schedulers busy; so does who had it collected, or told it to end.
%% args: +S 2:2
%% timeout: 120
-module(asked_while_collected).
-export([main/0]).

main() ->
    [see:value({Asker, Busy, Asked}, asked(Asker, Busy, Asked))
     || {Asker, Busy, Asked} <- [{max, high, normal}, {max, high, low}, {high, high, low}]].

asked(Asker, Busy, Asked) ->
    process_flag(priority, Asked),
    Others = [large(Asked) || _ <- lists:seq(1, 3)],
    process_flag(priority, Asker),
    Loops = [spawn_opt(fun() -> loop(0) end, [link, {priority, Busy}])
        || _ <- lists:seq(1, 2 * erlang:system_info(schedulers))],
    Answers = [begin
        Request = make_ref(),
        async = erlang:garbage_collect(Other, [{async, Request}, {type, element(1 + Round rem 2, {major, minor})}]),
        spin(Round rem 8 * 20000),
        Monitor = monitor(process, Other),
        {links, Links} = process_info(Other, links),
        demonitor(Monitor),
        spin(Round rem 5 * 20000),
        {monitored_by, By} = process_info(Other, monitored_by),
        Collected = receive {garbage_collect, Request, Was} -> Was after 20000 -> late end,
        {length(Links), length(By), Collected}
    end || Round <- lists:seq(1, 20), Other <- Others],
    %% The end between two collections.
    Ends = [begin
        unlink(Other),
        Monitor = monitor(process, Other),
        async = erlang:garbage_collect(Other, [{async, one}]),
        exit(Other, bang),
        async = erlang:garbage_collect(Other, [{async, two}]),
        Reason = receive {'DOWN', Monitor, process, Other, Was} -> Was after 20000 -> late end,
        Collected = [receive {garbage_collect, Request, _} -> answered after 20000 -> late
            end || Request <- [one, two]],
        {Reason, Collected}
    end || Other <- Others],
    process_flag(priority, max),
    [begin unlink(Loop), End = monitor(process, Loop), exit(Loop, kill), receive {'DOWN', End, _, _, _} -> ok end end
     || Loop <- Loops],
    process_flag(priority, normal),
    {lists:usort(Answers), lists:usort(Ends)}.

spin(0) -> ok;
spin(N) -> spin(N - 1).

loop(N) -> loop(N + 1).

large(Priority) ->
    Parent = self(),
    Pid = spawn_opt(fun() -> L = lists:seq(1, 400000), Parent ! {self(), here}, receive stop -> length(L) end end,
                    [link, {priority, Priority}]),
    receive {Pid, here} -> Pid end.
