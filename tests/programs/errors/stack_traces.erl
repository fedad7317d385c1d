%% Stack traces: functions, arities, lines, arguments, depth, through calls of every kind.
-module(stack_traces).
-export([main/0, three/1, exported/2]).

main() ->
    see:that(body_calls, fun() -> [one(see:id(x))] end),
    see:that(tail_calls, fun() -> tail_one(see:id(x)) end),
    see:that(function_clause, fun() -> [exported(see:id(a), [see:id({b})])] end),
    see:that(in_fun, fun() -> [lists:map(fun(N) -> 10 div N end, [1, see:id(0)])] end),
    see:that(fold, fun() -> [lists:foldl(fun(N, A) -> N + A end, 0, [1, 2, see:id(bad)])] end),
    see:that(comprehension, fun() -> [[see:id(X) + 1 || X <- [1, a]]] end),
    see:that(error_args, fun() -> [with_arguments(see:id(1), 2)] end),
    see:that(error_none, fun() -> [erlang:error(reason, none)] end),
    see:that(throw, fun() -> [throw(see:id(ball))] end),
    see:that(exit, fun() -> [exit(see:id(bye))] end),
    see:that(bif, fun() -> [binary_to_term(see:id(<<1, 2, 3>>))] end),
    see:that(applied, fun() -> [apply(?MODULE, see:id(three), [x])] end),
    see:that(raised, fun() -> erlang:raise(error, made_up,
        [{m, f, 1, []}, {m, g, [a, b], [{file, "x.erl"}, {line, 7}]}]) end),
    see:that(bad_raise, fun() -> erlang:raise(error, x, see:id(not_a_stack)) end),
    see:that(bad_class, fun() -> erlang:raise(see:id(nonsense), x, []) end),
    see:that(guard_bif, fun() -> [1 + hd(see:id([]))] end),
    see:that(in_receive, fun() -> self() ! {x, 0}, [receive {x, N} -> 1 div N end] end),
    see:value(depth, depth(20)),
    see:value(deeper, begin Old = erlang:system_flag(backtrace_depth, 3), D = depth(20),
        erlang:system_flag(backtrace_depth, Old), {Old, D} end),
    see:value(outer, try outer() catch _:_:S -> [{F, A} || {?MODULE, F, A, _} <- S] end),
    see:value(current, begin {current_stacktrace, Now} = process_info(self(), current_stacktrace),
                             [{M, F, A} || {M, F, A, _} <- Now, M =:= ?MODULE] end).

one(X) -> [two(X), 1].
two(X) -> [three(X) | 2].
three(X) ->
    1 + X.

tail_one(X) -> tail_two(X, 1).
tail_two(X, Y) -> three({X, Y}).

exported(1, 2) -> ok.

with_arguments(A, B) -> erlang:error(special, [A, B]).

depth(N) ->
    try down(N) catch error:bottom:S -> length(S) end.
down(0) -> error(bottom);
down(N) -> [down(N - 1)].

outer() ->
    X = see:id(1),
    Y = inner(X),
    {X, Y}.
inner(X) -> try middle(X) catch throw:_ -> no end.
middle(X) -> {ok, X} = see:id({error, X}).
