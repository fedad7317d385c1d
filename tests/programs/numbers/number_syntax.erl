%% Numbers as literals: bases, characters, underscores, exponents, and constants too big for an operand.
-module(number_syntax).
-export([main/0]).

main() ->
    see:value(bases, [2#1011, 8#777, 16#deadBEEF, 36#Zz, 10#99]),
    see:value(characters, [$a, $\n, $\\, $\x{1F600}, $\s, $\^a, $å]),
    see:value(underscores, [1_000_000, 16#ffff_ffff, 3.141_592]),
    see:value(exponents, [1.0e3, 1.5E-3, 2.0e+2]),
    see:value(big, [16#ffffffffffffffff, -16#ffffffffffffffff, 123456789012345678901234567890]),
    see:value(borders, [576460752303423487, 576460752303423488, -576460752303423488, -576460752303423489]),
    see:value(compared, [is_big(1 bsl 64), is_big(18446744073709551616), is_big(5)]),
    see:value(added, [see:id(1) + 576460752303423488, see:id(1) - 9223372036854775808,
        4294967296 * see:id(4294967296)]).

is_big(18446744073709551616) -> true;
is_big(_) -> false.
