%% Native records. Each operation with operands of every kind: `tests/support/operations.erl` says how.
%% releases: 29
%% timeout: 40
-module(native_records_operations).
-export([main/0]).

main() -> operations:run(native_records).
