%% Fibonacci numbers: function calls and small arithmetic, nothing else.
-module(compute_fib).
-export([run/0]).

run() -> fib(34).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
