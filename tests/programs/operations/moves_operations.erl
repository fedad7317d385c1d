%% Moving between registers: `move`, `swap`, `trim`, `init_yregs`. Each operation with operands of every kind:
%% `tests/support/operations.erl` says how.
%% timeout: 40
-module(moves_operations).
-export([main/0]).

main() -> operations:run(moves).
