%% Matching bit strings. Each operation with operands of every kind: `tests/support/operations.erl` says how.
%% timeout: 40
%% releases: 25 27
-module(binaries_operations).
-export([main/0]).

main() -> operations:run(binaries).
