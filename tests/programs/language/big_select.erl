%% Large case tables: dense integers, sparse integers, atoms, tuple arities, bigs, floats, mixed.
-module(big_select).
-export([main/0]).

main() ->
    see:value(dense, [dense(N) || N <- lists:seq(-1, 21)]),
    see:value(sparse, [sparse(N) || N <- [0, 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 16#ffffffff, 1 bsl 58,
        -7, 5, x]]),
    see:value(atoms, [colour(C) || C <- [red, orange, yellow, green, blue, indigo, violet, black, white, grey, pink,
        brown, none, 1]]),
    see:value(arities, [arity(T) || T <- [{}, {a}, {a, b}, {a, b, c}, {1, 2, 3, 4}, {1, 2, 3, 4, 5}, {1, 2, 3, 4, 5, 6},
        []]]),
    see:value(bigs, [bigs(B) || B <- [1 bsl 64, 1 bsl 65, 1 bsl 66, (1 bsl 66) + 1, 5]]),
    see:value(floats, [floats(F) || F <- [1.0, 2.0, 0.5, 0.0, -0.0, 3]]),
    see:value(mixed, [mixed(M) || M <- [a, 1, "x", {a, 1}, {a, 2}, {b, 1}, #{a => 1}, <<1>>, <<2, 3>>, 1.5, [], b, 2,
        nothing]]),
    see:value(characters, [class(C) || C <- "aZ5 \n_-~" ++ [1000, 16#1F600]]).

dense(0) -> a; dense(1) -> b; dense(2) -> c; dense(3) -> d; dense(4) -> e; dense(5) -> f; dense(6) -> g; dense(7) -> h;
dense(8) -> i; dense(9) -> j; dense(10) -> k; dense(11) -> l; dense(12) -> m; dense(13) -> n; dense(14) -> o;
    dense(15) -> p;
dense(16) -> q; dense(17) -> r; dense(18) -> s; dense(19) -> t; dense(20) -> u; dense(_) -> none.

sparse(1) -> e0; sparse(10) -> e1; sparse(100) -> e2; sparse(1000) -> e3; sparse(10000) -> e4; sparse(100000) -> e5;
sparse(1000000) -> e6; sparse(16#ffffffff) -> word; sparse(288230376151711744) -> high; sparse(-7) -> minus;
    sparse(_) -> none.

colour(red) -> 1; colour(orange) -> 2; colour(yellow) -> 3; colour(green) -> 4; colour(blue) -> 5; colour(indigo) -> 6;
colour(violet) -> 7; colour(black) -> 8; colour(white) -> 9; colour(grey) -> 10; colour(pink) -> 11; colour(brown) ->
    12;
colour(_) -> 0.

arity({}) -> 0; arity({_}) -> 1; arity({_, _}) -> 2; arity({_, _, _}) -> 3; arity({_, _, _, _}) -> 4;
arity({_, _, _, _, _}) -> 5; arity(_) -> other.

bigs(16#10000000000000000) -> p64; bigs(16#20000000000000000) -> p65; bigs(16#40000000000000000) -> p66;
    bigs(_) -> other.

floats(1.0) -> one; floats(2.0) -> two; floats(0.5) -> half; floats(0.0) -> zero; floats(_) -> other.

mixed(a) -> atom; mixed(1) -> int; mixed("x") -> string; mixed({a, 1}) -> a1; mixed({a, _}) -> a_any; mixed({_, 1}) ->
    any1;
mixed(#{a := _}) -> map; mixed(<<1>>) -> byte; mixed(<<_, _>>) -> two_bytes; mixed(1.5) -> float; mixed([]) -> nil;
mixed(X) when is_atom(X) -> other_atom; mixed(_) -> other.

class(C) when C >= $a, C =< $z -> lower;
class(C) when C >= $A, C =< $Z -> upper;
class(C) when C >= $0, C =< $9 -> digit;
class($\s) -> space; class($\n) -> newline; class($_) -> underscore;
class(C) when C > 16#ffff -> astral;
class(C) when C > 127 -> unicode;
class(_) -> sign.
