%% Raising and catching. Each operation with operands of every kind: `tests/support/operations.erl` says how.
%% timeout: 40
-module(exceptions_operations).
-export([main/0]).

main() -> operations:run(exceptions).
