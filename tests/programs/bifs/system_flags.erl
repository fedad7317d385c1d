%% system_flag with every flag: what it answers, what it changes, what it refuses.
%% args: +S 2:2 +SDcpu 2:2
-module(system_flags).
-export([main/0]).

main() ->
    [set(Flag, Value) || {Flag, Values} <- flags(), Value <- Values],
    see:fails([fun() -> erlang:system_flag(see:id(Flag), Value) end || {Flag, Value} <- bad()]),
    heap_defaults(),
    topology(),
    blocking(),
    nested(),
    wall_time(),
    microstates().

set(Flag, Value) ->
    see:value({Flag, Value}, erlang:system_flag(see:id(Flag), Value)).

flags() ->
    [{backtrace_depth, [5, 100000, 8]}, {fullsweep_after, [100000, 10, 65535]},
     {max_heap_size, [1000000, #{size => 2000000, kill => false}, 0, #{size => 0, kill => true, error_logger => true}]},
     {schedulers_online, [1, 2]}, {dirty_cpu_schedulers_online, [1, 2]},
     {reset_seq_trace, [true, x]}, {sequential_tracer, [false]}, {trace_control_word, [5, 4294967295, 0]},
     {time_offset, [finalize]}, {outstanding_system_requests_limit, [1000, 4]},
     {scheduling_statistics, [enable, clear, disable]}, {debug_flags, [x]},
     {multi_scheduling, [unblock, block, block, unblock, unblock, unblock, block_normal, block, unblock,
         unblock_normal]}].

bad() ->
    [{backtrace_depth, -1}, {fullsweep_after, -1}, {fullsweep_after, 1 bsl 70}, {min_heap_size, -1}, {min_heap_size, x},
     {min_bin_vheap_size, -1}, {max_heap_size, 1}, {max_heap_size, #{kill => true}},
     {max_heap_size, #{size => 0, kill => x}},
     {schedulers_online, 3}, {schedulers_online, 0}, {schedulers_online, x}, {dirty_cpu_schedulers_online, 3},
     {dirty_cpu_schedulers_online, 0}, {scheduler_wall_time, x}, {sequential_tracer, x}, {trace_control_word, -1},
     {trace_control_word, 1 bsl 32}, {time_offset, x}, {multi_scheduling, x}, {scheduler_bind_type, x},
     {internal_cpu_topology, x}, {internal_cpu_topology, [{cpu, 0, 0, 0, 0}]}, {system_logger, x},
     {microstate_accounting, x}, {outstanding_system_requests_limit, 0}, {scheduling_statistics, x}, {erts_alloc, x},
     {no_such_flag, y}, {1, 2}, {{a, b}, 2}].

%% Processes made later begin with what was set.
heap_defaults() ->
    Old = erlang:system_flag(min_heap_size, 1000),
    Of = fun() -> Me = self(), spawn(fun() -> {min_heap_size, N} = process_info(self(), min_heap_size), Me ! N end),
        receive N -> N end end,
    see:value(min_heap_size, {erlang:system_flag(min_heap_size, Old), Of() =:= Old}),
    see:value(info, erlang:system_info(max_heap_size)),
    erlang:system_flag(max_heap_size, #{size => 500000, kill => false, error_logger => false}),
    see:value(info, erlang:system_info(max_heap_size)),
    see:value(of_process, begin Me = self(), spawn(fun() -> Me ! process_info(self(), max_heap_size) end),
        receive M -> M end end),
    erlang:system_flag(max_heap_size, #{size => 0, kill => true, error_logger => true}).

topology() ->
    Detected = erlang:system_info(cpu_topology),
    Set = fun(T) -> try erlang:system_flag(cpu_topology, T) of V -> V =:= Detected orelse V catch E:R -> {E, R} end end,
    see:value(topology, [Set(T) || T <- [undefined, x, [], [{processor, {core, {logical, 0}}}],
                                         [{processor, [{core, {logical, 0}}, {core, {logical, 0}}]}],
                                         [{node, [{processor, [{core,
                                             [{thread, {logical, 0}}, {thread, {logical, 1}}]}]}]}],
                                         [{processor, [{node, [{core, {logical, 0}}]},
                                             {node, [{core, {logical, 1}}]}]}]]]),
    see:value(used, erlang:system_info({cpu_topology, used})),
    see:value(defined, erlang:system_info({cpu_topology, defined}) =:= erlang:system_info(cpu_topology)),
    Set(undefined),
    see:value(undefined, [erlang:system_info({cpu_topology, defined}),
        erlang:system_info({cpu_topology, detected}) =:= Detected,
                          erlang:system_info(cpu_topology) =:= Detected]).

%% While one process blocks the others, nobody else runs; what it does with files goes on.
blocking() ->
    Counter = counters:new(1, []),
    Spinners = [spawn(fun() -> spin(Counter) end) || _ <- lists:seq(1, 4)],
    timer:sleep(20),
    Alone = [begin
                 blocked = erlang:system_flag(multi_scheduling, Block),
                 N = counters:get(Counter, 1),
                 _ = busy(20000),
                 Same = counters:get(Counter, 1) =:= N,
                 {ok, _} = prim_file:read_file(code:which(?MODULE)),
                 enabled = erlang:system_flag(multi_scheduling, Unblock),
                 Same
             end || {Block, Unblock} <- [{block, unblock}], _ <- lists:seq(1, 50)],
    %% A slice may end in between, and then a spinner runs on the same scheduler.
    see:value(alone, lists:member(true, Alone)),
    see:value(info, begin
                        erlang:system_flag(multi_scheduling, block),
                        I = [erlang:system_info(K) || K <- [multi_scheduling, schedulers_online]],
                        [Me] = erlang:system_info(multi_scheduling_blockers),
                        [] = erlang:system_info(normal_multi_scheduling_blockers),
                        erlang:system_flag(multi_scheduling, unblock),
                        {I, Me =:= self()}
                    end),
    [exit(P, kill) || P <- Spinners].

spin(Counter) -> counters:add(Counter, 1, 1), spin(Counter).

busy(0) -> ok;
busy(N) -> busy(N - 1).

%% A block ends with the process that made it.
nested() ->
    {_, M} = spawn_monitor(fun() ->
                                   erlang:system_flag(multi_scheduling, block_normal),
                                   erlang:system_flag(multi_scheduling, block),
                                   exit(erlang:system_info(multi_scheduling))
                           end),
    see:value(nested, receive {'DOWN', M, _, _, Was} -> Was end),
    timer:sleep(20),
    see:value(released, erlang:system_info(multi_scheduling)).

wall_time() ->
    see:value(wall_time, [erlang:system_flag(scheduler_wall_time, B) || B <- [true, true, false]]),
    Normal = lists:sort(erlang:statistics(scheduler_wall_time)),
    All = lists:sort(erlang:statistics(scheduler_wall_time_all)),
    Schedulers = erlang:system_info(schedulers),
    Cpu = erlang:system_info(dirty_cpu_schedulers),
    see:value(numbers, {[I || {I, _, _} <- Normal] =:= lists:seq(1, Schedulers + Cpu),
                        length(All) - length(Normal) =:= erlang:system_info(dirty_io_schedulers)}),
    see:value(awake, lists:all(fun({_, A, T}) -> 0 =< A andalso A =< T end, All)),
    see:value(off, [erlang:system_flag(scheduler_wall_time, false), erlang:statistics(scheduler_wall_time)]).

microstates() ->
    see:value(microstates, [erlang:system_flag(microstate_accounting, V) || V <- [true, true]]),
    Spent = fun() ->
                    work(erlang:monotonic_time(millisecond) + 50),
                    timer:sleep(50),
                    Sum = fun(State) -> lists:sum([maps:get(State, C) || C <- schedulers()]) end,
                    Ms = fun(N) -> erlang:convert_time_unit(N, perf_counter, millisecond) end,
                    [Ms(Sum(emulator)) >= 10, Ms(Sum(sleep)) >= 30, Sum(gc) > 0]
            end,
    see:value(states, lists:usort(lists:append([maps:keys(C) || C <- schedulers()]))),
    %% A busy host may have given the node too little of that time.
    see:value(spent, apart:wait(Spent, [true, true, true], 40)),
    Stats = erlang:statistics(microstate_accounting),
    see:value(kinds, lists:usort([is_integer(I) || #{id := I} <- Stats])),
    see:value(off, erlang:system_flag(microstate_accounting, false)),
    see:value(reset, erlang:system_flag(microstate_accounting, reset)),
    see:value(zero, lists:usort(lists:append([maps:values(C)
        || #{counters := C} <- erlang:statistics(microstate_accounting)]))).

schedulers() -> [C || #{type := scheduler, counters := C} <- erlang:statistics(microstate_accounting)].

work(Until) ->
    _ = [[I, I] || I <- lists:seq(1, 1000)],
    case erlang:monotonic_time(millisecond) < Until of
        true -> work(Until);
        false -> ok
    end.
