%% Functions that call themselves before they are done, to all depths: what they return, raise and show while they run.
-module(recursion_to_itself).
-export([main/0]).
-export([copy/1, several/1, kept/2, tree/1, reached/2, by_fun/2, deep/2, stops/2, odd/1]).

main() ->
    Depths = [0, 1, 2, 15, 16, 17, 40, 1000, 100_000],
    Short = [0, 1, 2, 17, 1000],
    see:value(copy, [erlang:phash2(copy(lists:seq(1, Depth))) || Depth <- Depths]),
    see:value(several, [erlang:phash2(several(lists:seq(1, Depth))) || Depth <- Depths]),
    see:value(kept, [kept(lists:seq(1, Depth), 1.5) || Depth <- Depths]),
    see:value(tree, [tree(Depth) || Depth <- [0, 1, 2, 12]]),
    see:value(parted, [erlang:phash2(parted(lists:seq(1, Depth))) || Depth <- Depths]),
    see:value(nested, [erlang:phash2([{X, Y, Z} || X <- lists:seq(1, Depth), X rem 3 =/= 1, Y <- [a, 1, X], Z <- [X, Y],
        Z > 1]) || Depth <- Short]),
    see:value(nested_binaries, [erlang:phash2([{X, Y} || <<X:16>> <= binary(Depth), <<Y:4>> <= <<X:16>>, Y > 3])
        || Depth <- Short]),
    see:value(bad_generators, [catch [{X, Y} || X <- [a, Depth], Y <- [b | X]] || Depth <- [1, []]]),
    see:value(by_fun, [by_fun(lists:seq(1, Depth), fun(X) -> [X, Depth] end) || Depth <- [0, 1, 2, 17, 40]]),
    see:value(odd, [odd(Depth) || Depth <- [0, 1, 2, 17, 40]]),
    see:value(raised, [caught(fun() -> reached(Depth, What) end) || Depth <- [0, 2, 40],
        What <- [error, throw, exit, clause, arithmetic]]),
    see:value(caught_inside, [catch stops(Depth, Depth div 2) || Depth <- [0, 1, 2, 17, 40]]),
    see:value(from_funs, [lists:foldl(fun(X, Sum) -> length(copy(lists:seq(1, X))) + Sum end, 0, lists:seq(1, Depth))
        || Depth <- [0, 3, 40]]),
    see:value(while_collected, [deep(Depth, []) || Depth <- Short]),
    see:value(suspended, suspended(20_000)),
    see:value(traced, [traced(Depth) || Depth <- [0, 1, 5, 40]]),
    see:value(traced_meanwhile, traced_meanwhile()),
    see:value(stack, stack(5)).

%% One call, whose result goes into a list.
copy([Head | Tail]) -> [Head | copy(Tail)];
copy([]) -> [].

%% A call in each of four clauses, and a tail call of itself in a fifth. Arguments are moved from X and Y registers, and
%% constant.
several([N | Tail]) when N rem 5 =:= 0 -> [five | several(Tail)];
several([N | Tail]) when N rem 5 =:= 1 -> Copy = copy([N]), {Copy, several(Tail)};
several([N, _ | Tail]) when N rem 5 =:= 2 -> {N, several(Tail), N};
several([N | Tail]) when N rem 5 =:= 3 -> several(Tail);
several([N | _]) when N rem 5 =:= 4, N rem 20 =:= 19 -> {last, several([])};
several([_ | Tail]) -> several(Tail);
several([]) -> end_of_list.

%% Two functions, which both return behind the calls of both.
parted([N | Tail]) when N rem 2 =:= 0 -> parted(N, Tail);
parted([N | Tail]) -> [N | parted(Tail)];
parted([]) -> [].

parted(N, Tail) when N rem 4 =:= 0 -> {N, parted(Tail)};
parted(N, Tail) when N rem 6 =:= 0 -> parted(Tail);
parted(N, Tail) -> [{N} | parted([N + 1 | Tail])].

binary(Size) -> << <<N:16>> || N <- lists:seq(1, Size) >>.

%% Floats and integers are kept over the call.
kept([N | Tail], Float) ->
    More = Float * 0.5 + N,
    {Sum, Floats} = kept(Tail, Float),
    {Sum + N, case Floats > 1.0e6 of true -> More; false -> Floats + More end};
kept([], Float) -> {0, Float}.

%% Two calls in one invocation.
tree(0) -> leaf;
tree(N) -> erlang:phash2({tree(N - 1), tree(N - 1)}).

%% Each way to end early.
reached(0, error) -> error({reached, 0});
reached(0, throw) -> throw(reached);
reached(0, exit) -> exit(reached);
reached(0, arithmetic) -> a + length([arithmetic]);
reached(N, What) when N > 0 -> 1 + reached(N - 1, What).

%% Tail calls of a fun, which returns behind the function's call of itself.
by_fun([X | Tail], Fun) when X rem 2 =:= 0 -> [Fun(X) | by_fun(Tail, Fun)];
by_fun([X | Tail], Fun) -> Rest = by_fun(Tail, Fun), Fun({X, length(Rest)});
by_fun([], Fun) -> Fun([]).

%% The function is left by a tail call of another, which returns behind its call of itself.
odd(N) when N > 1 -> [N | odd(N - 2)];
odd(1) -> odd_end([]);
odd(0) -> even.

odd_end(List) -> lists:reverse([1 | List]).

stops(N, At) when N =:= At -> throw(N);
stops(N, At) when N rem 7 =:= 3 ->
    try stops(N - 1, At) of Result -> {returned, Result} catch throw:M -> {caught, N, M, copy([N])} end;
stops(N, At) when N > 0 -> [stops(N - 1, At)].

deep(0, Terms) -> erlang:garbage_collect(), length(Terms);
deep(N, Terms) -> Tuple = {N, [N]}, Depth = deep(N - 1, [Tuple | lists:sublist(Terms, 3)]), true = Tuple =:= {N, [N]},
    Depth + 1.

caught(Fun) ->
    try Fun()
    catch Class:Reason:Stack -> {Class, Reason, [{F, A} || {?MODULE, F, A, _} <- lists:sublist(Stack, 9)],
        length(Stack)}
    end.

%% Several processes are preempted at all depths.
suspended(Depth) ->
    List = lists:seq(1, Depth),
    Pids = [spawn_monitor(fun() -> [exit({N, length(copy(List)), erlang:phash2(several(List))})] end)
        || N <- lists:seq(1, 5)],
    [receive {'DOWN', Monitor, _, Pid, Reason} -> Reason end || {Pid, Monitor} <- Pids].

traced(Depth) ->
    told(fun(Pid) ->
        erlang:trace(Pid, true, [call, return_to]),
        erlang:trace_pattern({?MODULE, copy, 1}, [{'_', [], [{return_trace}]}], [local])
    end, fun() -> copy(lists:seq(1, Depth)) end).

%% Tracing begins, and ends, while calls wait.
traced_meanwhile() ->
    Tracer = self(),
    told(fun(Pid) -> erlang:trace(Pid, true, [call]) end, fun() ->
        waiting(12, fun(6) ->
                           Tracer ! {self(), set,
                               fun() -> erlang:trace_pattern({?MODULE, copy, 1}, [{'_', [], [{return_trace}]}],
                               [local]) end},
                           receive set -> copy([a, b]) end;
                       (3) ->
                           Tracer ! {self(), set, fun() -> erlang:trace_pattern({?MODULE, copy, 1}, false, [local])
                               end},
                           receive set -> copy([c]) end;
                       (N) -> copy([N])
                    end)
    end).

waiting(0, _) -> [];
waiting(N, Fun) -> Done = Fun(N), [Done | waiting(N - 1, Fun)].

told(Set, Fun) ->
    {Pid, Monitor} = spawn_monitor(fun() -> receive go -> ok end, Fun(), exit(done) end),
    Set(Pid),
    Pid ! go,
    Told = tell(Pid, Monitor, []),
    erlang:trace_pattern({?MODULE, copy, 1}, false, [local]),
    Told.

tell(Pid, Monitor, Told) ->
    receive
        {Pid, set, Set} -> Set(), Pid ! set, tell(Pid, Monitor, Told);
        {trace, Pid, What, Of} -> tell(Pid, Monitor, [{What, Of} | Told]);
        {trace, Pid, What, Of, More} -> tell(Pid, Monitor, [{What, Of, More} | Told]);
        {'DOWN', Monitor, _, _, done} ->
            Reference = erlang:trace_delivered(Pid),
            receive {trace_delivered, _, Reference} -> ok end,
            rest(Pid, Told)
    end.

rest(Pid, Told) ->
    receive
        {trace, Pid, What, Of} -> rest(Pid, [{What, Of} | Told]);
        {trace, Pid, What, Of, More} -> rest(Pid, [{What, Of, More} | Told])
    after 0 -> lists:reverse(Told)
    end.

%% What another process sees of the stack meanwhile.
stack(Depth) ->
    {Pid, Monitor} = spawn_monitor(fun() -> waiting(Depth, fun(1) -> receive go -> done end; (N) -> N end) end),
    seen(Pid, 100),
    {current_stacktrace, Stack} = process_info(Pid, current_stacktrace),
    Pid ! go,
    receive {'DOWN', Monitor, _, _, Reason} -> {Reason, [{M, F, A} || {M, F, A, _} <- Stack]} end.

seen(_, 0) -> never;
seen(Pid, Times) ->
    case process_info(Pid, status) of
        {status, waiting} -> ok;
        _ -> receive after 10 -> seen(Pid, Times - 1) end
    end.
