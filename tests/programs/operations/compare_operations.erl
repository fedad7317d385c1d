%% Comparisons: `is_lt` and its kin. Each operation with operands of every kind: `tests/support/operations.erl` says
%% how.
%% timeout: 40
-module(compare_operations).
-export([main/0]).

main() -> operations:run(compare).
