%% Building lists and taking them apart. Each operation with operands of every kind: `tests/support/operations.erl` says
%% how.
%% timeout: 40
-module(lists_operations).
-export([main/0]).

main() -> operations:run(lists).
