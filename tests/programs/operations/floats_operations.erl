%% Float registers. Each operation with operands of every kind: `tests/support/operations.erl` says how.
%% timeout: 40
-module(floats_operations).
-export([main/0]).

main() -> operations:run(floats).
