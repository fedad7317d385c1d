%% Products of big integers, and their conversion to decimal digits.
-module(compute_factorial).
-export([run/0]).

run() ->
    Factorial = factorial(2500),
    Product = lists:foldl(fun(N, P) -> P * (N * N + 1) rem 1000000007 end, 1, lists:seq(1, 300000)),
    {length(integer_to_list(Factorial)), Factorial rem 1000003, Product, power(3, 5000) rem 1000033}.

factorial(0) -> 1;
factorial(N) -> N * factorial(N - 1).

power(_, 0) -> 1;
power(X, N) when N rem 2 =:= 0 -> Half = power(X, N div 2), Half * Half;
power(X, N) -> X * power(X, N - 1).
