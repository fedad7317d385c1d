%% What is requested of a process is done by the priority of the request, whatever the process's own: not before the
%% work of processes above it, and low requests now and then between normal ones.
%% args: +S 1:1
%% timeout: 60
-module(requests_by_priority).
-export([main/0]).

main() ->
    process_flag(priority, high),
    in_order(),
    [not_before_others(Scheduler) || Scheduler <- [0, 1]],
    refused().

%% The process takes no turn meanwhile, so all wait together.
in_order() ->
    P = spawn_link(fun() -> receive stop -> ok end end),
    request(P, low, 0, 1),
    request(P, normal, 0, 10),
    request(P, low, 2, 4),
    request(P, normal, 11, 26),
    see:value(normal_first_gone, answers(32)),
    request(P, low, 0, 1),
    request(P, normal, 0, 20),
    see:value(low_first_gone, answers(23)),
    request(P, max, 1, 3),
    request(P, low, 4, 4),
    see:value(urgent, answers(4)),
    async = garbage_collect(P, [{async, a}]),
    async = erlang:check_process_code(P, lists, [{async, b}]),
    see:value(usual, [receive {K, Id, R} -> {K, Id, R} end || _ <- [1, 2]]),
    P ! stop.

request(P, Priority, From, To) ->
    [ok = erts_internal:request_system_task(P, Priority, {system_task_test, {Priority, N}})
        || N <- lists:seq(From, To)].

answers(N) -> [receive {system_task_test, Id, true} -> Id end || _ <- lists:seq(1, N)].

%% One that never waits, perhaps bound to it, has the scheduler to itself but for what is as urgent.
not_before_others(Scheduler) ->
    process_flag(priority, max),
    P = spawn_opt(fun() -> receive stop -> ok end end, [link, {priority, low}]),
    Me = self(),
    Busy = spawn_opt(fun() -> Me ! busy, spin() end, [link, {priority, max}, {scheduler, Scheduler}]),
    receive busy -> ok end,
    [request(P, Priority, 1, 1) || Priority <- [low, normal, high]],
    Before = receive {system_task_test, First, true} -> First after 200 -> none end,
    request(P, max, 1, 1),
    Then = receive {system_task_test, Id, true} -> Id end,
    unlink(Busy),
    exit(Busy, kill),
    see:value(beside_max, {Before, Then, answers(3)}),
    P ! stop,
    process_flag(priority, high).

spin() -> spin().

refused() ->
    P = spawn(fun() -> ok end),
    see:value(pid, catch erts_internal:request_system_task(x, low, {system_task_test, 1})),
    see:value(priority, catch element(1,
        element(2, catch erts_internal:request_system_task(P, lowest, {system_task_test, 1})))),
    see:value(request, catch element(1,
        element(2, catch erts_internal:request_system_task(P, low, {no_such_task, 1})))).
