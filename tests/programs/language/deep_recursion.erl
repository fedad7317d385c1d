%% Recursion a million calls deep, with values of all kinds on the stack.
-module(deep_recursion).
-export([main/0]).

main() ->
    see:value(count, count(1000000)),
    see:value(sum, sum(lists:seq(1, 300000))),
    see:value(build, erlang:phash2(build(200000))),
    see:value(mutual, even(300001)),
    see:value(ackermann, ackermann(2, 300)),
    see:value(floats, round(floats(100000, 0.5))),
    see:value(caught, caught(50000)),
    see:value(in_process, in_process()),
    see:value(tail, tail(3000000, 0)).

count(0) -> 0;
count(N) -> 1 + count(N - 1).

sum([]) -> 0;
sum([H | T]) -> H + sum(T).

build(0) -> [];
build(N) ->
    Tuple = {N, integer_to_list(N)},
    Rest = build(N - 1),
    [Tuple, <<N:32>> | Rest].

even(0) -> true;
even(N) -> not not odd(N - 1).
odd(0) -> false;
odd(N) -> not not even(N - 1).

ackermann(0, N) -> N + 1;
ackermann(M, 0) -> ackermann(M - 1, 1);
ackermann(M, N) -> ackermann(M - 1, ackermann(M, N - 1)).

floats(0, X) -> X;
floats(N, X) -> Y = X * 1.00001, Z = floats(N - 1, Y), Z + Y - Y.

caught(0) -> throw(bottom);
caught(N) ->
    try caught(N - 1) of
        V -> V
    catch
        throw:bottom when N rem 1000 =/= 0 -> throw(bottom);
        throw:bottom -> {stopped_at, N}
    end.

in_process() ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({result, count(500000)}) end),
    receive {'DOWN', Ref, process, Pid, R} -> R end.

tail(0, N) -> N;
tail(N, Acc) -> tail(N - 1, Acc + N band 3).
