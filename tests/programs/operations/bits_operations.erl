%% Bit operations on integers, in bodies and in guards. Each operation with operands of every kind:
%% `tests/support/operations.erl` says how.
%% timeout: 40
-module(bits_operations).
-export([main/0]).

main() -> operations:run(bits).
