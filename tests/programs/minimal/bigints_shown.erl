%% Factorials and powers: big integers that grow, shrink and are printed.
-module(bigints_shown).
-export([main/0]).

main() ->
    erlang:display(factorial(20)),
    erlang:display(factorial(21)),
    erlang:display(factorial(60)),
    erlang:display(power(7, 100)),
    erlang:display(power(-3, 81)),
    erlang:display(factorial(60) div factorial(58)),
    erlang:display(power(7, 100) rem power(10, 20)),
    erlang:display(factorial(60) - factorial(60)),
    erlang:display(fib(300, 0, 1)).

factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).

power(_, 0) -> 1;
power(X, N) -> X * power(X, N - 1).

fib(0, A, _) -> A;
fib(N, A, B) -> fib(N - 1, B, A + B).
