%% `select_val` in its shapes, `select_tuple_arity`. Each operation with operands of every kind:
%% `tests/support/operations.erl` says how.
%% timeout: 40
-module(selects_operations).
-export([main/0]).

main() -> operations:run(selects).
