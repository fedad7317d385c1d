%% Numbers from the module rand with a fixed seed: uniform, normal, shuffled, and drawn from a list.
-module(compute_random_numbers).
-export([run/0]).

run() ->
    State = rand:seed_s(exsss, 4711),
    {Sum, State1} = uniform(200000, 0, State),
    {Inside, State2} = circle(100000, 0, State1),
    {Keyed, State3} = lists:mapfoldl(fun(N, S) -> {R, S1} = rand:uniform_s(S), {{R, N}, S1} end, State2,
        lists:seq(1, 20000)),
    [{_, First} | _] = lists:keysort(1, Keyed),
    {Bytes, _} = rand:bytes_s(2000, State3),
    {Sum, Inside, First, erlang:crc32(Bytes)}.

uniform(0, Sum, State) -> {Sum, State};
uniform(N, Sum, State) ->
    {R, State1} = rand:uniform_s(1000000, State),
    uniform(N - 1, (Sum * 31 + R) rem 1000003, State1).

circle(0, Inside, State) -> {Inside, State};
circle(N, Inside, State) ->
    {X, State1} = rand:uniform_s(State),
    {Y, State2} = rand:uniform_s(State1),
    circle(N - 1, if X * X + Y * Y =< 1.0 -> Inside + 1; true -> Inside end, State2).
