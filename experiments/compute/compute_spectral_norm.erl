%% The spectral norm of an endless matrix, by repeated multiplication: floats in lists.
-module(compute_spectral_norm).
-export([run/0]).

-define(SIZE, 100).

run() ->
    {U, V} = improve(10, lists:duplicate(?SIZE, 1.0), []),
    {Product, Square} = sums(U, V, 0.0, 0.0),
    round(math:sqrt(Product / Square) * 1.0e9).

improve(0, U, V) -> {U, V};
improve(N, U, _) ->
    V = both(U),
    improve(N - 1, both(V), V).

sums([U | Us], [V | Vs], Product, Square) -> sums(Us, Vs, Product + U * V, Square + V * V);
sums([], [], Product, Square) -> {Product, Square}.

both(Vector) -> times_transposed(times(Vector)).

times(Vector) -> [row(Vector, I, 0, 0.0) || I <- lists:seq(0, ?SIZE - 1)].

times_transposed(Vector) -> [column(Vector, 0, J, 0.0) || J <- lists:seq(0, ?SIZE - 1)].

row([X | Rest], I, J, Sum) -> row(Rest, I, J + 1, Sum + X / weight(I, J));
row([], _, _, Sum) -> Sum.

column([X | Rest], I, J, Sum) -> column(Rest, I + 1, J, Sum + X / weight(I, J));
column([], _, _, Sum) -> Sum.

weight(I, J) -> (I + J) * (I + J + 1) div 2 + I + 1.
