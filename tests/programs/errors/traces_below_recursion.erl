%% Stack traces of exceptions below many frames of one function, of frames of all small sizes: recursion comes once, and
%% whoever called it is found behind it.
-module(traces_below_recursion).
-export([main/0, deep/2, wide/2]).

main() ->
    see:that(deep, fun() -> [told(fun() -> called(deep, Depth) end) || Depth <- lists:seq(0, 90)] end),
    see:that(wide, fun() -> [told(fun() -> called(wide, Depth) end) || Depth <- lists:seq(0, 40)] end),
    see:that(deeper, fun() -> [told(fun() -> called(Name, 10000 + Depth) end) || Name <- [deep, wide],
        Depth <- lists:seq(0, 17)] end),
    see:that(mixed, fun() -> [told(fun() -> mixed(Depth, 100 + Depth) end) || Depth <- lists:seq(0, 40)] end),
    see:that(looked_at, fun() -> looked_at(5000) end),
    see:that(lists, fun() -> told(fun() -> [lists:foldr(fun(X, A) -> X + A end, a, lists:seq(1, 3000))] end) end).

told(Fun) ->
    try Fun()
    catch
        Class:Reason:Trace -> {Class, Reason, [{F, A} || {M, F, A, _} <- Trace, M =:= ?MODULE, F =/= told]}
    end.

called(Name, Depth) -> [first(second(Name, Depth))].

first(X) -> {X}.

second(deep, Depth) -> [deep(Depth, a)];
second(wide, Depth) -> [wide(Depth, a)].

deep(0, X) -> X * 2;
deep(N, X) -> [deep(N - 1, X)].

%% Its frame has more words than are looked at together.
wide(0, X) -> length(X);
wide(N, X) ->
    [A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18] = lists:seq(N, N + 17),
    Inner = ?MODULE:wide(N - 1, X),
    [Inner, A1, A2, A3, A4, A5, A6, A7, A8, A9, A10, A11, A12, A13, A14, A15, A16, A17, A18].

mixed(0, More) -> [deep(More, a)];
mixed(N, More) when N rem 3 =:= 0 -> [other(N - 1, More)];
mixed(N, More) -> [mixed(N - 1, More)].

other(N, More) -> {more, mixed(N, More)}.

looked_at(Depth) ->
    Parent = self(),
    Pid = spawn_link(fun() -> [waits(Depth, Parent)] end),
    receive {Pid, ready} -> ok end,
    timer:sleep(20),
    {current_stacktrace, Trace} = process_info(Pid, current_stacktrace),
    unlink(Pid),
    exit(Pid, kill),
    [{F, A} || {?MODULE, F, A, _} <- Trace].

waits(0, Parent) -> Parent ! {self(), ready}, receive go -> ok end;
waits(N, Parent) -> [waits(N - 1, Parent)].
