%% Objects of a native library behind references: how long they live, what they learn, who may read them.
%% needs: erl_nif.h
-module(resources).
-export([main/0, init/0, make/1, make_plain/0, make_and_drop/1, number/1, bytes/1, watch/2, unwatch/1, call/3]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    lives(),
    monitored_by(),
    binaries(),
    in_other_places(),
    watching(),
    calls(),
    many().

%% An object dies with the last term that refers to it.
lives() ->
    see:value("dropped", {make_and_drop(1), told()}),
    Object = make(2),
    see:value("kinds", {is_reference(Object), number(Object), number(make_ref()), number(a)}),
    see:value("one of another type", begin {One, Two, Enough} = make_plain(), {number(One), One =:= Two, Enough} end),
    collect(),
    see:value("lives on", {number(Object), told()}),
    see:value("equal", begin Copy = binary_to_term(term_to_binary(Object)), {Copy =:= Object, number(Copy)} end),
    see:value("after the last use", begin _ = see:id(Object), collect(), told() end),
    {Pid, Monitor} = spawn_monitor(fun() -> Own = make(3), receive stop -> number(Own) end end),
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value("owner", Reason) end,
    see:value("not told, for its owner is gone", told()).

%% Who monitors a process is shown as an object.
monitored_by() ->
    Object = make(5),
    Pid = spawn(fun() -> receive stop -> ok end end),
    {0, 1} = watch(Object, Pid),
    {monitored_by, Watchers} = process_info(Pid, monitored_by),
    see:value("monitored by", [number(Watcher) || Watcher <- Watchers]),
    see:value("not any more", {unwatch(Object), process_info(Pid, monitored_by)}),
    exit(Pid, kill),
    see:value("still there", number(Object)),
    told().

%% What has been told about objects, after a while.
told() ->
    collect(),
    lists:sort(receive_all()).

receive_all() ->
    receive {What, Number} when is_atom(What) -> [{What, Number} | receive_all()]
    after 100 -> []
    end.

collect() -> true = erlang:garbage_collect().

binaries() ->
    Bytes = bytes(make(10)),
    collect(),
    %% Whoever prints gets a copy: when that process collects is its own affair.
    see:value("bytes", {binary:copy(Bytes), told()}),
    Part = binary:part(Bytes, 3, 4),
    Long = <<Bytes/binary, Bytes/binary>>,
    see:value("part", {binary:copy(Part), Long, told()}),
    see:value("all gone", begin _ = see:id({Bytes, Part, Long}), told() end).

%% In messages, tables, environments of funs, other processes.
in_other_places() ->
    Table = ets:new(table, []),
    true = ets:insert(Table, {key, make(20)}),
    Holder = spawn_link(fun() -> receive {keep, Object} -> receive show -> exit_with(Object) end end end),
    Holder ! {keep, make(21)},
    persistent_term:put(?MODULE, make(22)),
    put(object, make(23)),
    see:value("kept", {number(ets:lookup_element(Table, key, 2)), number(persistent_term:get(?MODULE)),
        number(get(object)), told()}),
    Holder ! show,
    see:value("shown", receive {shown, Number} -> Number end),
    true = ets:delete(Table),
    erase(object),
    see:value("gone", told()),
    persistent_term:erase(?MODULE),
    timer:sleep(200),
    see:value("gone too", told()).

exit_with(Object) ->
    [Main] = element(2, process_info(self(), links)),
    Main ! {shown, number(Object)},
    unlink(Main).

watching() ->
    Object = make(30),
    {Pid, Monitor} = spawn_monitor(fun() -> receive stop -> ok end end),
    see:value("watch", watch(Object, Pid)),
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, _} -> ok end,
    see:value("told", told()),
    see:value("dead", watch(Object, Pid)),
    see:value("not there any more", unwatch(Object)),
    Other = spawn(fun() -> receive stop -> ok end end),
    see:value("watch and not", {watch(Object, Other), unwatch(Object), unwatch(Object)}),
    exit(Other, kill),
    see:value("not told", told()),
    Third = spawn(fun() -> receive stop -> ok end end),
    see:value("watch again", watch(make(31), Third)),
    see:value("object first", told()),
    exit(Third, kill),
    see:value("nothing more", told()),
    see:value("itself", watch(Object, self())),
    see:value("bad", begin {'EXIT', {Reason, _}} = (catch watch(Object, a)), Reason end),
    number(Object).

calls() ->
    Object = make(40),
    see:value("call", [call(Object, Module, Type) || {Module, Type} <- [{?MODULE, object}, {?MODULE, plain},
        {lists, object}]]),
    see:value("of no object", call(make_ref(), ?MODULE, object)),
    see:value("end", begin _ = number(Object), told() end).

many() ->
    Objects = [make(N) || N <- lists:seq(1000, 6000)],
    see:value("many", lists:sum([number(Object) || Object <- Objects])),
    Half = [Object || Object <- Objects, number(Object) rem 2 =:= 0],
    collect(),
    see:value("half", {length([1 || {destroyed, N} <- told(), N rem 2 =:= 1]), length(Half)}),
    Self = self(),
    Pids = [spawn_link(fun() -> [make_and_drop(N) || _ <- lists:seq(1, 1000)], Self ! {self(), length(receive_all())}
        end) || N <- lists:seq(1, 4)],
    see:value("in four processes", [receive {Pid, Count} -> Count end || Pid <- Pids]),
    see:value("watched by many", begin
        {Pid, _} = spawn_monitor(fun() -> receive stop -> ok end end),
        [{0, 1} = watch(Object, Pid) || Object <- Half],
        Pid ! stop,
        {length([1 || {down, _} <- told()]), length(see:id(Half))}
    end).

make(_) -> erlang:nif_error(not_loaded).
make_plain() -> erlang:nif_error(not_loaded).
make_and_drop(_) -> erlang:nif_error(not_loaded).
number(_) -> erlang:nif_error(not_loaded).
bytes(_) -> erlang:nif_error(not_loaded).
watch(_, _) -> erlang:nif_error(not_loaded).
unwatch(_) -> erlang:nif_error(not_loaded).
call(_, _, _) -> erlang:nif_error(not_loaded).
