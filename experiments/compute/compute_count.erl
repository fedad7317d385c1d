%% A counting loop with some arithmetic.
-module(compute_count).
-export([run/0]).

run() -> count(30000000, 0).

count(0, Sum) -> Sum;
count(N, Sum) -> count(N - 1, (Sum + N) band 16#ffffff).
