%% Both sides remove a link at the same time, and one of them ends: nothing stays of it in the other.
-module(unlinked_by_both).
-export([main/0]).

main() ->
    rounds(1000),
    Before = memory(),
    rounds(4000),
    see:value(stays, memory() - Before > 10000),
    see:value(messages, process_info(self(), messages)).

rounds(N) -> [round_of_two() || _ <- lists:seq(1, N)].

round_of_two() ->
    Me = self(),
    Steps = atomics:new(2, []),
    P = spawn_link(fun() -> atomics:put(Steps, 1, 1), await(Steps, 2), unlink(Me) end),
    await(Steps, 1),
    atomics:put(Steps, 2, 1),
    unlink(P),
    R = monitor(process, P),
    receive {'DOWN', R, process, P, _} -> ok end.

%% Does not yield to the other side if that runs at the same time.
await(Steps, Step) ->
    case atomics:get(Steps, Step) of
        1 -> ok;
        0 -> await(Steps, Step)
    end.

memory() -> erlang:garbage_collect(), {memory, Bytes} = process_info(self(), memory), Bytes.
