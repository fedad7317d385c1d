%% Building maps and looking into them. Each operation with operands of every kind: `tests/support/operations.erl` says
%% how.
%% timeout: 40
-module(maps_operations).
-export([main/0]).

main() -> operations:run(maps).
