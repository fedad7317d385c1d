%% Shortest paths in a grid of streets by Dijkstra's algorithm: gb_sets as the queue, maps for the rest.
-module(compute_shortest_paths).
-export([run/0]).

-define(SIDE, 80).

run() ->
    Distances = [walk(From) || From <- [{0, 0}, {?SIDE div 2, 3}]],
    [{map_size(D), lists:max(maps:values(D)), lists:sum(maps:values(D))} || D <- Distances].

walk(From) -> walk(gb_sets:singleton({0, From}), #{}).

walk(Queue, Done) ->
    case gb_sets:is_empty(Queue) of
        true -> Done;
        false ->
            {{Distance, Place}, Rest} = gb_sets:take_smallest(Queue),
            case Done of
                #{Place := _} -> walk(Rest, Done);
                #{} ->
                    Further = [{Distance + Cost, Next} || {Next, Cost} <- streets(Place), not is_map_key(Next, Done)],
                    walk(lists:foldl(fun gb_sets:add_element/2, Rest, Further), Done#{Place => Distance})
            end
    end.

streets({X, Y}) ->
    [{{X1, Y1}, 1 + (X * 7 + Y1 * 13 + X1 * Y) rem 9}
     || {X1, Y1} <- [{X + 1, Y}, {X - 1, Y}, {X, Y + 1}, {X, Y - 1}],
        X1 >= 0, X1 < ?SIDE, Y1 >= 0, Y1 < ?SIDE].
