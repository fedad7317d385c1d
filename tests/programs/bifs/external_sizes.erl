%% erlang:external_size/2: the options that it takes, in each release.
-module(external_sizes).
-export([main/0]).

main() ->
    Terms = [a, {a, "bcd", lists:duplicate(100, $x), 1 bsl 70}, [1.5, 'Grün', #{a => 1}], <<1:800>>],
    Options = [[], [{compressed, 9}], [compressed], [{compressed, 0}], [{compressed, 10}], [{compressed, -1}],
        [{minor_version, 0}], [{minor_version, 1}],
               [{minor_version, 2}], [{minor_version, 3}], [{minor_version, a}], [deterministic], [local],
               [local, {minor_version, 0}], [iovec],
               [compressed, {minor_version, 1}], [deterministic, {minor_version, 1}, {compressed, 3}],
               [{minor_version, 0}, {minor_version, 1}], [x], [compressed | x], [{a, b, c}], x],
    see:all([{{T, O}, fun() -> erlang:external_size(T, see:id(O)) end} || T <- Terms, O <- Options]).
