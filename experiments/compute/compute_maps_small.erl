%% Small maps used like records: known keys are looked up, matched and updated.
-module(compute_maps_small).
-export([run/0]).

run() -> loop(700000, #{count => 0, total => 0, last => none, limit => 100, name => <<"n">>}).

loop(0, #{count := Count, total := Total}) -> {Count, Total};
loop(N, Map) -> loop(N - 1, step(N, Map)).

step(N, #{count := Count, limit := Limit} = Map) when N rem Limit =:= 0 ->
    Map#{count := Count + 1, last := N};
step(N, #{total := Total} = Map) ->
    Map1 = Map#{total := (Total + N + map_size(Map)) band 16#ffffff},
    case Map1 of
        #{last := none} -> Map1#{last => N};
        #{last := Last} when Last > N -> maps:put(name, Last, Map1);
        _ -> Map1
    end.
