%% Functions with many arguments and many live variables across calls.
-module(many_registers).
-export([main/0]).

main() ->
    see:value(args, many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20)),
    see:value(live, live(see:id(1))),
    see:value(swap, swap(1, 2, 3, 4, 5, 6)),
    see:value(rotate, rotate(10, a, b, c, d, e)),
    see:value(applied, apply(fun many/20, lists:seq(101, 120))),
    F = fun(A, B, C, D, E, F, G, H, I, J, K, L) -> [L, K, J, I, H, G, F, E, D, C, B, A] end,
    see:value(fun_args, F(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)),
    see:value(big_tuple, big_tuple(see:id(0))),
    see:value(clobbered, clobbered(see:id(5))).

many(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T) ->
    X = see:id([A, C, E, G, I, K, M, O, Q, S]),
    {T, S, R, Q, P, O, N, M, L, K, J, I, H, G, F, E, D, C, B, A, X}.

live(A) ->
    B = see:id(A + 1), C = see:id(B * 2), D = see:id([C]), E = see:id({D}), F = see:id(#{a => E}),
    G = see:id(<<A, B, C>>),
    H = see:id(1.5 * A), I = see:id(A bsl 70), J = see:id(fun() -> {A, I} end), K = see:id("k"), L = see:id(l),
    M = see:id({A, B}), N = see:id([M | L]), O = see:id(N), P = see:id(self()),
    erlang:garbage_collect(),
    {A, B, C, D, E, F, G, H, I, J(), K, L, M, N, O, P =:= self()}.

swap(A, B, C, D, E, F) -> swapped(F, E, D, C, B, A).
swapped(A, B, C, D, E, F) -> {swap, C, A, B, F, D, E}.

rotate(0, A, B, C, D, E) -> [A, B, C, D, E];
rotate(N, A, B, C, D, E) -> rotate(N - 1, B, C, D, E, A).

big_tuple(X) ->
    {X, X + 1, X + 2, X + 3, X + 4, X + 5, X + 6, X + 7, X + 8, X + 9, X + 10, X + 11, X + 12, X + 13, X + 14, X + 15,
        X + 16, X + 17,
     X + 18, X + 19, X + 20, X + 21, X + 22, X + 23, X + 24, X + 25, X + 26, X + 27, X + 28, X + 29, X + 30, X + 31,
     X + 32, X + 33}.

clobbered(N) ->
    A = N + 1,
    B = try see:id(A) of 6 -> see:id(six); _ -> other catch _:_ -> caught end,
    C = case see:id(B) of six -> A * 2; _ -> 0 end,
    {N, A, B, C}.
