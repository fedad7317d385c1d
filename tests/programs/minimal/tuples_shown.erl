%% Tuples and records: made, read, changed, compared.
-module(tuples_shown).
-export([main/0]).
-record(point, {x = 0, y = 0, name = none}).

main() ->
    erlang:display({}),
    T = list_to_tuple([a, b, {c, d}]),
    erlang:display(T),
    erlang:display(element(3, T)),
    erlang:display(setelement(2, T, changed)),
    erlang:display(tuple_size(T)),
    erlang:display(tuple_to_list(T)),
    P = #point{x = 1},
    erlang:display(P),
    erlang:display(P#point{y = 2, name = here}),
    erlang:display(is_record(P, point)),
    erlang:display({1, 2} < {1, 3}),
    erlang:display({9} < {1, 1}),
    erlang:display(erlang:make_tuple(5, x)),
    erlang:display(erlang:append_element({1}, 2)),
    erlang:display(erlang:delete_element(1, {1, 2})).
