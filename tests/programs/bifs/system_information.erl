%% system_info and friends: the items that don't depend on the machine.
-module(system_information).
-export([main/0]).

main() ->
    see:value(fixed, [{I, erlang:system_info(I)} || I <- [otp_release, machine, wordsize, {wordsize, internal},
        {wordsize, external}, threads, smp_support]
                    ]),
    see:value(limits, [{I, erlang:system_info(I)} || I <- [process_limit, port_limit, atom_limit, ets_limit]]),
    see:value(integers, [begin N = erlang:system_info(I), is_integer(N) andalso N >= 0 end
        || I <- [schedulers, schedulers_online, process_count, port_count, atom_count, ets_count,
        logical_processors_available, dirty_cpu_schedulers, dirty_io_schedulers, thread_pool_size]
                      ]),
    see:value(endian, <<1:16/native>> =:= <<1:16/little>>),
    see:value(defaults, [erlang:system_info(I) || I <- [fullsweep_after, multi_scheduling, dist_ctrl,
        trace_control_word, scheduler_bind_type]]),
    see:value(binaries, [is_binary(erlang:system_info(I)) orelse is_list(erlang:system_info(I))
        || I <- [version, system_version, system_architecture, driver_version, nif_version]]),
    see:value(node, [node(), is_alive(), nodes(), nodes(known), erlang:get_cookie()]),
    see:value(memory, [begin N = erlang:memory(K), is_integer(N) andalso N >= 0 end
        || K <- [total, processes, processes_used, system, atom, atom_used, binary, code, ets]]),
    see:value(memory_all, lists:sort([K || {K, _} <- erlang:memory()])),
    see:value(memory_sums, begin M = erlang:memory(), proplists:get_value(total, M) =:= proplists:get_value(processes,
        M) + proplists:get_value(system, M) end),
    see:value(binary_memory, begin erlang:garbage_collect(), B0 = erlang:memory(binary),
        B = binary:copy(<<0>>, 10000000), B1 = erlang:memory(binary), {byte_size(B), B1 - B0 >= 9000000} end),
    see:value(statistics, [begin S = statistics(K), is_tuple(S) orelse is_integer(S) end
        || K <- [context_switches, exact_reductions, garbage_collection, io, reductions, run_queue, runtime, wall_clock,
        total_run_queue_lengths, total_active_tasks]]),
    see:value(run_queues, [is_list(statistics(K)) || K <- [run_queue_lengths, active_tasks]]),
    see:value(active, active()),
    see:value(words, [{I, erlang:system_info(I)} || I <- [endian, constant_pool_support, ets_always_compress, io_thread,
        port_tasks, beam_jump_table, update_cpu_info, hipe_architecture]]),
    see:value(same, [erlang:system_info(schedulers) =:= erlang:system_info(I)
        || I <- [schedulers_total, schedulers_active, run_queues]]),
    see:value(all_schedulers,
        [{Kind, Total >= Online, Online >= Active}
        || {Kind, Total, Online, Active} <- erlang:system_info(all_schedulers_state)]),
    see:value(emu_args, lists:takewhile(fun(Word) -> Word =/= "-bindir" end,
        lists:dropwhile(fun(Word) -> Word =/= "--" end, erlang:system_info(emu_args)))),
    see:fails([fun() -> erlang:system_info(I) end || I <- [static_nifs, backtrace_depth, nothing, {endian, 1}, 1]]),
    see:value(flags, [begin Old = erlang:system_flag(fullsweep_after, 10), New = erlang:system_flag(fullsweep_after,
        Old), {is_integer(Old), New} end]),
    see:value(os, [os:type(), is_tuple(os:version()), is_list(os:getpid()), os:getenv("SURELY_NOT_SET_XYZ"),
        os:putenv("FERL_TEST_ENV", "välue"), os:getenv("FERL_TEST_ENV"), os:unsetenv("FERL_TEST_ENV"),
    os:getenv("FERL_TEST_ENV", "default")]),
    see:value(args, [init:get_argument(no_such_flag), is_list(init:get_plain_arguments()), init:get_status()]),
    see:value(build, [erlang:system_info(build_type), erlang:system_info(debug_compiled),
        erlang:system_info(lock_checking)]),
    see:value(primitives, [native(Size) || Size <- ["32-bit native atomics", "64-bit native atomics"]]),
    see:value(no_allocators, [try erlang:system_info({I, A}) catch error:R -> R end
        || I <- [allocator, allocator_sizes], A <- [nothing, [], [nothing]]]),
    see:value(thread_events, erlang:system_info(ethread_used_tse) >= erlang:system_info(schedulers)),
    see:value(scheduler, begin S2 = erlang:system_info(scheduler_id),
        S2 >= 1 andalso S2 =< erlang:system_info(schedulers) end),
    see:value(yield, erlang:yield()),
    see:value(bump, erlang:bump_reductions(100)),
    see:value(gc, [erlang:garbage_collect(), erlang:garbage_collect(self()),
        erlang:garbage_collect(self(), [{type, minor}])]),
    see:value(gc_async, begin R = make_ref(), async = erlang:garbage_collect(self(), [{async, R}]),
        receive {garbage_collect, R, X} -> X end end),
    see:before(26, tuple_sizes,
        fun() -> [erts_debug:flat_size(T) || T <- [a, 1, 1 bsl 64, 1.5, [1], "abc", {}, {a, b}, #{}, #{a => 1},
        #{a => 1, b => 2}, <<"abc">>, <<1:3>>]] end),
    see:value(shared, begin L = [1, 2, 3], {erts_debug:size([L, L]), erts_debug:flat_size([L, L])} end).

%% What runs counts as well as what is queued: eleven at least, of which at most as many as there are schedulers run.
active() ->
    Me = self(),
    Loops = [spawn_opt(fun() -> Me ! {self(), runs}, loop() end, [link, {priority, low}]) || _ <- lists:seq(1, 10)],
    [receive {Pid, runs} -> ok end || Pid <- Loops],
    Counts = [statistics(total_active_tasks), statistics(total_active_tasks_all), lists:sum(statistics(active_tasks)),
        lists:sum(statistics(active_tasks_all))],
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Loops],
    Lengths = [length(statistics(K)) - erlang:system_info(schedulers) || K <- [run_queue_lengths, run_queue_lengths_all,
        active_tasks, active_tasks_all]],
    {[Count >= 11 || Count <- Counts], Lengths}.

native(Size) ->
    {Size, Where, [_ | _] = Names} = lists:keyfind(Size, 1, erlang:system_info(ethread_info)),
    {Where =/= "no", lists:all(fun is_list/1, Names)}.

loop() -> loop().
