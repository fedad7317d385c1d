%% Processes with heaps so large that collecting them takes long, which the machine may do beside everything else: what
%% they compute, keep, receive and end with does not depend on where and when that happens.
%% timeout: 90
-module(long_collections).
-export([main/0, many/21, sleeper/2, doomed/1]).

-define(ITEMS, 130000).

main() ->
    see:value(messages_come_in_order, messages()),
    see:value(float_registers, floats(see:id(1.5))),
    see:value(many_registers, registers()),
    see:value(matching, matching()),
    see:value(construction, construction()),
    see:value(receive_with_guards, guarded()),
    see:value(asked_to_collect, asked()),
    see:value(collects_itself, itself()),
    see:value(suspended, suspended()),
    see:value(ended_meanwhile, [ended(Reason) || Reason <- [kill, shutdown, normal, {bad, [1, 2]}]]),
    see:value(trapped_meanwhile, trapped()),
    see:value(over_its_limit, over_limit()),
    see:value(hibernated, hibernated()),
    see:value(literals, literals()),
    see:value(off_heap_messages, off_heap()),
    see:value(told, told()),
    see:value(flags, flags()),
    see:value(handed_over_calls, calls()),
    see:value(spawned_with_much, spawned()).

%% Something large that lives: 650,000 words, several times that with its copies.
large() -> large(?ITEMS).
large(N) -> [{I, I * 3} || I <- lists:seq(1, N)].

sum(Large) -> lists:foldl(fun({A, B}, S) -> A + B + S end, 0, Large).

%% Four senders, each counting; the receiver builds and drops much in between.
messages() ->
    Me = self(),
    Receiver = spawn_link(fun() -> Me ! {self(), counted(large(), #{}, 4000, [])} end),
    [spawn_link(fun() -> [Receiver ! {S, N, lists:seq(1, N rem 50)} || N <- lists:seq(1, 1000)] end)
        || S <- [a, b, c, d]],
    receive {Receiver, Answer} -> Answer end.

counted(Large, Last, 0, Kept) -> {sum(Large), Last, length(Kept), lists:sum([length(K) || K <- Kept])};
counted(Large, Last, Left, Kept) ->
    receive
        {S, N, List} ->
            Before = maps:get(S, Last, 0),
            Before + 1 =:= N orelse exit({out_of_order, S, Before, N}),
            Waste = [{N, X} || X <- lists:seq(1, 200)],
            counted(Large, Last#{S => N}, Left - 1, [List | keep(Waste, Kept)])
    end.
keep([_ | _], Kept) -> Kept.

%% Float registers live across the places where room is made.
floats(X) ->
    Large = large(),
    List = floats(X, 1.0, 150000, []),
    {sum(Large), erlang:phash2(List), lists:foldl(fun({A, B}, S) -> S + A - B end, 0.0, List)}.
floats(_, _, 0, Acc) -> Acc;
floats(X, Y, N, Acc) ->
    A = X * Y + 0.25,
    B = Y - X / 3.0,
    floats(X, (A + B) / (1.0 + X), N - 1, [{A, B + A * Y} | Acc]).

%% Many X registers live there.
registers() ->
    Large = large(),
    erlang:phash2(many(100000, [], a, 1.5, <<"c">>, {d}, [e], 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, [18 | Large],
        #{t => 20})).
many(0, Acc, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S) ->
    {length(Acc), A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, length(R), S, erlang:phash2(Acc)};
many(Left, Acc, A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S) ->
    many(Left - 1, [{Left, A, B} | Acc], B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, A, R, S).

matching() ->
    Large = large(),
    Binary = << <<N:32, (N * 1.5)/float, (N rem 7)>> || N <- lists:seq(1, 30000) >>,
    Parts = parts(Binary, []),
    {sum(Large), length(Parts), erlang:phash2(Parts)}.
parts(<<N:32, F/float, L, Rest/binary>>, Acc) ->
    <<Head:(L * 8)/bitstring, _/bitstring>> = Rest0 = <<Rest/binary, 0:64>>,
    8 =< byte_size(Rest0) orelse exit(short),
    case Acc of
        [] -> parts(Rest, [{N, F, Head}]);
        _ when N rem 100 =:= 0 -> parts(Rest, [{N, F, binary:copy(Head), N * 1000000000000000000000} | Acc]);
        _ -> parts(Rest, [{N, F} | Acc])
    end;
parts(<<N:32, F/float, _>>, Acc) -> [{N, F} | Acc];
parts(<<>>, Acc) -> Acc.

construction() ->
    Large = large(),
    List = [<<N:24, (integer_to_binary(N))/binary, "text", (N / 7)/float>> || N <- lists:seq(1, 60000)],
    Long = lists:foldl(fun(B, Acc) -> <<Acc/binary, B/binary>> end, <<>>, List),
    {sum(Large), erlang:phash2(List), byte_size(Long), erlang:md5(Long)}.

%% Guards that build something, in a receive that has not taken its message yet.
guarded() ->
    Me = self(),
    Receiver = spawn_link(fun() -> Me ! {self(), choose(large(), 0, 3000, [])} end),
    [Receiver ! {number, N, [{N, <<N:800>>}, N bsl 70]} || N <- lists:seq(1, 3000)],
    receive {Receiver, Answer} -> Answer end.
choose(Large, Sum, 0, Kept) -> {sum(Large), Sum, erlang:phash2(Kept)};
choose(Large, Sum, Left, Kept) ->
    receive
        {number, N, [_, Big]} when Big * Big < 1 bsl 100 -> exit({impossible, N});
        {number, N, [{N, Binary}, Big]} when Big + 1 =:= (N bsl 70) + 1, {N, Big} =:= {N, N bsl 70},
        byte_size(Binary) =:= 100 ->
            choose(Large, Sum + N, Left - 1, [Binary, lists:seq(1, N rem 100) | Kept])
    end.

%% Others ask it to collect, now and later, all and some of it, while it works.
asked() ->
    Me = self(),
    P = spawn_link(fun() -> Me ! {self(), worked(large(), 60, [])} end),
    Now = [erlang:garbage_collect(P, [{type, Type}]) || Type <- [major, minor, major]],
    [async = erlang:garbage_collect(P, [{async, {Type, N}}, {type, Type}]) || Type <- [minor, major], N <- [1, 2, 3]],
    Later = lists:sort([receive {garbage_collect, Id, Done} -> {Id, Done} end || _ <- lists:seq(1, 6)]),
    receive {P, Answer} -> {Now, [Id || {Id, _} <- Later], Answer} end.
worked(Large, 0, Acc) -> {sum(Large), erlang:phash2(Acc)};
worked(Large, N, Acc) -> worked(Large, N - 1, [lists:sum(lists:seq(1, 5000 + N)) | Acc]).

itself() ->
    Large = large(),
    [true = garbage_collect() || _ <- lists:seq(1, 5)],
    true = erlang:garbage_collect(self(), [{type, minor}]),
    put(key, Large),
    true = garbage_collect(),
    {sum(get(key)), sum(erase(key)), Large =:= large()}.

%% It stands still from the answer on, and goes on where it was.
suspended() ->
    Me = self(),
    P = spawn_link(fun() -> Me ! {self(), worked(large(), 60, [])} end),
    Seen = [begin
                true = erlang:suspend_process(P),
                {status, S} = process_info(P, status),
                {reductions, R1} = process_info(P, reductions),
                true = erlang:garbage_collect(P),
                P ! {ignored, N},
                {_, R2} = process_info(P, reductions),
                true = erlang:resume_process(P),
                {S, R2 - R1 < 1000000}
            end || N <- lists:seq(1, 5), is_process_alive(P)],
    receive {P, Answer} -> {lists:usort(Seen), Answer} end.

%% An exit signal finds it in the middle of something.
ended(Reason) ->
    Me = self(),
    {P, R} = spawn_monitor(fun() -> L = large(), Me ! {begun, self()}, forever(L) end),
    receive {begun, P} -> ok end,
    async = erlang:garbage_collect(P, [{async, late}]),
    exit(P, Reason),
    Down = case Reason of
               normal -> receive {'DOWN', R, _, _, X} -> X after 20 -> exit(P, kill),
                   receive {'DOWN', R, _, _, X} -> {lived, X} end end;
               _ -> receive {'DOWN', R, _, _, X} -> X end
           end,
    receive {garbage_collect, late, _} -> Down end.
forever(L) -> garbage_collect(), L2 = [{B, A} || {A, B} <- L], garbage_collect(), forever(L2).

trapped() ->
    Me = self(),
    {P, R} = spawn_monitor(fun() -> process_flag(trap_exit, true), Me ! begun, trapping(large(), []) end),
    receive begun -> ok end,
    [exit(P, {N, lists:seq(1, N)}) || N <- lists:seq(1, 20)],
    P ! stop,
    receive {'DOWN', R, _, _, X} -> X end.
trapping(L, Acc) ->
    garbage_collect(),
    receive
        {'EXIT', _, {N, List}} -> trapping(L, [{N, length(List)} | Acc]);
        stop -> exit({sum(L), lists:reverse(Acc)})
    end.

over_limit() ->
    Grow = fun Grow(L) -> Grow([{L, 1.0} | L]) end,
    Fill = fun() -> Grow([]) end,
    [begin
         Options = [monitor, {max_heap_size, #{size => Size, kill => true, error_logger => false}}],
         {_, R} = spawn_opt(Fill, Options),
         receive {'DOWN', R, _, _, Reason} -> Reason end
     end || Size <- [200000, 3000000]].

%% It sleeps with much on its heap, and wakes with it.
hibernated() ->
    Me = self(),
    P = spawn_link(fun() -> L = large(), Me ! {self(), ready}, erlang:hibernate(?MODULE, sleeper, [Me, L]) end),
    receive {P, ready} -> ok end,
    [begin P ! {are_you_there, N}, receive {P, N, Sum} -> Sum end end || N <- lists:seq(1, 5)].
sleeper(Me, L) ->
    receive {are_you_there, N} -> Me ! {self(), N, sum(L)} end,
    erlang:hibernate(?MODULE, sleeper, [Me, [{B, A} || {A, B} <- L]]).

%% A module goes whose literals the large heap, its messages and its registers hold.
literals() ->
    [literals(N) || N <- lists:seq(1, 4)].
literals(N) ->
    Forms = [{attribute, 1, module, some_literals}, {attribute, 1, export, [{get, 0}]},
             {function, 1, get, 0,
                 [{clause, 1, [], [], [erl_parse:abstract({N, "literal", [{N, <<"binary">>}], 1.5})]}]}],
    {ok, some_literals, Code} = compile:forms(Forms, []),
    {module, some_literals} = code:load_binary(some_literals, "some_literals", Code),
    Me = self(),
    P = spawn_link(fun() -> Literal = some_literals:get(), L = [{Literal, X} || X <- lists:seq(1, 40000)], Me ! begun,
        holding(L, 40, []) end),
    receive begun -> ok end,
    [P ! {X, some_literals:get(), [X]} || X <- lists:seq(1, 40)],
    true = code:delete(some_literals),
    Purged = code:purge(some_literals),
    P ! {answer, Me},
    receive {answer, Answer} -> {Purged, Answer} end.
holding(L, 0, Acc) ->
    receive {answer, To} ->
        To ! {answer, {length(L), erlang:phash2(L), erlang:phash2(Acc), lists:usort([Lit || {Lit, _} <- L])}} end;
holding(L, Left, Acc) ->
    receive
        {X, Literal, [_]} when {Literal, X} =/= {X, Literal}, element(1, Literal) * 1000000000000000000000 > 0 ->
            holding([{A, B} || {A, B} <- L], Left - 1, [{X, Literal} | Acc])
    end.

off_heap() ->
    Me = self(),
    Run = fun(Where) ->
                  {P, R} = spawn_opt(fun() -> L = large(), receive go -> ok end, Me ! {self(), {sum(L), taken(L, 0)}}
                      end,
                                     [monitor, {message_queue_data, Where}]),
                  [P ! {N, lists:seq(1, 100)} || N <- lists:seq(1, 2000)],
                  P ! last,
                  P ! go,
                  receive {P, Answer} -> demonitor(R, [flush]), Answer end
          end,
    [Run(Where) || Where <- [on_heap, off_heap]].
taken(L, Sum) ->
    receive
        last -> {Sum, sum(L)};
        {N, List} when N rem 50 =:= 0 -> garbage_collect(), taken(L, Sum + N + lists:sum(List));
        {N, List} -> taken(L, Sum + N + lists:sum(List))
    end.

%% What it tells of itself, whatever it does just then.
told() ->
    {P, R} = spawn_monitor(fun() -> put(a, b), forever(large()) end),
    [begin
         Items = process_info(P, [message_queue_len, trap_exit, dictionary, priority, links, initial_call]),
         {current_function, {_, _, _}} = process_info(P, current_function),
         {total_heap_size, T} = process_info(P, total_heap_size),
         true = is_integer(T),
         length(Items) =:= 6 orelse exit(Items)
     end || _ <- lists:seq(1, 20)],
    Last = process_info(P, [message_queue_len, trap_exit, dictionary, priority, links]),
    exit(P, kill),
    receive {'DOWN', R, _, _, Reason} -> {Last, Reason} end.

flags() ->
    Large = large(),
    [begin process_flag(fullsweep_after, N), worked(Large, 20, []) end || N <- [0, 1, 2]] ++
        [begin process_flag(priority, P), worked(Large, 20, []) end || P <- [high, low, normal]].

%% Calls that long terms take elsewhere, made by a process whose heap is large.
calls() ->
    L = large(),
    N = lists:seq(1, 100000),
    Text = binary:copy(<<"a", 228/utf8, "b">>, 60000),
    Lines = binary:copy(<<"line\n">>, 40000),
    Improper = N ++ tail,
    [erlang:phash2(L ++ N), erlang:phash2(N -- lists:seq(1, 90000)), erlang:phash2(L, 1000),
        length(unicode:characters_to_list(Text)),
     unicode:characters_to_list([Text, [16#110000]]) =:= {error, unicode:characters_to_list(Text), [[16#110000]]},
     erlang:phash2(unicode:characters_to_list(Text)), length(binary:matches(Lines, <<"\n">>)),
     length(binary:split(Lines, <<"\n">>, [global])),
     length(binary:split(Lines, <<"\n">>, [global, trim])), erlang:phash2(binary:matches(Lines, [<<"li">>, <<"e\n">>])),
     erlang:phash2(Text), erlang:phash2(lists:duplicate(100000, $a)),
     erlang:phash2(lists:duplicate(100000, $a) ++ [b | $c]),
     erlang:phash2(1 bsl 3000000), sum(L),
     try Improper ++ N catch _:Why1 -> Why1 end, try Improper -- N catch _:Why2 -> Why2 end,
     try N -- Improper catch _:Why3 -> Why3 end].

%% Arguments of all sizes.
spawned() ->
    Me = self(),
    Sizes = [0, 1, 5, 10, 11, 12, 13, 14, 15, 16, 20, 50, 100, 1000, 100000],
    Run = fun(Options, Size) ->
                  L = lists:seq(1, Size),
                  B = binary:copy(<<"b">>, Size),
                  {_, R1} = spawn_opt(fun() -> exit({lists:sum(L), byte_size(B)}) end, [monitor | Options]),
                  {_, R2} = spawn_opt(?MODULE, doomed, [[Me, L, {B, [B | L]}]], [monitor | Options]),
                  [receive {'DOWN', R, _, _, Reason} -> Reason end || R <- [R1, R2]]
          end,
    [[Run(Options, Size) || Size <- Sizes] || Options <- [[], [{min_heap_size, 100}], [{min_heap_size, 50000}]]].
doomed([Me, L, {B, Both}]) ->
    true = is_pid(Me),
    Built = [{X, X} || X <- L],
    [B | L] = Both,
    exit({length(Built), byte_size(B), erlang:phash2(Built)}).
