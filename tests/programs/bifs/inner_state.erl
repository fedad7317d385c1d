%% erts_debug:get_internal_state/1 and set_internal_state/2, and the tests that run on dirty schedulers.
%% args: +S 2
%% releases: 25
-module(inner_state).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    see:fails([fun() -> erts_debug:get_internal_state(see:id(reds_left)) end,
        fun() -> erts_debug:set_internal_state(see:id(sleep), 1) end]),
    see:value(before, erts_debug:set_internal_state(available_internal_state, true)),
    see:value(now, erts_debug:get_internal_state(available_internal_state)),
    see:fails([fun() -> erts_debug:get_internal_state(see:id(nothing)) end,
        fun() -> erts_debug:get_internal_state({see:id(nothing), 1}) end,
               fun() -> erts_debug:get_internal_state(see:id(1)) end,
                   fun() -> erts_debug:set_internal_state(see:id(nothing), 1) end,
               fun() -> erts_debug:set_internal_state(wait, see:id(nothing)) end,
                   fun() -> erts_debug:set_internal_state(make, see:id(nothing)) end,
               fun() -> erts_debug:get_internal_state({link_list, see:id(1)}) end,
                   fun() -> erts_debug:get_internal_state({binary_info, see:id(a)}) end,
               fun() -> erts_debug:set_internal_state(ets_force_split, see:id({a, true})) end]),
    see:value(waits, [erts_debug:set_internal_state(wait, W) || W <- [deallocations, thread_progress, aux_work,
        timer_cancellations]]),
    binaries(),
    relations(),
    references(),
    heap(),
    limits(),
    see:value(integers, begin
        State = erts_debug:get_internal_state(unique_monotonic_integer_state),
        Least = erts_debug:get_internal_state(min_unique_monotonic_integer),
        Greatest = Least + (1 bsl 64) - 1,
        Next = [begin true = erts_debug:set_internal_state(unique_monotonic_integer_state, Wanted - Least - 1),
            [erlang:unique_integer([monotonic]) || _ <- [1, 2, 3]] end
                || Wanted <- [-1, 1 bsl 59 - 2, 1 bsl 63 - 2]],
        erts_debug:set_internal_state(unique_monotonic_integer_state, -3),
        Wrapped = [erlang:unique_integer([monotonic]) - Greatest || _ <- [1, 2]],
        {erts_debug:set_internal_state(unique_monotonic_integer_state, State), Least, Next, Wrapped}
    end),
    tables(),
    dirty(),
    requests(),
    see:value(allocators, erlang:system_info(alloc_util_allocators)),
    see:value(blocks, case erts_debug:alloc_blocks_size(ets_alloc) of undefined -> known;
        Bytes when is_integer(Bytes) -> known end),
    see:value(polls, [[{Name, if is_integer(Value) -> integer; is_boolean(Value) -> boolean; true -> atom end}
        || {Name, Value} <- Poll] || Poll <- [lists:last(erlang:system_info(check_io))]]),
    see:value(table_of_processes, begin Record = erts_debug:get_internal_state(processes_bif_info),
        {element(1, Record), tuple_size(Record)} end),
    see:value(cache_of_atoms, begin Most = erts_debug:get_internal_state(max_atom_out_cache_index),
        [begin Place = erts_debug:get_internal_state({atom_out_cache_index, Atom}), Place >= 0 andalso Place =< Most end
            || Atom <- ['', foo, node()]] end),
    see:fails([fun() -> erts_debug:get_internal_state({atom_out_cache_index, see:id("foo")}) end]),
    see:value(off, erts_debug:set_internal_state(available_internal_state, false)).

%% Requests that only the suites make, to a process that is there and to one that is gone.
requests() ->
    {Pid, Watch} = spawn_monitor(fun() -> receive stop -> ok end end),
    Ask = fun() -> Id = make_ref(), Asked = erts_internal:request_system_task(Pid, normal, {system_task_test, Id}),
        {Asked, receive {Kind, Id, Answer} -> {Kind, Answer} end} end,
    There = Ask(),
    Pid ! stop,
    receive {'DOWN', Watch, _, _, _} -> ok end,
    see:value(requests, [There, Ask()]).

binaries() ->
    Long = see:id(binary:copy(<<"x">>, 100)),
    <<_, Part/binary>> = Long,
    see:value(binaries, [erts_debug:get_internal_state({binary_info, B}) || B <- [see:id(<<"short">>), Long, Part]]),
    Grown = see:id(<<(see:id(<<>>))/binary, 1, 2, 3>>),
    see:value(grown, setelement(4, erts_debug:get_internal_state({binary_info, Grown}), flags)),
    see:value(zeros, erts_debug:set_internal_state(binary, 3)).

relations() ->
    Self = self(),
    Other = spawn_link(fun() -> receive stop -> ok end end),
    Monitor = monitor(process, Other),
    see:value(links, [T =:= process andalso P =:= Other andalso S
        || {erl_link, T, P, S, _} <- erts_debug:get_internal_state({link_list, Self}), P =:= Other]),
    see:value(its_links, [{T, P =:= Self, S} || {erl_link, T, P, S, _} <- erts_debug:get_internal_state({link_list,
        Other})]),
    see:value(monitors, [{T, D, P =:= Other, X}
        || {erl_monitor, T, D, R, P, X} <- erts_debug:get_internal_state({monitor_list, Self}), R =:= Monitor]),
    see:value(its_monitors,
        [{T, D, R =:= Monitor, P =:= Self, X}
        || {erl_monitor, T, D, R, P, X} <- erts_debug:get_internal_state({monitor_list, Other})]),
    Port = open_port({spawn, "cat"}, []),
    see:value(port, [{T, P =:= Self, S} || {erl_link, T, P, S, _} <- erts_debug:get_internal_state({link_list, Port})]),
    port_close(Port),
    apart:wait(fun() -> erts_debug:get_internal_state({process_status, Other}) =:= waiting end, true, 5000),
    unlink(Other),
    Other ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    apart:wait(fun() -> erts_debug:get_internal_state({process_status, Other}) =:= undefined end, true, 5000),
    see:value(gone, [erts_debug:get_internal_state({K, Other}) || K <- [link_list, monitor_list, process_status]]).

references() ->
    {Reference, Address} = erts_debug:set_internal_state(make, magic_ref),
    {Address, 1, true} = erts_debug:get_internal_state({magic_ref, Reference}),
    Text = term_to_binary(Reference),
    %% The first reference is used afterwards, so that no collection drops it before.
    Info = erts_debug:get_internal_state({magic_ref, binary_to_term(Text)}),
    see:value(magic, {Info =:= {Address, 2, true}, is_reference(see:id(Reference))}),
    see:value(plain, erts_debug:get_internal_state({magic_ref, make_ref()})),
    see:value(alias, erts_debug:get_internal_state({magic_ref, alias()})),
    %% One whose object is gone still shows that there was one.
    {Gone, _} = binary_to_term(gone()),
    see:value(gone, {is_reference(Gone), erts_debug:get_internal_state({magic_ref, Gone})}).

gone() ->
    Bytes = term_to_binary(erts_debug:set_internal_state(make, magic_ref)),
    garbage_collect(),
    Bytes.

heap() ->
    see:value(filled, erts_debug:set_internal_state(fill_heap, true)),
    Beside = erts_debug:set_internal_state(mbuf, {see:id(a), [1, 2]}),
    see:value(forced, erts_debug:set_internal_state(force_gc, self())),
    garbage_collect(),
    see:value(beside, Beside).

%% What takes several steps because of a limit is what it would be without.
limits() ->
    Text = binary:copy(<<"abcdefgh, ">>, 200),
    Characters = [16#20ac | binary_to_list(Text)],
    All = fun() -> {binary:matches(Text, <<"h, a">>), binary:matches(Text, [<<"fg">>, <<", a">>]),
        unicode:characters_to_binary(Characters), unicode:characters_to_list(Text)} end,
    Free = All(),
    see:value(limited, [begin
        _ = erts_debug:set_internal_state(binary_loop_limit, Limit),
        _ = erts_debug:set_internal_state(unicode_loop_limit, Limit),
        All() =:= Free
    end || Limit <- [10, 100, default]]),
    erts_debug:set_internal_state(unicode_loop_limit, 77),
    see:value(before, erts_debug:set_internal_state(unicode_loop_limit, default)).

%% A table whose ranges are split and merged at every write holds what any table does.
tables() ->
    see:value(tables, [begin
        T = ets:new(t, [ordered_set, public, {write_concurrency, true}]),
        ok = erts_debug:set_internal_state(Kind, {T, true}),
        [ets:insert(T, {I, I}) || I <- lists:seq(1, 500)],
        [ets:delete(T, I) || I <- lists:seq(1, 500, 3)],
        ok = erts_debug:set_internal_state(Kind, {T, false}),
        Kept = [{I, I} || I <- lists:seq(1, 500), I rem 3 =/= 1],
        {Kind =:= ets_force_split andalso element(1, ets:info(T, stats)) > 0, ets:tab2list(T) =:= Kept,
            ets:foldr(fun(X, L) -> [X | L] end, [], T) =:= Kept}
    end || Kind <- [ets_force_split, ets_debug_random_split_join]]).

dirty() ->
    see:value(kinds, [erts_debug:dirty_cpu(scheduler, type), erts_debug:dirty_io(scheduler, type)] ++
        [erts_debug:dirty(K, scheduler, type) || K <- [normal, dirty_cpu, dirty_io]]),
    see:value(steps, [erts_debug:dirty_cpu(reschedule, 1000), erts_debug:dirty_io(reschedule, 1000),
        erts_debug:dirty(normal, reschedule, 1000)]),
    see:value(copies, lists:usort(erts_debug:dirty_cpu(copy, {see:id(a), "list", <<1:999>>}))),
    see:value(done, [erts_debug:dirty_io(wait, 1), erts_debug:dirty_cpu(wait, 1)]),
    see:value(told, [begin ok = erts_debug:Dirty(send, self()), receive {Told, Pid} -> {Told, Pid =:= self()} end end
        || Dirty <- [dirty_io, dirty_cpu]]),
    see:value(alive, begin
        Self = self(),
        {Pid, Watch} = spawn_monitor(fun() -> erts_debug:dirty_io(alive_waitexiting, Self) end),
        receive {alive, Pid} -> exit(Pid, enough) end,
        receive {'DOWN', Watch, process, Pid, Why} -> Why end
    end),
    %% The frames below the call differ: stock shows the caller twice.
    see:value(errors, [try F() of V -> {returned, V} catch C:R:T -> {C, R, setelement(4, hd(T), [])} end || F <-
        [fun() -> erts_debug:dirty_cpu(error, Why) end || Why <- [badarg, undef, badarith, system_limit, {other}]] ++
        [fun() -> erts_debug:dirty_io(reschedule, 1001) end, fun() -> erts_debug:dirty(normal, error, undef) end,
            fun() -> erts_debug:dirty(dirty_io, error, undef) end,
         fun() -> erts_debug:dirty(see:id(x), error, undef) end, fun() -> erts_debug:dirty_io(see:id(nothing), 1)
             end]]).
