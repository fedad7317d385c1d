%% Processes that must run on one scheduler: by spawn_opt, by process_flag, while they send to each other, compute,
%% collect, have other priorities, are freed again, and while their scheduler is not online.
%% args: +S 3:3
-module(bound_to_schedulers).
-export([main/0]).

main() ->
    flags(),
    errors(),
    spawned(),
    rings(),
    busy(),
    priorities(),
    offline(),
    killed(),
    ok.

here() -> erlang:system_info(scheduler_id).

flags() ->
    Flag = fun(Number) -> [{process_flag(scheduler, Number), here()} || _ <- [1, 2]] end,
    see:value(bound, [Flag(Number) || Number <- [1, 2, 3, 2, 1]]),
    see:value(free, {process_flag(scheduler, 0), process_flag(scheduler, 0)}),
    %% What a process does does not move it.
    process_flag(scheduler, 3),
    see:value(stays, lists:usort([begin stir(What), here() end || What <- lists:seq(1, 200)])),
    process_flag(scheduler, 0).

stir(What) ->
    case What rem 6 of
        0 -> erlang:yield();
        1 -> receive after 1 -> ok end;
        2 -> lists:sum(lists:seq(1, 20000));
        3 -> garbage_collect();
        4 -> {ok, _} = file:read_file_info("/");
        5 -> re:run(lists:duplicate(1000, $a), "a*b")
    end.

errors() ->
    [see:that({flag, Number}, fun() -> process_flag(scheduler, Number) end)
     || Number <- [-1, 4, foo, 1.0, 1 bsl 70, [1]]],
    [see:that({option, Number}, fun() -> spawn_opt(fun() -> ok end, [{scheduler, Number}]) end)
     || Number <- [-1, 4, foo, 1.0, 1 bsl 70, [1]]],
    see:value(untouched, process_flag(scheduler, 0)).

spawned() ->
    Bound = [{Number, start(fun() -> here() end, [{scheduler, Number}])} || _ <- lists:seq(1, 20), Number <- [1, 2, 3]],
    see:value(spawned, lists:usort([Number =:= answer(Pid) || {Number, Pid} <- Bound])),
    %% A child is bound only if it is told to be.
    Inner = fun() -> Me = self(), spawn(fun() -> Me ! {flag, process_flag(scheduler, 0)} end), receive {flag, F} -> F
        end end,
    see:value(child, answer(start(Inner, [{scheduler, 2}]))).

start(Fun, Options) ->
    Me = self(),
    spawn_opt(fun() -> Me ! {self(), Fun()} end, Options).

answer(Pid) ->
    receive {Pid, Answer} -> Answer end.

%% A message goes round among processes of all schedulers, and each notes where it runs.
rings() ->
    Members = [spawn_opt(fun() -> member() end, [link, {scheduler, N rem 4}]) || N <- lists:seq(1, 12)],
    [Pid ! {next, Next} || {Pid, Next} <- lists:zip(Members, tl(Members) ++ [hd(Members)])],
    [hd(Members) ! {token, 2000} || _ <- [1, 2, 3]],
    see:value(rings, [receive {places, Pid, Places} -> Places end
        || Pid <- [stop(Pid) || Pid <- members_done(Members)]]).

members_done(Members) ->
    [receive done -> ok end || _ <- [1, 2, 3]],
    Members.

stop(Pid) -> Pid ! {stop, self()}, Pid.

member() ->
    Bound = process_flag(scheduler, 0),
    process_flag(scheduler, Bound),
    receive {next, Next} -> member(Bound, Next, []) end.

member(Bound, Next, Places) ->
    receive
        {token, 0} -> bound_to_schedulers_main() ! done, member(Bound, Next, Places);
        {token, N} -> Next ! {token, N - 1}, member(Bound, Next, note(Bound, Places));
        {stop, From} -> From ! {places, self(), Places}
    end.

note(0, Places) -> Places;
note(_, Places) -> lists:usort([here() | Places]).

bound_to_schedulers_main() ->
    {links, [Main | _]} = process_info(self(), links),
    Main.

%% One scheduler has much more to do than the others, and keeps it. Those who are free to move take turns with them.
busy() ->
    process_flag(scheduler, 2),
    Count = fun(Options) -> start(fun() -> count(300, []) end, Options) end,
    Bound = [Count([{scheduler, 2}]) || _ <- lists:seq(1, 15)],
    Free = [Count([]) || _ <- lists:seq(1, 15)],
    see:value(busy, lists:usort([answer(Pid) || Pid <- Bound])),
    [answer(Pid) || Pid <- Free],
    see:value(free_too, length(Free)),
    process_flag(scheduler, 0).

count(0, Places) -> Places;
count(N, Places) ->
    lists:sum(lists:seq(1, 1000)),
    count(N - 1, lists:usort([here() | Places])).

priorities() ->
    Options = [[{priority, Priority}, {scheduler, Number}] || Priority <- [max, high, normal, low],
        Number <- [1, 2, 3]],
    Run = fun() -> count(100, []) end,
    see:value(priorities, [answer(Pid) || Pid <- [start(Run, Option) || Option <- Options ++ Options]]).

offline() ->
    [Pid, Second] = [spawn_opt(fun() -> answers() end, [{scheduler, Number}]) || Number <- [3, 2]],
    see:value(before, {ask(Pid), ask(Second)}),
    erlang:system_flag(schedulers_online, 2),
    %% Asked, it waits for its scheduler; others go on.
    Pid ! {where, self()},
    Late = start(fun() -> here() end, [{scheduler, 3}]),
    see:value(others, [ask(Second) || _ <- lists:seq(1, 5)]),
    see:value(waits, receive {Pid, _} -> early; {Late, _} -> early after 200 -> nothing end),
    erlang:system_flag(schedulers_online, 3),
    see:value(online_again, {receive {Pid, Place} -> Place end, answer(Late), ask(Pid)}),
    [exit(One, kill) || One <- [Pid, Second]].

ask(Pid) ->
    Pid ! {where, self()},
    receive {Pid, Place} -> Place end.

answers() ->
    receive {where, From} -> From ! {self(), here()} end,
    answers().

killed() ->
    Monitors = [spawn_opt(fun() -> count(1 bsl 40, []) end, [monitor, {scheduler, 1 + N rem 3}])
        || N <- lists:seq(1, 30)],
    [exit(Pid, kill) || {Pid, _} <- Monitors],
    see:value(killed, lists:usort([receive {'DOWN', Monitor, process, _, Reason} -> Reason end
        || {_, Monitor} <- Monitors])).
