%% needs: runtime_tools tools
%%
%% What system_info, instrument and observer_backend tell of memory allocators: its shape, and that the figures follow
%% what a program allocates and frees. Which allocators there are, and what else they tell, is each machine's own.
-module(allocators).
-export([main/0]).

-import(see, [value/2, that/2]).

main() ->
    names(),
    shapes(),
    large_binaries(),
    small_binaries(),
    objects(),
    heaps(),
    answers(),
    tools(),
    errors().

names() ->
    value(names, erlang:system_info(alloc_util_allocators)),
    {Name, Version, Parts, Settings} = erlang:system_info(allocator),
    value(allocator, [is_atom(Name), lists:all(fun is_integer/1, Version), lists:all(fun is_atom/1, Parts)]),
    value(settings, lists:sort(proplists:get_keys(Settings)) -- [lock_physical_memory, test_alloc]).

%% For each allocator that exists, the keys of its facts, as far as both have them, and whether its figures agree.
shapes() ->
    Known = [mbcs, options, sbcs, versions],
    [begin
         Everything = erlang:system_info({allocator, Name}),
         Sizes = erlang:system_info({allocator_sizes, Name}),
         value(atom_to_list(Name),
             lists:usort([K || {instance, _, Facts} <- Everything, {K, _} <- Facts, lists:member(K, Known)])),
         value(sizes, lists:usort([K || {instance, _, Facts} <- Sizes, {K, _} <- Facts, lists:member(K, Known)])),
         value(threshold, [is_integer(proplists:get_value(sbct, Options)) || {instance, 0, Facts} <- Everything,
                                                                             {options, Options} <- Facts]),
         value(carriers, lists:usort([carriers(Carriers) || {instance, _, Facts} <- Everything,
                                                           {K, Carriers} <- Facts, K =:= mbcs orelse K =:= sbcs])),
         value(carrier_sizes, lists:usort([keys(Carriers) || {instance, _, Facts} <- Sizes,
                                                            {K, Carriers} <- Facts, K =:= mbcs orelse K =:= sbcs]))
     end || Name <- [std_alloc, ll_alloc, eheap_alloc, ets_alloc, fix_alloc, literal_alloc, binary_alloc, temp_alloc,
        sl_alloc, driver_alloc]].

keys(Facts) -> [element(1, Fact) || Fact <- Facts].

carriers([{blocks, Blocks}, {carriers, Now, Recent, Peak}, {mseg_alloc_carriers, Segments},
    {sys_alloc_carriers, System},
          {carriers_size, Size, RecentSize, PeakSize}, {mseg_alloc_carriers_size, SegmentSize},
          {sys_alloc_carriers_size, SystemSize}]) ->
    Used = lists:sum([element(2, lists:keyfind(size, 1, Facts)) || {_, Facts} <- Blocks]),
    [Now =< Recent, Recent =< Peak, Now =:= Segments + System,
     Size =< RecentSize, RecentSize =< PeakSize, Size =:= SegmentSize + SystemSize, Used =< Size].

%% {Count, Bytes, PeakOfBytes} of the blocks of one type, wherever they are.
blocks(Type) ->
    Found = [Facts || {_, Instances} <- erlang:system_info({allocator, erlang:system_info(alloc_util_allocators)}),
                      is_list(Instances), {instance, _, Parts} <- Instances,
                      {_, [{blocks, Blocks} | _]} <- Parts, {Of, Facts} <- Blocks, Of =:= Type],
    Sum = fun(Key, At) -> lists:sum([element(At, Tuple) || Facts <- Found, Tuple <- [lists:keyfind(Key, 1, Facts)],
                                                           At =< tuple_size(Tuple)]) end,
    {Sum(count, 2), Sum(size, 2), Sum(size, 4)}.

%% The blocks when what was used before has been freed, which other threads may do a little later.
settled(Type, Blocks, Tries) ->
    timer:sleep(20),
    case blocks(Type) of
        Blocks -> Blocks;
        Others when Tries > 0 -> settled(Type, Others, Tries - 1);
        Others -> Others
    end.

%% How much more there is while the processes live that `Fill` makes, and whether it is gone afterwards.
grows(What, Type, Count, Bytes, Fill) ->
    erlang:garbage_collect(),
    {CountBefore, BytesBefore, _} = settled(Type, blocks(Type), 100),
    Processes = Fill(),
    {CountThen, BytesThen, _} = blocks(Type),
    value(What, [CountThen - CountBefore >= Count, BytesThen - BytesBefore >= Bytes,
        BytesThen - BytesBefore < Bytes * 4 + 1000000]),
    [begin
         Monitor = monitor(process, Process),
         exit(Process, kill),
         receive {'DOWN', Monitor, process, Process, _} -> ok end
     end || Process <- Processes],
    Gone = apart:wait(fun() -> element(2, blocks(Type)) < BytesBefore + Bytes div 4 end, true, 400),
    value(gone, Gone),
    {_, _, Peak} = blocks(Type),
    value(peak, Peak >= BytesBefore + Bytes).

holder(Make) ->
    Me = self(),
    Process = spawn(fun() -> Held = Make(), Me ! {held, self()}, receive never -> Held end end),
    receive {held, Process} -> Process end.

large_binaries() ->
    grows(large_binaries, binary_alloc, 15, 20 * 1000000,
          fun() -> [holder(fun() -> [binary:copy(<<N>>, 1000000) || N <- lists:seq(1, 20)] end)] end).

small_binaries() ->
    grows(small_binaries, binary_alloc, 9900, 9900 * 1000,
          fun() -> [holder(fun() -> [binary:copy(<<N>>, 1000) || N <- lists:seq(1, 10000)] end)] end).

objects() ->
    grows(objects, ets_alloc, 9900, 9900 * 200,
          fun() ->
                  [holder(fun() ->
                                  Table = ets:new(table, []),
                                  [ets:insert(Table, {N, lists:seq(1, 20)}) || N <- lists:seq(1, 10000)]
                          end)]
          end).

heaps() ->
    %% Others collect meanwhile, and give back blocks of their own.
    grows(heaps, eheap_alloc, 10, 10 * 4000000,
          fun() -> [holder(fun() -> lists:seq(1, 150000) end) || _ <- lists:seq(1, 20)] end).

%% What erlang:memory and others of OTP build upon: an answer of each scheduler.
answers() ->
    Reference = make_ref(),
    value(asked, erlang:system_info({allocator_sizes, Reference, [binary_alloc, test_alloc]})),
    Answers = [receive {Reference, Number, Facts} -> {Number, Facts} end
               || _ <- lists:seq(1, erts_internal:no_aux_work_threads() - 1)],
    value(numbers, lists:sort([Number || {Number, _} <- Answers]) =:= lists:seq(1, length(Answers))),
    All = lists:append([Facts || {_, Facts} <- Answers]),
    value(test_alloc, [Fact || {test_alloc, _} = Fact <- All]),
    value(binary_alloc, [is_list(Facts) || {binary_alloc, 0, Facts} <- All]).

tools() ->
    Info = proplists:get_value(alloc_info, observer_backend:sys_info()),
    value(observer, [Name || {Name, _} <- Info]),
    {ok, {Start, Carriers}} = instrument:carriers(#{histogram_start => 1024, histogram_width => 5}),
    value(start, Start),
    value(carriers, lists:usort([{is_atom(Type), is_boolean(InPool), Bytes >= 1, NotSeen < Bytes, is_list(Blocks),
        tuple_size(Free)}
                                || {Type, InPool, Bytes, NotSeen, Blocks, Free} <- Carriers])),
    value(types, lists:sort([eheap_alloc, fix_alloc, std_alloc] -- [element(1, Carrier) || Carrier <- Carriers])),
    %% Not in OTP 29.
    _ = code:ensure_loaded(erts_alloc_config),
    erlang:function_exported(erts_alloc_config, save_scenario, 0) andalso configuration(),
    Report = system_information:report(),
    value(report, is_list(Report)).

%% A configuration is made of what was used; the machine must take it.
configuration() ->
    ok = erts_alloc_config:save_scenario(),
    value(configuration, erts_alloc_config:make_config("allocators.config")),
    {ok, Text} = file:read_file("allocators.config"),
    ok = file:delete("allocators.config"),
    value(undefined, binary:matches(Text, <<"undefined">>)).

errors() ->
    [that(Label, fun() -> see:id(erlang:system_info(Item)) end)
     || {Label, Item} <- [{"no names", {allocator, []}}, {"no sizes", {allocator_sizes, []}},
         {"not there", {allocator, test_alloc}},
                          {"sizes of none", {allocator_sizes, alloc_util}}, {"a number", {allocator, 5}},
                          {"one wrong", {allocator, [fix_alloc, x]}}, {"improper", {allocator, [binary_alloc | x]}},
                          {"wrong", {allocator, x}}, {"none asked", {allocator, make_ref(), []}},
                          {"wrong asked", {allocator, make_ref(), [x]}},
                          {"nobody asked", {allocator, x, [fix_alloc]}}]].
