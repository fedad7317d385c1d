%% Counters that run over the border of small integers and back, in typed and untyped code.
-module(loops_over_borders).
-export([main/0]).

main() ->
    Border = 1 bsl 59,
    see:value(up, up(Border - 5, 10, [])),
    see:value(down, down(-Border + 5, 10, [])),
    see:value(doubled, doubled(1, 70)),
    see:value(halved, halved(1 bsl 70, 75)),
    see:value(squares, [X * X || X <- [1 bsl 29, (1 bsl 29) + 1, 1 bsl 30, -(1 bsl 30), 759250124, 759250125]]),
    see:value(typed, [typed(X) || X <- [0, 1000, 16#ffffffff]]),
    see:value(products, [A * B || A <- [1 bsl 31, -(1 bsl 31), 3037000500],
        B <- [1 bsl 28, 1 bsl 31, 1 bsl 32, -3037000500]]),
    see:value(negated, [-X || X <- [Border, -Border, Border - 1, -(1 bsl 63), 1 bsl 63]]),
    see:value(absolute, [abs(X) || X <- [-Border, -Border - 1, -(1 bsl 63), -(1 bsl 64)]]),
    see:value(mixed, lists:foldl(fun(N, A) -> (A * 31 + N) rem 1000000007 end, 7, lists:seq(1, 1000))).

up(_, 0, Seen) -> lists:reverse(Seen);
up(N, Left, Seen) -> up(N + 1, Left - 1, [N | Seen]).

down(_, 0, Seen) -> lists:reverse(Seen);
down(N, Left, Seen) -> down(N - 1, Left - 1, [N | Seen]).

doubled(N, 0) -> N;
doubled(N, Left) -> doubled(N + N, Left - 1).

halved(N, 0) -> N;
halved(N, Left) -> halved(N div 2, Left - 1).

%% The compiler knows the range of X here.
typed(X) when is_integer(X), 0 =< X, X =< 16#ffffffff ->
    Y = X band 16#ffff,
    {Y + 1, Y * 65537, X bsl 8, X bsr 8, X * X, X + X, X - 1, X bxor Y, X div 3, X rem 3}.
