%% The first thing a machine that boots must do.
-module(hello).
-export([main/0]).

main() ->
    erlang:display(hello),
    erlang:display({1, [2, 3], <<"four">>, 'a b', 5.5, #{six => 7}}).
