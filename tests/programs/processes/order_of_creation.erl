%% Pids tell the order in which processes were made: by one process, by a parent and its child, and by two that take
%% turns.
%% timeout: 60
-module(order_of_creation).
-export([main/0]).

main() ->
    io:format("one parent: ~p~n", [ascends(many(50_000))]),
    io:format("parents: ~p~n", [ascends(generations(1000))]),
    io:format("turns: ~p~n", [ascends(turns(2000))]),
    Longest = [spawn(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 20_000)],
    io:format("alive: ~p~n", [ascends(Longest)]),
    io:format("beside them: ~p~n", [ascends(many(100_000))]),
    [Pid ! stop || Pid <- Longest],
    Texts = [{P, list_to_pid(pid_to_list(P))} || P <- many(1000)],
    io:format("read again: ~p~n", [[Pair || {A, B} = Pair <- Texts, A =/= B]]).

ascends(Pids) ->
    Pids =:= lists:usort(Pids).

many(Count) ->
    [spawn(fun() -> ok end) || _ <- lists:seq(1, Count)].

%% Each process makes the next one.
generations(Count) ->
    Self = self(),
    spawn(fun() -> generation(Count, Self) end),
    [receive {N, Pid} -> Pid end || N <- lists:seq(Count, 1, -1)].

generation(0, _) ->
    ok;
generation(N, Root) ->
    Root ! {N, self()},
    spawn(fun() -> generation(N - 1, Root) end).

%% Two processes, each of which spawns when the other has.
turns(Count) ->
    Self = self(),
    Other = spawn_link(fun() -> answer(Self) end),
    Pids = take_turns(Count, Other),
    unlink(Other),
    exit(Other, kill),
    Pids.

take_turns(0, _) ->
    [];
take_turns(N, Other) ->
    Mine = spawn(fun() -> ok end),
    Other ! next,
    receive
        {made, Theirs} -> [Mine, Theirs | take_turns(N - 1, Other)]
    end.

answer(To) ->
    receive
        next -> To ! {made, spawn(fun() -> ok end)}
    end,
    answer(To).
