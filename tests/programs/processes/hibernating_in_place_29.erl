%% hibernate/0 shrinks the heap to what lives, keeps the stack and catches, and wakes for messages alone.
%% releases: 29
-module(hibernating_in_place_29).
-export([main/0]).

main() ->
    see:all([{{sizes, Live, Deep, Garbage}, fun() -> size_asleep(Live, Deep, Garbage) end}
             || Live <- [0, 50, 1024], Deep <- [0, 512], Garbage <- [0, 10000]]),
    see:all([{seen, fun seen/0}, {caught, fun caught/0}, {signals, fun signals/0}, {suspended, fun suspended/0},
             {least_heap, fun least_heap/0}, {again, fun again/0}]).

%% Whether a process has hardly more words while it sleeps than its list and its stack.
size_asleep(Live, Deep, Garbage) ->
    P = asleep(fun() ->
        Kept = lists:seq(1, Live),
        hd([0 | lists:seq(1, Garbage)]),
        deep(Deep, fun erlang:hibernate/0),
        length(Kept)
    end),
    [{_, Words}, {_, All}] = process_info(P, [heap_size, total_heap_size]),
    P ! wake,
    {Words =:= All, All =< 2 * Live + Deep + 16, ended(P)}.

deep(0, F) -> F();
deep(N, F) -> [deep(N - 1, F)].

seen() ->
    P = asleep(fun() -> sleeps(1) end),
    Seen = process_info(P, [current_function, status, message_queue_len]),
    Collected = erlang:garbage_collect(P),
    P ! wake,
    {Seen, Collected, ended(P)}.

sleeps(X) -> ok = erlang:hibernate(), {slept, X}.

caught() ->
    P = asleep(fun() -> try erlang:hibernate(), error(awake) catch error:R -> {caught, R} end end),
    P ! wake,
    ended(P).

%% A signal that is no message does not wake it.
signals() ->
    P = asleep(fun() -> erlang:hibernate(), {messages, element(2, process_info(self(), messages))} end),
    link(P),
    unlink(P),
    exit(P, normal),
    erlang:demonitor(monitor(process, P)),
    Asked = [process_info(P, status) || _ <- lists:seq(1, 3)],
    P ! wake,
    {Asked, ended(P)}.

suspended() ->
    P = asleep(fun() -> erlang:hibernate(), awake end),
    erlang:suspend_process(P),
    P ! wake,
    Status = process_info(P, status),
    erlang:resume_process(P),
    {Status, ended(P)}.

%% As with hibernate/3, the size that a heap is to have at least does not count while it sleeps.
least_heap() ->
    P = asleep(fun() -> erlang:hibernate(), awake end, [{min_heap_size, 5000}]),
    Asleep = process_info(P, total_heap_size) < {total_heap_size, 100},
    P ! wake,
    {Asleep, ended(P)}.

%% It does not sleep while a message waits.
again() ->
    P = asleep(fun() -> [begin erlang:hibernate(), receive M -> M end end || _ <- [1, 2, 3]] end),
    [P ! N || N <- [1, 2, 3]],
    ended(P).

asleep(F) -> asleep(F, []).

asleep(F, Options) ->
    {P, _} = spawn_opt(fun() -> exit({result, F()}) end, [monitor | Options]),
    apart:blocked(P).

ended(P) ->
    receive
        {'DOWN', _, process, P, {result, Result}} -> Result;
        {'DOWN', _, process, P, Other} -> {died, Other}
    after 20000 -> {still, process_info(P, status)}
    end.
