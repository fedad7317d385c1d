%% Building bit strings, as compilers do now and as they did. Each operation with operands of every kind:
%% `tests/support/operations.erl` says how.
%% timeout: 40
%% releases: 25 27
-module(building_operations).
-export([main/0]).

main() -> operations:run(building).
