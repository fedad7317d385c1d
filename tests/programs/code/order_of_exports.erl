%% `module_info(exports)` has its order from the order in which functions were first named: EUnit runs tests in it.
-module(order_of_exports).
-export([main/0, last/0, first/0, middle/1, zeta/0, alpha/2]).

main() ->
    io:format("~p~n", [?MODULE:module_info(exports)]),
    io:format("~p~n", [?MODULE:module_info(functions)]),
    io:format("~p~n", [queue:module_info(exports)]),
    io:format("~p~n", [gb_trees:module_info(exports)]).

last() -> gb_trees:empty().
first() -> queue:new().
middle(Q) -> queue:in(1, Q).
zeta() -> ok.
alpha(A, B) -> gb_trees:insert(A, B, gb_trees:empty()).
