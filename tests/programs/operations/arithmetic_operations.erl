%% Arithmetic, in bodies and in guards. Each operation with operands of every kind: `tests/support/operations.erl` says
%% how.
%% timeout: 40
-module(arithmetic_operations).
-export([main/0]).

main() -> operations:run(arithmetic).
