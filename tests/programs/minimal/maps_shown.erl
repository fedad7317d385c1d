%% Maps with few keys, whose order is known.
%% releases: 25
-module(maps_shown).
-export([main/0]).
-export([id/1]).

main() ->
    M = id(#{a => 1, b => 2}),
    erlang:display(M),
    erlang:display(M#{c => 3}),
    erlang:display(M#{a := changed}),
    erlang:display(map_size(M)),
    #{b := B} = M,
    erlang:display(B),
    erlang:display(is_map_key(a, M)),
    erlang:display(is_map_key(z, M)),
    erlang:display(map_get(a, M)),
    erlang:display(#{1 => x, 1.0 => y}),
    erlang:display(M =:= #{b => 2, a => 1}),
    Big = fill(1, 100, #{}),
    erlang:display(map_size(Big)),
    erlang:display(sum(1, 100, Big, 0)).

fill(N, Max, Map) when N > Max -> Map;
fill(N, Max, Map) -> fill(N + 1, Max, Map#{N => N * N}).

sum(N, Max, _, Sum) when N > Max -> Sum;
sum(N, Max, Map, Sum) ->
    #{N := Square} = Map,
    sum(N + 1, Max, Map, Sum + Square).

id(X) -> X.
