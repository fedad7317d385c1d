%% Arithmetic on seeded random integers of all sizes, checked by identities, and digests of the results.
-module(random_arithmetic).
-export([main/0]).

main() ->
    [see:value({Bits, Hash}, checked) || {Bits, Hash} <- [{B, round_of(B, 300, B * 7919, 0)}
        || B <- [5, 30, 58, 60, 62, 64, 66, 120, 130, 500, 4000]]],
    see:value(mixed, mixed(2000, 17, 0)),
    see:value(text, text(200, 23, 0)),
    see:value(floats, floats(500, 29, 0)).

next(S) -> (S * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff.

number(Bits, S0) -> number(Bits, S0, 0).
number(Bits, S0, Acc) when Bits =< 0 -> S = next(S0), {case (S bsr 40) band 1 of 1 -> -Acc; 0 -> Acc end, S};
number(Bits, S0, Acc) -> S = next(S0), Take = min(Bits, 32),
    number(Bits - 32, S, (Acc bsl Take) bor ((S bsr 32) band ((1 bsl Take) - 1))).

round_of(_, 0, _, Hash) -> Hash;
round_of(Bits, N, S0, Hash) ->
    {A, S1} = number(Bits, S0), {B, S2} = number(Bits - N rem 40, S1),
    Sum = A + B, Diff = A - B, Prod = A * B,
    A = Sum - B, A = Diff + B, Prod = B * A, 0 = Prod - A * B,
    if B =/= 0 -> Q = A div B, R = A rem B, A = Q * B + R, true = abs(R) < abs(B),
        Prod div B =:= A orelse error({A, B}); true -> ok end,
    And = A band B, Or = A bor B, Xor = A bxor B,
    Sum = And + Or, Xor = Or - And, A = Xor bxor B, true = -A =:= bnot A + 1,
    Sh = N rem 130, A = (A bsl Sh) bsr Sh, (A bsr Sh) =:= floor_div(A, 1 bsl Sh) orelse error({shift, A, Sh}),
    true = (A < B) =:= (Diff < 0), true = (A == B) =:= (Diff == 0),
    round_of(Bits, N - 1, S2, erlang:phash2({Hash, Sum, Diff, Prod, And, Or, Xor, A bsl Sh, A bsr Sh})).

floor_div(A, B) when A >= 0 -> A div B;
floor_div(A, B) -> -((-A + B - 1) div B).

mixed(0, _, H) -> H;
mixed(N, S0, H) ->
    S1 = next(S0), {A, S2} = number((S1 bsr 50) rem 200, S1), {B, S3} = number((S2 bsr 50) rem 200, S2),
    C = case (S3 bsr 45) rem 6 of 0 -> A + B; 1 -> A - B; 2 -> A * B; 3 -> A band B; 4 -> A bor B; 5 -> A bxor B end,
    mixed(N - 1, S3, erlang:phash2([H, C, C > A, C =:= B, -C])).

text(0, _, H) -> H;
text(N, S0, H) ->
    S1 = next(S0), {A, S2} = number((S1 bsr 50) rem 300, S1), Base = (S2 bsr 50) rem 35 + 2,
    L = integer_to_list(A, Base), A = list_to_integer(L, Base), A = binary_to_integer(integer_to_binary(A)),
    A = binary_to_term(term_to_binary(A)),
    text(N - 1, S2, erlang:phash2([H | L])).

floats(0, _, H) -> H;
floats(N, S0, H) ->
    S1 = next(S0), {A, S2} = number((S1 bsr 50) rem 900, S1), {B, S3} = number(50, S2),
    F = float(A), true = abs(trunc(F) - A) =< abs(A) bsr 52, G = F * 1.0e-3 + B / 1024,
    true = list_to_float(float_to_list(G, [short])) =:= G, true = binary_to_term(term_to_binary(G)) =:= G,
    true = (A < F) =:= (A < trunc(F)), true = (A == F) =:= (A =:= trunc(F)),
    floats(N - 1, S3, erlang:phash2([H, G, float_to_list(G, [short]), round(G)])).
