%% Digits of pi by the spigot algorithm: growing big integers.
-module(compute_pidigits).
-export([run/0]).

run() -> erlang:phash2(digits(1000, {1, 0, 1}, 0, [])).

digits(0, _, _, Done) -> Done;
digits(Left, State, K, Done) ->
    Digit = extract(State, 3),
    case extract(State, 4) of
        Digit -> digits(Left - 1, produce(State, Digit), K, [Digit | Done]);
        _ -> digits(Left, consume(State, K + 1), K + 1, Done)
    end.

extract({N, A, D}, X) -> (N * X + A) div D.

produce({N, A, D}, Digit) -> {10 * N, 10 * (A - D * Digit), D}.

consume({N, A, D}, K) ->
    Y = 2 * K + 1,
    {N * K, (2 * N + A) * Y, D * Y}.
