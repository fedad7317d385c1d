%% Processes that end with large reasons: what their links and monitors get, with and without tags, from one watcher to
%% many, and what comes through others.
-module(large_reasons).
-export([main/0]).

main() ->
    [io:format("~w words, ~w watchers: ~p~n", [Size, Count, watched(Size, Count)])
        || Size <- [0, 10, 1000, 1100, 60000], Count <- [1, 2, 24]],
    io:format("passed on: ~p~n", [passed_on()]),
    io:format("signals: ~p~n", [signals()]),
    io:format("binaries: ~p~n", [binaries()]),
    io:format("collected: ~p~n", [collected()]).

reason(Size) -> {reason, lists:seq(1, Size div 2)}.

%% A third of them are linked too, and half of those trap exits; the others end by the link.
watched(Size, Count) ->
    Me = self(),
    Ends = spawn(fun() -> receive go -> exit(reason(Size)) end end),
    Watcher = fun(Number) ->
        process_flag(trap_exit, Number rem 2 =:= 0),
        Number rem 3 =:= 0 andalso link(Ends),
        Tag = lists:nth(1 + Number rem 4, ['DOWN', {tag, Number}, lists:seq(1, 20), <<0:1600>>]),
        Monitor = monitor(process, Ends, [{tag, Tag}]),
        Me ! ready,
        First = Number rem 6 =:= 0 andalso receive {'EXIT', Ends, Reason} -> erlang:phash2(Reason) end,
        receive
            {Tag, Monitor, process, Ends, _} when Number rem 6 =:= 3 -> receive never -> ok end;
            {Tag, Monitor, process, Ends, Told} -> Me ! {self(), First, erlang:phash2(Told)}
        end
    end,
    {Watchers, Monitors} = lists:unzip([spawn_monitor(fun() -> Watcher(Number) end) || Number <- lists:seq(1, Count)]),
    [receive ready -> ok end || _ <- Watchers],
    Ends ! go,
    Ended = [receive {'DOWN', Monitor, _, _, Reason} -> erlang:phash2(Reason) end || Monitor <- Monitors],
    Answers = [receive {Watcher_, First, Told} -> {First, Told} after 0 -> none end || Watcher_ <- Watchers],
    {lists:usort(Answers), lists:usort(Ended)}.

%% The reason goes along a chain of links; the last process traps it.
passed_on() ->
    Me = self(),
    Chain = fun
        Chain(0) -> Me ! {last, self()}, receive go -> exit(reason(5000)) end;
        Chain(Number) -> spawn_link(fun() -> Chain(Number - 1) end), receive never -> ok end
    end,
    process_flag(trap_exit, true),
    First = spawn_link(fun() -> Chain(20) end),
    receive {last, Last} -> Last ! go end,
    receive {'EXIT', First, Reason} -> Reason =:= reason(5000) end.

signals() ->
    Large = reason(5000),
    Traps = fun() -> process_flag(trap_exit, true), receive {'EXIT', _, Reason} -> exit({got, Reason}) end end,
    {Trapping, Monitor} = spawn_monitor(Traps),
    until_trapping(Trapping),
    exit(Trapping, Large),
    {Dying, Other} = spawn_monitor(fun() -> receive never -> ok end end),
    exit(Dying, Large),
    [receive {'DOWN', Reference, process, _, Reason} -> Reason =:= Expected end
        || {Reference, Expected} <- [{Monitor, {got, Large}}, {Other, Large}]].

until_trapping(Pid) ->
    case process_info(Pid, trap_exit) of
        {trap_exit, true} -> ok;
        _ -> erlang:yield(), until_trapping(Pid)
    end.

%% Long binaries in a reason and in a tag.
binaries() ->
    Long = binary:copy(<<"long">>, 1000),
    {_, Monitor} = spawn_opt(fun() -> exit({lists:seq(1, 1000), Long}) end, [{monitor, [{tag, {tag, Long}}]}]),
    receive {{tag, Long}, Monitor, process, _, {Numbers, Binary}} -> {length(Numbers), Binary =:= Long} end.

%% The message is collected before it is received, and after.
collected() ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit(reason(5000)) end),
    _ = until_gone(Pid),
    garbage_collect(),
    receive
        {'DOWN', Monitor, process, Pid, Reason} = Message ->
            garbage_collect(),
            {Reason =:= reason(5000), erts_debug:flat_size(Message) - erts_debug:flat_size(Monitor)}
    end.

until_gone(Pid) ->
    case is_process_alive(Pid) of
        true -> erlang:yield(), until_gone(Pid);
        false -> ok
    end.
