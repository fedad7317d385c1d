%% An operating system in miniature: tasks with priorities, devices and packets, held in records, queues and a map.
-module(compute_scheduler).
-export([run/0]).

-record(task, {id, priority, kind, state = ready, inbox = queue:new(), data}).
-record(system, {tasks = #{}, order = [], delivered = 0, held = 0, steps = 0, checksum = 1}).

run() ->
    Kinds = [{idle, 0, 20000}, {worker, 1000, {first, 0}}, {handler, 2000, none}, {handler, 2100, none},
             {device, 4000, none}, {device, 5000, none}],
    Tasks = maps:from_list([{Id, #task{id = Id, priority = Priority, kind = Kind, data = Data}}
                            || {Id, {Kind, Priority, Data}} <- lists:enumerate(Kinds)]),
    ByPriority = lists:sort(fun(A, B) -> (maps:get(A, Tasks))#task.priority >= (maps:get(B, Tasks))#task.priority end,
                            maps:keys(Tasks)),
    System = lists:foldl(fun(N, S) -> send({packet, N rem 2, N}, 3 + N rem 2, S) end,
                         #system{tasks = Tasks, order = ByPriority}, lists:seq(1, 6)),
    #system{delivered = Delivered, held = Held, steps = Steps, checksum = Sum} = schedule(System),
    {Delivered, Held, Steps, Sum}.

%% The most important task that is ready has its turn, until the idle task has counted to zero.
schedule(#system{order = Order, tasks = Tasks} = System) ->
    case first_ready(Order, Tasks) of
        none -> System;
        Task -> schedule(turn(Task, System#system{steps = System#system.steps + 1}))
    end.

first_ready([Id | Rest], Tasks) ->
    case Tasks of
        #{Id := #task{state = ready} = Task} -> Task;
        #{} -> first_ready(Rest, Tasks)
    end;
first_ready([], _) -> none.

turn(#task{kind = idle, data = 0} = Task, System) ->
    put_task(Task#task{state = stopped}, System);
turn(#task{kind = idle, data = Left} = Task, #system{checksum = Sum} = System) ->
    Next = case Sum band 1 of
               0 -> Sum bsr 1;
               1 -> (Sum bsr 1) bxor 16#D008
           end,
    Released = put_task(Task#task{data = Left - 1}, System#system{checksum = Next, held = System#system.held + 1}),
    wake(5 + Next band 1, Released);
turn(#task{kind = Kind, inbox = Inbox} = Task, System) ->
    case queue:out(Inbox) of
        {empty, _} -> put_task(Task#task{state = waiting}, System);
        {{value, Packet}, Left} -> work(Kind, Packet, Task#task{inbox = Left}, System)
    end.

work(worker, {packet, Sort, N}, #task{data = {Side, Count}} = Task, System) ->
    Other = case Side of first -> second; second -> first end,
    System1 = put_task(Task#task{data = {Other, Count + 1}}, System),
    send({packet, Sort, (N * 7 + Count) rem 1009}, case Other of first -> 3; second -> 4 end, System1);
work(handler, {packet, Sort, N}, Task, System) ->
    send({packet, Sort, N + 1}, 5 + Sort, put_task(Task, System));
work(device, {packet, Sort, N}, Task, #system{delivered = Delivered} = System) ->
    System1 = put_task(Task#task{state = waiting}, System#system{delivered = Delivered + 1}),
    send({packet, 1 - Sort, N}, 2, System1).

send(Packet, Id, #system{tasks = Tasks} = System) ->
    #task{inbox = Inbox, kind = Kind} = Task = maps:get(Id, Tasks),
    State = case Kind of device -> Task#task.state; _ -> ready end,
    put_task(Task#task{inbox = queue:in(Packet, Inbox), state = State}, System).

wake(Id, #system{tasks = Tasks} = System) ->
    put_task((maps:get(Id, Tasks))#task{state = ready}, System).

put_task(#task{id = Id} = Task, #system{tasks = Tasks} = System) ->
    System#system{tasks = Tasks#{Id := Task}}.
