%% Prime numbers, with the module array as the sieve.
-module(compute_array_sieve).
-export([run/0]).

-define(MOST, 60000).

run() ->
    Sieve = sieve(2, array:new(?MOST + 1, {default, true})),
    Primes = [N || N <- lists:seq(2, ?MOST), array:get(N, Sieve)],
    {length(Primes), lists:last(Primes), array:sparse_foldl(fun(_, _, Count) -> Count + 1 end, 0, Sieve)}.

sieve(N, Sieve) when N * N > ?MOST -> Sieve;
sieve(N, Sieve) ->
    case array:get(N, Sieve) of
        true -> sieve(N + 1, strike(N * N, N, Sieve));
        false -> sieve(N + 1, Sieve)
    end.

strike(At, _, Sieve) when At > ?MOST -> Sieve;
strike(At, Step, Sieve) -> strike(At + Step, Step, array:set(At, false, Sieve)).
