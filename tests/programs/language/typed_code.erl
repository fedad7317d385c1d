%% Code in which the compiler knows types: unboxed floats, known tuples, ranges, booleans, no tests left.
-module(typed_code).
-export([main/0]).
-record(v, {x = 0.0 :: float(), y = 0.0 :: float(), n = 0 :: integer()}).

main() ->
    see:value(vectors, fold(1000, #v{x = 1.0, y = -1.0})),
    see:value(mandelbrot, [[mandel(X / 10, Y / 10, 0.0, 0.0, 0) || X <- lists:seq(-20, 5, 5)]
        || Y <- lists:seq(-10, 10, 5)]),
    see:value(nbody, nbody(100)),
    see:value(range, [range(see:id(N)) || N <- [0, 7, 255, 256, -1, 1 bsl 70]]),
    see:value(known_tuple, known(see:id({point, 1, 2}))),
    see:value(known_list, known_list(see:id([1, 2, 3]))),
    see:value(booleans, [booleans(see:id(A), see:id(B)) || A <- [true, false], B <- [true, false]]),
    see:value(counter, counter(100000, 0)),
    see:value(mixed_floats, mixed(see:id(3), see:id(0.5))),
    see:value(float_error, try overflow(see:id(1.0e300)) catch error:R -> R end),
    see:value(float_across_call, across(see:id(1.25))),
    see:value(float_in_receive, in_receive(see:id(2.5))),
    see:value(maps, known_map(see:id(#{a => 1, b => 2}))),
    see:value(binary, known_binary(<<1, 2, 3, 4, 5, 6, 7, 8>>, 0)),
    see:value(small_products, [small(see:id(A), see:id(B)) || A <- [0, 1000, 16#7fffffff], B <- [-5, 16#7fffffff]]).

fold(0, #v{x = X, y = Y, n = N}) -> {round(X * 1000), round(Y * 1000), N};
fold(K, #v{x = X, y = Y, n = N}) -> fold(K - 1, #v{x = X * 0.999 + Y * 0.01, y = Y * 1.001 - X / 50.0, n = N + 1}).

mandel(_, _, _, _, 50) -> 50;
mandel(A, B, X, Y, N) when X * X + Y * Y < 4.0 -> mandel(A, B, X * X - Y * Y + A, 2.0 * X * Y + B, N + 1);
mandel(_, _, _, _, N) -> N.

nbody(N) -> step(N, 1.0, 0.0, 0.0, 1.0).
step(0, X, Y, Vx, Vy) -> [round(V * 1.0e6) || V <- [X, Y, Vx, Vy]];
step(N, X, Y, Vx, Vy) ->
    R2 = X * X + Y * Y, R3 = R2 * math:sqrt(R2), Dt = 0.01,
    Vx1 = Vx - Dt * X / R3, Vy1 = Vy - Dt * Y / R3,
    step(N - 1, X + Dt * Vx1, Y + Dt * Vy1, Vx1, Vy1).

range(N) when is_integer(N), N >= 0, N < 256 -> M = N * 2 + 1,
    {N bsr 1, M band 15, M bxor 255, M * M, element(N band 1 + 1, {even, odd})};
range(N) -> {other, N band 255}.

known({point, X, Y} = P) when is_integer(X), is_integer(Y) -> Q = setelement(2, P, X + Y),
    R = setelement(3, Q, element(2, Q) * 2), {Q, R, tuple_size(R)}.
known_list([A, B | T] = L) -> {hd(L), hd(tl(L)), length(L), [A + B | T]}.
booleans(A, B) when is_boolean(A), is_boolean(B) -> C = A and not B, D = (A or B) xor C,
    if C -> {c, D}; D -> {d, C}; true -> none end.
counter(0, N) -> N;
counter(K, N) when is_integer(N), N >= 0 -> counter(K - 1, (N + K * 3) rem 1000003).
mixed(I, F) -> A = I + F, B = A * I, C = B - float(I), {A, B, C, C / I, I / 2, trunc(C) + I}.
overflow(F) -> G = F * F, G + 1.0.
across(F) -> G = F * 2.0, H = see:id(G), K = G + F, see:id(K) * H - F.
in_receive(F) -> G = F + 0.5, self() ! {f, G * 2.0}, receive {f, H} when H > G -> H * G + F end.
known_map(#{a := A} = M) when is_integer(A) -> M2 = M#{a := A + 1, c => 3}, #{c := C, b := B} = M2,
    {C + B, map_size(M2), M2}.
known_binary(<<A:16, R/binary>>, S) -> known_binary(R, S * 3 + A);
known_binary(<<>>, S) -> S.
small(A, B) when is_integer(A), is_integer(B), A >= 0, A =< 16#7fffffff, B =< 16#7fffffff,
    B >= -10 -> {A * B, A + B, A - B}.
