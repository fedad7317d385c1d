%% What is known of a register, and what changes it. `tests/support/operations.erl` says how.
%% timeout: 60
-module(facts_operations).
-export([main/0]).

main() -> operations:run(facts).
