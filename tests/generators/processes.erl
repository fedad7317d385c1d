%% Random scenarios of many processes, by seed, whose outcome the language fixes whatever the schedulers do.
%%
%% The *actors* of a scenario send to each other all the time, and number what they send: each looks whether what comes
%% from one sender comes in order and whole. Between that they play short *games* with children that they start, which
%% link, monitor, register, trap, suspend, purge and so on. A *disturber* takes schedulers offline meanwhile and
%% collects.
%%
%% An actor lists the messages that it must still get (`awaited`), and keeps those that it did not expect (`early`): in
%% the end both must be empty. So a message that is lost, comes twice, or comes after it was called off, is seen.
-module(processes).
-export([start/0, woken/2]).

-record(actor, {number, peers, loads, bodies = 0, said = #{}, heard = #{}, awaited = #{}, early = #{}}).

-define(SCENARIO_MS, 120000).
-define(ONLY_MS, 10000).
%% Steps that an actor has at most.
-define(MOST_STEPS, 100).
-define(SETTLE_MS, 30000).

%% `start First Count`: runs the scenarios of these numbers.
%% `start only Number Steps...`: runs one scenario several times, each time with some of its steps (`3,4,117`, which
%% are numbers 3 and 4 of the first actor and number 17 of the second one); its lines then begin with 1, 2 and so on. A
%% step is the same whatever other steps there are.
start() ->
    logger:set_primary_config(level, none),
    load(1),
    prepare(),
    Before = held(),
    Totals =
        case init:get_plain_arguments() of
            ["only", Word | Lists] ->
                Number = list_to_integer(Word),
                [scenario(Number, Label, numbers(List), ?ONLY_MS) || {Label, List} <- lists:enumerate(Lists)];
            Words ->
                [First, Count] = [list_to_integer(Word) || Word <- Words],
                [scenario(Number, Number, all, ?SCENARIO_MS) || Number <- lists:seq(First, First + Count - 1)]
        end,
    settle(Before, ?SETTLE_MS),
    {Steps, Heard, Wrong} = lists:foldl(fun({A, B, C}, {D, E, F}) -> {A + D, B + E, C + F} end, {0, 0, 0}, Totals),
    Left = left(Before, held()),
    Left =:= [] orelse io:format("LEFT ~0tp~n", [Left]),
    io:format("~b scenarios, ~b steps, ~b messages, ~b wrong~n", [length(Totals), Steps, Heard, Wrong + length(Left)]),
    halt(min(1, Wrong + length(Left))).

%% Loads what is loaded at first use, so that it does not count as left.
prepare() ->
    {ok, Socket} = gen_udp:open(0),
    ok = gen_udp:close(Socket),
    _ = rand:uniform(),
    erlang:system_info(multi_scheduling).

%% What must be there in the end as at the start.
held() ->
    [{processes, erlang:system_info(process_count)}, {ports, erlang:system_info(port_count)},
        {tables, length(ets:all())},
     {names, length(registered())}].

left(Before, After) -> [{What, A, B} || {{What, A}, {What, B}} <- lists:zip(Before, After), A =/= B].

settle(Before, Left) ->
    %% Stock does not always come to its former number at once.
    erlang:system_flag(schedulers_online, erlang:system_info(schedulers)),
    case left(Before, held()) of
        [] -> ok;
        _ when Left =< 0 -> ok;
        _ -> timer:sleep(20), settle(Before, Left - 20)
    end.

%%% A scenario.

numbers(List) -> [list_to_integer(Word) || Word <- string:lexemes(List, ",")].

scenario(Number, Label, Kept, Ms) ->
    rand:seed(exsss, {Number, 0, 0}),
    Actors = 1 + rand:uniform(7),
    Steps = one_of([10, 30, 60, ?MOST_STEPS]),
    Main = self(),
    Started = [spawn_monitor(fun() -> actor(Main, Number, I, kept(I, Steps, Kept)) end) || I <- lists:seq(1, Actors)],
    Peers = list_to_tuple([receive {ready, Pid, Name, Alias} -> {Pid, Name, Alias} end || {Pid, _} <- Started]),
    {Disturber, Watch} =
        spawn_opt(fun() -> rand:seed(exsss, {Number, disturber(), 0}), disturb(Peers) end, [link, monitor]),
    erlang:start_timer(Ms, self(), {over, Label}),
    [Pid ! {peers, Peers} || {Pid, _} <- Started],
    collect(Label, Started, finished),
    %% The disturber ends before the actors do: a process that has ended cannot be suspended.
    unlink(Disturber),
    Disturber ! stop,
    Disturbed = receive {'DOWN', Watch, process, _, Reason} -> Reason end,
    [Pid ! check || {Pid, _} <- Started],
    Results = collect(Label, Started, result),
    [receive {'DOWN', Monitor, process, _, _} -> ok end || {_, Monitor} <- Started],
    Heard = lists:sum([H || {H, _} <- Results]),
    Wrong = [{disturber, Disturbed} || Disturbed =/= normal] ++ lists:append([W || {_, W} <- Results]),
    [io:format("WRONG in ~b: ~0tp~n", [Label, What]) || What <- Wrong],
    io:format("~b: ~b actors, ~b steps, ~b messages, ~b wrong~n",
        [Label, Actors, Actors * Steps, Heard, length(Wrong)]),
    {Actors * Steps, Heard, length(Wrong)}.

disturber() -> 1000.

%% The steps of an actor that are played.
kept(_, Steps, all) -> lists:seq(1, Steps);
kept(Actor, Steps, Kept) ->
    [Step || Step <- lists:seq(1, Steps), lists:member((Actor - 1) * ?MOST_STEPS + Step, Kept)].

%% The answer of each actor; a scenario that lasts too long ends the machine.
collect(Label, Started, Tag) ->
    [receive
         {Tag, Pid, Answer} -> Answer;
         {'DOWN', _, process, _, Reason} when Tag =:= finished; Reason =/= normal ->
             io:format("WRONG in ~b: actor died ~0tp~n", [Label, Reason]),
             halt(1);
         {timeout, _, {over, Label}} ->
             io:format("WRONG in ~b: hangs~n", [Label]),
             [io:format("~0tp~n", [process_info(P, [dictionary, current_stacktrace, status, message_queue_len,
                 messages])])
                 || {P, _} <- Started],
             halt(1)
     end || {Pid, _} <- Started].

%% Takes schedulers offline, blocks all others, collects and looks, until it is told to stop.
disturb(Peers) ->
    Online = erlang:system_info(schedulers),
    {Pid, _, _} = one_of(tuple_to_list(Peers)),
    case rand:uniform(9) of
        N when N =< 2 -> erlang:system_flag(schedulers_online, rand:uniform(Online));
        3 -> erlang:system_flag(multi_scheduling, block), erlang:system_flag(multi_scheduling, unblock);
        4 -> erlang:system_flag(multi_scheduling, block_normal), erlang:system_flag(multi_scheduling, unblock_normal);
        5 -> erlang:garbage_collect(Pid);
        6 -> process_info(Pid, [messages, links, monitors, monitored_by, current_stacktrace]);
        7 -> true = lists:member(self(), processes());
        8 -> [] = [Port || Port <- erlang:ports(), not is_port(Port)];
        9 -> erlang:suspend_process(Pid), nap(), erlang:resume_process(Pid)
    end,
    receive
        stop -> erlang:system_flag(schedulers_online, Online)
    after rand:uniform(4) - 1 -> disturb(Peers)
    end.

%%% An actor.

actor(Main, Scenario, Number, Steps) ->
    rand:seed(exsss, {Scenario, Number, 0}),
    process_flag(trap_exit, true),
    Name = name(Number, 0),
    register(Name, self()),
    Main ! {ready, self(), Name, alias()},
    Peers = receive {peers, Tuple} -> Tuple end,
    put(wrong, []),
    A = steps(Scenario, Steps, #actor{number = Number, peers = Peers, loads = Number =:= 1}),
    Others = [I || I <- lists:seq(1, tuple_size(Peers)), I =/= Number],
    %% What was said last tells the others how much that was.
    B = lists:foldl(fun(I, C) -> say(I, {last, maps:get(I, C#actor.said, 0) + 1}, C) end, A, Others),
    C = wait(Others, B),
    Main ! {finished, self(), true},
    receive check -> ok end,
    unregister(Name),
    D = drain(C),
    [wrong({never_expected, M}) || M <- maps:keys(D#actor.early)],
    Heard = lists:sum([N || {N, _} <- maps:values(D#actor.heard)]) + D#actor.bodies,
    Main ! {result, self(), {Heard, get(wrong)}}.

name(Number, K) -> list_to_atom("actor_" ++ integer_to_list(Number) ++ "_" ++ integer_to_list(K)).

wrong(What) -> put(wrong, [{get(at), What} | get(wrong)]), ok.

%% A check of a game: the two must be equal.
same(Wanted, Wanted) -> ok;
same(Wanted, Found) -> wrong({wanted, Wanted, found, Found}).

one(Found, Allowed) -> lists:member(Found, Allowed) orelse wrong({wanted_one_of, Allowed, found, Found}), ok.

steps(_, [], A) -> A;
steps(Scenario, [Step | Steps], A) ->
    seed({Scenario, A#actor.number, Step}),
    Game = game(A),
    put(at, {A#actor.number, Step, Game}),
    B = drain(play(Game, A)),
    steps(Scenario, Steps, B).

%% Seeds of three numbers whose sums are equal would give the same steps.
seed(Step) -> rand:seed(exsss, erlang:phash2(Step, 1 bsl 32)).

game(A) ->
    one_of([say, say, say, say, say, say, ordered, link_late, monitor_late, unlink, relink, demonitor, timer, timer,
        timers, peer_timer,
            register, exclusive, alias, reply_alias, reply_demonitor, spawn_request, abandon, trap, untrap, suspend,
            info,
            collect, hibernate, leader, heir, port, port, calls, dying, dying, settings, kill_many]
           ++ [Game || A#actor.loads, Game <- [code, code, code, soft]]).

%% Waits until the others have said all, and until nothing more is awaited.
wait(Others, A) ->
    Complete = lists:all(fun(I) -> case maps:get(I, A#actor.heard, none) of {N, N} -> true; _ -> false end end, Others),
    case Complete andalso map_size(A#actor.awaited) =:= 0 of
        true -> A;
        false -> put(at, {waits, A#actor.awaited, A#actor.heard}), receive M -> wait(Others, handle(M, A)) end
    end.

drain(A) -> receive M -> drain(handle(M, A)) after 0 -> A end.

handle({say, From, N, Body, Hash}, A) -> said(From, N, Body, Hash, A);
handle({'EXIT', _, {say, From, N, Body, Hash}}, A) -> said(From, N, Body, Hash, A);
handle(Message, #actor{awaited = Awaited, early = Early} = A) ->
    case Awaited of
        #{Message := 1} -> A#actor{awaited = maps:remove(Message, Awaited), bodies = A#actor.bodies + 1};
        #{} -> A#actor{early = maps:update_with(Message, fun(N) -> N + 1 end, 1, Early)}
    end.

%% Each message is awaited once: all contain something unique.
await(Message, #actor{awaited = Awaited, early = Early} = A) ->
    case Early of
        #{Message := 1} -> A#actor{early = maps:remove(Message, Early), bodies = A#actor.bodies + 1};
        #{} -> A#actor{awaited = Awaited#{Message => 1}}
    end.

said(From, N, Body, Hash, #actor{heard = Heard} = A) ->
    {Before, _} = maps:get(From, Heard, {0, all}),
    same({From, Before + 1}, {From, N}),
    same(Hash, erlang:phash2(Body)),
    B = A#actor{heard = Heard#{From => {N, case Body of {last, Last} -> Last; _ -> none end}}},
    case Body of
        %% Whether there is one depends on chance, so it does not count.
        {await, Message} -> await(Message, B#actor{bodies = B#actor.bodies - 1});
        _ -> B
    end.

%% Sends something numbered to another actor, in one of the ways that keep to one order.
say(To, Body, #actor{number = Me, peers = Peers, said = Said} = A) ->
    N = maps:get(To, Said, 0) + 1,
    {Pid, Name, Alias} = element(To, Peers),
    Message = {say, Me, N, Body, erlang:phash2(Body)},
    case rand:uniform(7) of
        1 -> Name ! Message;
        2 -> Alias ! Message;
        3 -> exit(Pid, Message);
        4 -> erlang:send(Pid, Message, [nosuspend, noconnect]);
        5 -> {Name, node()} ! Message;
        _ -> Pid ! Message
    end,
    A#actor{said = Said#{To => N}}.

body() ->
    case rand:uniform(6) of
        1 -> crypto(200);
        2 -> lists:seq(1, rand:uniform(300));
        3 -> #{a => {rand:uniform(10), self()}, b => make_ref()};
        4 -> binary:part(crypto(3000), 7, 100);
        5 -> fun() -> rand:uniform(10) end;
        _ -> rand:uniform(1000)
    end.

crypto(Bytes) -> binary:copy(<<(rand:uniform(256) - 1)>>, Bytes).

peer(#actor{number = Me, peers = Peers}) ->
    case [I || I <- lists:seq(1, tuple_size(Peers)), I =/= Me] of
        [] -> none;
        Others -> one_of(Others)
    end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

%% Some time, mostly none.
nap() -> nap(rand:uniform(12)).

nap(1) -> receive after 1 -> ok end;
nap(2) -> receive after 0 -> ok end;
nap(N) when N < 6 -> erlang:yield();
nap(N) when N < 9 -> spin(rand:uniform(400));
nap(_) -> ok.

spin(0) -> ok;
spin(N) -> spin(N - 1).

%% A child with random numbers of its own, drawn from the parent's.
child(Fun) -> child(Fun, []).

child(Fun, Options) ->
    Seed = {rand:uniform(1 bsl 30), 1, 2},
    spawn_opt(fun() -> rand:seed(exsss, Seed), Fun() end, one_of([[], [], [{priority, low}],
        [{message_queue_data, off_heap}], [{min_heap_size, 1000}]]) ++ Options).

tell(Parent, What) -> Parent ! {from, self(), What}.

%% Tells 1 to K, then ends.
counts(Parent, K, Reason) ->
    fun() -> nap(), [begin tell(Parent, I), nap(9) end || I <- lists:seq(1, K)], nap(), exit(Reason) end.

%% Everything that a child told, until its end is told.
all_of(Pid) ->
    receive
        {from, Pid, What} -> [What | all_of(Pid)];
        {'EXIT', Pid, Reason} -> [{exit, Reason}];
        {'DOWN', _, process, Pid, Reason} -> [{down, Reason}]
    end.

told(Pid) -> receive {from, Pid, What} -> What end.

down(Monitor) -> receive {'DOWN', Monitor, _, _, Reason} -> Reason end.

ended(Pid) -> down(monitor(process, Pid)).

reason() -> {because, make_ref(), body()}.

%%% Games.

play(say, A) ->
    lists:foldl(fun(_, B) -> case peer(B) of none -> B; To -> say(To, body(), B) end end, A,
        lists:seq(1, rand:uniform(20)));
play(ordered, A) ->
    K = rand:uniform(20), Reason = reason(),
    {Ends, Pid} = case rand:uniform(2) of
        1 -> {exit, child(counts(self(), K, Reason), [link])};
        2 -> {down, element(1, child(counts(self(), K, Reason), [monitor]))}
    end,
    same(lists:seq(1, K) ++ [{Ends, Reason}], all_of(Pid)),
    A;
play(link_late, A) ->
    K = rand:uniform(10), Reason = reason(),
    Pid = child(counts(self(), K, Reason)),
    nap(), nap(),
    link(Pid),
    Found = all_of(Pid),
    same(lists:seq(1, K), lists:droplast(Found)),
    one(lists:last(Found), [{exit, Reason}, {exit, noproc}]),
    A;
play(monitor_late, A) ->
    K = rand:uniform(10), Reason = reason(),
    Pid = child(counts(self(), K, Reason)),
    nap(), nap(),
    monitor(process, Pid),
    Found = all_of(Pid),
    same(lists:seq(1, K), lists:droplast(Found)),
    one(lists:last(Found), [{down, Reason}, {down, noproc}]),
    A;
play(unlink, A) ->
    Pid = child(fun() -> nap(), nap(), exit(unlinked) end, [link]),
    nap(),
    true = unlink(Pid),
    receive {'EXIT', Pid, unlinked} -> ok after 0 -> ok end,
    A;
play(relink, A) -> relink(), A;
play(demonitor, A) -> demonitored(), A;
play(timer, A) -> timer(), A;
play(timers, A) ->
    lists:foldl(fun(I, B) ->
        case rand:uniform(2) of
            1 -> await({timeout, erlang:start_timer(rand:uniform(4) - 1, self(), I), I}, B);
            2 -> Message = {late, make_ref()}, erlang:send_after(rand:uniform(4) - 1, self(), Message),
            await(Message, B)
        end end, A, lists:seq(1, rand:uniform(20)));
play(peer_timer, A) ->
    %% A timer for another actor: it fires or was cancelled, and the other learns which.
    case peer(A) of
        none -> A;
        To ->
            {Pid, Name, _} = element(To, A#actor.peers),
            Ref = erlang:start_timer(rand:uniform(3) - 1, one_of([Pid, Name]), for_peer),
            nap(),
            case erlang:cancel_timer(Ref) of
                false -> say(To, {await, {timeout, Ref, for_peer}}, A);
                _ -> say(To, {nothing, Ref}, A)
            end
    end;
play(register, A) -> registered_name(A), A;
play(exclusive, A) -> exclusive(name(A#actor.number, 2)), A;
play(alias, A) -> aliased(), A;
play(reply_alias, A) ->
    Alias = alias([reply]), K = rand:uniform(5),
    Pid = child(sends(self(), Alias, K)),
    sent = told(Pid),
    same([1], through(Alias)),
    A;
play(reply_demonitor, A) ->
    %% The first message ends the alias and the monitor.
    Kind = one_of([explicit_unalias, demonitor, reply_demonitor]), K = rand:uniform(5), Parent = self(),
    Pid = child(fun() -> receive go -> ok end, (sends(Parent, receive {alias, Alias} -> Alias end, K))(), nap(),
        exit(done) end),
    Alias = monitor(process, Pid, [{alias, Kind}]),
    Watch = monitor(process, Pid),
    Pid ! {alias, Alias}, Pid ! go,
    done = down(Watch),
    sent = told(Pid),
    same(case Kind of reply_demonitor -> [1]; _ -> lists:seq(1, K) end, through(Alias)),
    case Kind of
        reply_demonitor -> ok;
        _ -> done = down(Alias), Kind =:= explicit_unalias andalso unalias(Alias)
    end,
    A;
play(spawn_request, A) ->
    K = rand:uniform(3), Reason = reason(), Parent = self(),
    Ref = spawn_request(fun() -> (counts(Parent, K, Reason))() end, [one_of([link, monitor])]),
    nap(),
    Pid = receive {spawn_reply, Ref, ok, New} -> New end,
    Found = all_of(Pid),
    same(lists:seq(1, K), lists:droplast(Found)),
    one(lists:last(Found), [{down, Reason}, {exit, Reason}]),
    A;
play(abandon, A) ->
    Parent = self(),
    Ref = spawn_request(fun() -> tell(Parent, {i_am, self()}) end, [{reply_tag, {tag, make_ref()}}]),
    nap(),
    case spawn_request_abandon(Ref) of
        true -> ok;
        false -> receive {{tag, _}, Ref, ok, _} -> ok after 0 -> wrong(no_spawn_reply) end
    end,
    receive {from, _, {i_am, Pid}} -> ended(Pid) end,
    A;
play(trap, A) ->
    %% What came before trapping is turned off is trapped: the message that tells to do that came later.
    Parent = self(), K = rand:uniform(3),
    {Pid, _} = child(fun() ->
        process_flag(trap_exit, true), tell(Parent, ready), receive go -> nap() end,
        process_flag(trap_exit, false),
        tell(Parent, [receive {'EXIT', Parent, I} -> I after 0 -> none end || I <- lists:seq(1, K)]) end, [monitor]),
    ready = told(Pid),
    [exit(Pid, I) || I <- lists:seq(1, K)],
    Pid ! go,
    same([lists:seq(1, K), {down, normal}], all_of(Pid)),
    A;
play(untrap, A) ->
    %% What comes before trapping is turned on ends the process, except for the reason normal.
    Parent = self(), Reason = one_of([boom, kill, normal]),
    {Pid, _} = child(fun() ->
        tell(Parent, ready), receive go -> nap() end, process_flag(trap_exit, true), tell(Parent, survived) end,
        [monitor]),
    ready = told(Pid),
    exit(Pid, normal), exit(Pid, Reason), exit(Pid, normal),
    Pid ! go,
    same(case Reason of boom -> [{down, boom}]; kill -> [{down, killed}]; normal -> [survived, {down, normal}] end,
        all_of(Pid)),
    A;
play(suspend, A) -> suspended(), A;
play(info, A) ->
    Items = [Item || Item <- [status, message_queue_len, links, monitors, monitored_by, trap_exit, registered_name,
        reductions, memory,
                     heap_size, priority, group_leader, current_function, current_stacktrace, dictionary, messages,
                     suspending,
                     binary, garbage_collection], rand:uniform(2) =:= 1],
    {Pid, _, _} = one_of(tuple_to_list(A#actor.peers)),
    Info = process_info(Pid, Items),
    same(Items, [Item || {Item, _} <- Info]),
    same(true, proplists:get_value(trap_exit, Info, true)),
    same(true, is_process_alive(Pid)),
    A;
play(collect, A) ->
    {Pid, _, _} = one_of(tuple_to_list(A#actor.peers)),
    case rand:uniform(3) of
        1 -> same(true, erlang:garbage_collect(Pid)), A;
        2 -> Id = make_ref(), async = erlang:garbage_collect(Pid, [{async, Id}, {type, one_of([minor, major])}]),
             await({garbage_collect, Id, true}, A);
        3 -> Id = make_ref(), async = erlang:check_process_code(Pid, lists, [{async, Id}]),
             await({check_process_code, Id, false}, A)
    end;
play(hibernate, A) ->
    Parent = self(), Kept = body(),
    {Pid, _} = child(fun() -> erlang:hibernate(?MODULE, woken, [Parent, Kept]) end, [monitor]),
    nap(), nap(),
    same(true, erlang:garbage_collect(Pid)),
    Pid ! {wake, 17},
    same([{Kept, 17}, {down, normal}], all_of(Pid)),
    A;
play(leader, A) ->
    Parent = self(),
    {Pid, _} = child(fun() -> receive go -> tell(Parent, group_leader()) end end, [monitor]),
    true = group_leader(self(), Pid),
    same({group_leader, self()}, process_info(Pid, group_leader)),
    Pid ! go,
    same([self(), {down, normal}], all_of(Pid)),
    A;
play(heir, A) -> heir(A);
play(port, A) -> port(), A;
play(calls, A) -> calls(), A;
play(dying, A) ->
    %% Nobody waits for these now.
    lists:foldl(fun(_, B) ->
        Reason = reason(),
        case rand:uniform(3) of
            1 -> await({'EXIT', child(fun() -> nap(), exit(Reason) end, [link]), Reason}, B);
            2 -> {Pid, Watch} = child(fun() -> nap(), exit(Reason) end, [monitor]),
                 await({'DOWN', Watch, process, Pid, Reason}, B);
            3 -> Pid = child(fun() -> receive never -> ok end end, [link]),
                 exit(Pid, Reason), exit(Pid, too_late),
                 await({'EXIT', Pid, Reason}, B)
        end end, A, lists:seq(1, rand:uniform(10)));
play(settings, A) ->
    process_flag(priority, one_of([low, normal, normal, high])),
    process_flag(message_queue_data, one_of([on_heap, off_heap])),
    process_flag(fullsweep_after, one_of([0, 20, 65535])),
    A;
play(kill_many, A) ->
    %% A tree of links dies as one.
    Parent = self(), K = rand:uniform(10),
    Root = child(fun() ->
        Children = [spawn_link(fun() -> receive never -> ok end end) || _ <- lists:seq(1, K)],
        tell(Parent, Children), receive never -> ok end end),
    Children = told(Root),
    Watches = [monitor(process, Pid) || Pid <- [Root | Children]],
    nap(),
    exit(one_of([Root | Children]), felled),
    same([felled || _ <- Watches], [down(Watch) || Watch <- Watches]),
    A;
play(code, A) -> purged(), A;
play(soft, A) -> softly_purged(), A.

until(Counter, N) -> until(Counter, N, 100).

%% At high priority, yielding alone would keep the others from running.
until(Counter, N, Turns) ->
    case atomics:get(Counter, 1) >= N of
        true -> ok;
        false when Turns > 0 -> erlang:yield(), until(Counter, N, Turns - 1);
        false -> receive after 1 -> until(Counter, N, 100) end
    end.

woken(Parent, Kept) -> receive {wake, N} -> tell(Parent, {Kept, N}) end.

%% Both sides link and unlink; in the end the parent decides.
relink() ->
    Parent = self(), K = rand:uniform(10),
    {Pid, Watch} = child(fun() ->
        process_flag(trap_exit, true),
        [begin link(Parent), nap(9), unlink(Parent), nap(8) end || _ <- lists:seq(1, K)],
        tell(Parent, looped),
        receive die -> exit(relinked) end end, [monitor]),
    [begin link(Pid), nap(8), unlink(Pid), nap(9) end || _ <- lists:seq(1, rand:uniform(10))],
    looped = told(Pid),
    IsLinked = rand:uniform(2) =:= 1,
    case IsLinked of
        true -> link(Pid);
        false -> unlink(Pid)
    end,
    Pid ! die,
    same(relinked, down(Watch)),
    case IsLinked of
        true -> receive {'EXIT', Pid, Reason} -> same(relinked, Reason) end;
        false -> ok
    end.

demonitored() ->
    Pid = child(fun() -> nap(), nap() end),
    Watch = monitor(process, Pid),
    nap(),
    case rand:uniform(3) of
        1 -> true = demonitor(Watch, [flush]);
        2 -> demonitor(Watch, [flush, info]);
        3 -> case demonitor(Watch, [info]) of
                 true -> ok;
                 false -> receive {'DOWN', Watch, process, Pid, _} -> ok after 0 -> wrong(no_down) end
             end
    end,
    ended(Pid).

%% A timer was cancelled, and sends nothing, or its message is there.
timer() ->
    Ref = erlang:start_timer(one_of([0, 0, 1, 1, 2, 5, 1000]), self(), for_me),
    nap(),
    case erlang:read_timer(Ref) of false -> ok; Ms when Ms >= 0, Ms =< 1000 -> ok end,
    Left = case rand:uniform(2) of
        1 -> erlang:cancel_timer(Ref);
        2 -> erlang:cancel_timer(Ref, [{async, true}]), receive {cancel_timer, Ref, Result} -> Result end
    end,
    case Left of
        false -> receive {timeout, Ref, for_me} -> ok after 0 -> wrong(no_timeout) end;
        _ -> same(false, erlang:cancel_timer(Ref))
    end.

%% When a process is known to be gone, nothing of it is there.
registered_name(A) ->
    Name = name(A#actor.number, 1), Parent = self(),
    {Pid, Watch} = child(fun() ->
        T = ets:new(table, [public]), erlang:start_timer(100000, self(), never),
        tell(Parent, T), receive die -> nap(), exit(gone) end end, [monitor]),
    T = told(Pid),
    same(true, register(Name, Pid)),
    rand:uniform(2) =:= 1 andalso link(Pid),
    ets:insert(T, {1, body()}),
    case rand:uniform(2) of
        1 -> Name ! die;
        2 -> exit(whereis(Name), kill)
    end,
    rand:uniform(3) =:= 1 andalso link(Pid),
    receive {'EXIT', Pid, _} -> ok; {'DOWN', Watch, _, _, _} -> self() ! {'DOWN', Watch, process, Pid, again} end,
    same({undefined, undefined, undefined, false}, {whereis(Name), ets:info(T, size), process_info(Pid),
        is_process_alive(Pid)}),
    same(false, lists:member(Pid, processes())),
    down(Watch),
    {Next, Later} = child(fun() -> receive die -> ok end end, [monitor]),
    same(true, register(Name, Next)),
    same({registered_name, Name}, process_info(Next, registered_name)),
    rand:uniform(2) =:= 1 andalso same(true, unregister(Name)),
    unlink(Pid),
    receive {'EXIT', Pid, _} -> ok after 0 -> ok end,
    Next ! die,
    same(normal, down(Later)).

%% Of those who want one name at once, one gets it.
exclusive(Name) ->
    Parent = self(),
    Started = [child(fun() ->
        nap(9), tell(Parent, try register(Name, self()) catch error:badarg -> false end), receive die -> ok end end,
        [monitor])
        || _ <- lists:seq(1, 4)],
    Won = [told(Pid) || {Pid, _} <- Started],
    same([false, false, false, true], lists:sort(Won)),
    {{Owner, _}, true} = lists:keyfind(true, 2, lists:zip(Started, Won)),
    same(Owner, whereis(Name)),
    [Pid ! die || {Pid, _} <- Started],
    [down(Watch) || {_, Watch} <- Started],
    same(undefined, whereis(Name)).

sends(Parent, Alias, K) -> fun() -> [begin Alias ! {through, Alias, I}, nap(9) end || I <- lists:seq(1, K)],
    tell(Parent, sent) end.

through(Alias) -> receive {through, Alias, I} -> [I | through(Alias)] after 0 -> [] end.

aliased() ->
    Alias = alias(), K = rand:uniform(20),
    Pid = child(sends(self(), Alias, K)),
    nap(), nap(),
    same(true, unalias(Alias)),
    Found = through(Alias),
    same(lists:seq(1, length(Found)), Found),
    sent = told(Pid),
    same([], through(Alias)),
    same(false, unalias(Alias)).

suspended() ->
    Counter = atomics:new(1, []),
    Pid = child(fun() -> counting(Counter) end),
    Watch = monitor(process, Pid),
    K = rand:uniform(3),
    [true = erlang:suspend_process(Pid) || _ <- lists:seq(1, K)],
    same({status, suspended}, process_info(Pid, status)),
    First = atomics:get(Counter, 1),
    nap(), nap(),
    same(First, atomics:get(Counter, 1)),
    case rand:uniform(3) of
        1 -> ok;
        _ -> [true = erlang:resume_process(Pid) || _ <- lists:seq(1, K)], until(Counter, First + 1)
    end,
    exit(Pid, kill),
    same(killed, down(Watch)).

counting(Counter) -> atomics:add(Counter, 1, 1), receive never -> ok after 0 -> counting(Counter) end.

heir(A) ->
    Parent = self(), Data = make_ref(),
    {Pid, Watch} = child(fun() ->
        T = ets:new(inherited, [{heir, Parent, Data}, one_of([set, ordered_set])]),
        ets:insert(T, [{I, Data} || I <- lists:seq(1, 20)]),
        tell(Parent, T), nap(),
        case rand:uniform(3) of
            1 -> ets:give_away(T, Parent, Data);
            _ -> ok
        end end, [monitor]),
    T = told(Pid),
    receive {'ETS-TRANSFER', T, Pid, Data} -> ok end,
    same(20, ets:select_count(T, [{{'_', Data}, [], [true]}])),
    same(self(), ets:info(T, owner)),
    ets:delete(T),
    same(normal, down(Watch)),
    A.

%% A port whose owner dies closes, whenever it became the owner.
port() ->
    {ok, Socket} = gen_udp:open(0, one_of([[], [{active, false}]])),
    Watches = [monitor(port, Socket) || _ <- lists:seq(1, rand:uniform(3))],
    {Pid, Ended} = child(fun() -> nap(), nap() end, [monitor]),
    nap(),
    Given = case rand:uniform(3) of
        %% It fails in several ways if the new owner dies.
        1 -> catch gen_udp:controlling_process(Socket, Pid);
        2 -> try erlang:port_connect(Socket, Pid) of true -> unlink(Socket), ok catch error:badarg -> badarg end;
        3 -> try unlink(Socket), erlang:port_connect(Socket, Pid), ok catch error:badarg -> badarg end
    end,
    same(normal, down(Ended)),
    case Given of
        ok -> ok;
        _ -> catch port_close(Socket)
    end,
    [down(Watch) || Watch <- Watches],
    same(undefined, erlang:port_info(Socket)),
    unlink(Socket),
    receive {'EXIT', Socket, _} -> ok after 0 -> ok end.

%% A server that dies between two calls: each is answered or told.
calls() ->
    K = rand:uniform(20), Until = rand:uniform(30),
    Pid = child(fun() -> serve(Until) end),
    Answers = [begin
        Ref = monitor(process, Pid, [{alias, reply_demonitor}]),
        Pid ! {call, Ref, I},
        receive {Ref, I} -> ok; {'DOWN', Ref, _, _, Reason} -> Reason end end || I <- lists:seq(1, K)],
    same([case I =< Until of true -> ok; false -> ended end || I <- lists:seq(1, K)],
        [case Answer of ok -> ok; tired -> ended; noproc -> ended end || Answer <- Answers]),
    K < Until + 1 andalso exit(Pid, kill),
    ended(Pid).

serve(0) -> nap(), exit(tired);
serve(Left) -> receive {call, Ref, I} -> Ref ! {Ref, I} end, serve(Left - 1).

%%% Code.

load(Version) ->
    Path = filename:join([filename:dirname(code:which(?MODULE)), integer_to_list(Version), "versions.beam"]),
    {ok, Binary} = file:read_file(Path),
    {module, versions} = code:load_binary(versions, Path, Binary),
    put(version, Version).

%% Funs of code that is purged have their right value first and are bad afterwards; who waits in the code is killed.
purged() ->
    Version = versions:version(), Funs = versions:funs(), Literal = versions:literal(), Parent = self(),
    Callers = [child(fun() -> tell(Parent, ready), call(Funs, Version, [], Parent) end, [monitor])
        || _ <- lists:seq(1, 3)],
    {Stays, Killed} = spawn_monitor(versions, stay, [Parent]),
    stays = told(Stays),
    [ready = told(Pid) || {Pid, _} <- Callers],
    load(Version rem 3 + 1),
    nap(),
    same(true, code:purge(versions)),
    same(killed, down(Killed)),
    [Pid ! stop || {Pid, _} <- Callers],
    [begin
        Found = all_of(Pid),
        one(lists:last(Found), [{down, normal}, {down, killed}]),
        [one(Called, [[right], [bad], [right, bad], []]) || {called, Called} <- Found]
     end || {Pid, _} <- Callers],
    [same(badfun, try Fun() catch error:{badfun, Fun} -> badfun end) || Fun <- Funs],
    same({Version, "a literal", [{Version, <<"of some words">>}], #{version => Version}}, Literal),
    same(Version rem 3 + 1, versions:version()).

%% Calls the funs in turn until told to stop; tells how they answered, without repetitions.
call([Fun | Funs], Version, Found, Parent) ->
    Answer = try Fun() of Version -> right; Other -> {value, Other} catch error:{badfun, Fun} -> bad; Class:Reason ->
        {Class, Reason} end,
    Next = case Found of
        [Answer | _] -> Found;
        _ -> [Answer | Found]
    end,
    receive stop -> tell(Parent, {called, lists:reverse(Next)}) after 0 -> call(Funs ++ [Fun], Version, Next, Parent)
        end.

%% Code in which somebody waits is not purged softly before that one has gone.
softly_purged() ->
    Version = versions:version(),
    {Stays, Watch} = spawn_monitor(versions, stay, [self()]),
    stays = told(Stays),
    load(Version rem 3 + 1),
    same(false, code:soft_purge(versions)),
    Stays ! go,
    same(normal, down(Watch)),
    same(true, code:soft_purge(versions)),
    same(Version rem 3 + 1, versions:version()).
