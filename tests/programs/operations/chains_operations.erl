%% Integer operations in a row, each with the result of the one before. `tests/support/operations.erl` says how.
%% timeout: 60
-module(chains_operations).
-export([main/0]).

main() -> operations:run(chains).
