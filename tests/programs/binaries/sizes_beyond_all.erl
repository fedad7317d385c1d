%% Patterns of more bits than any bit string has: they load, and never match. A segment of 2^32 bits and more may still
%% be skipped.
-module(sizes_beyond_all).
-export([main/0]).

main() ->
    Strings = [<<>>, <<1>>, <<1, 2:4>>, <<42, 0:200>>, <<42, 0:16#1001>>, <<0:100000>>],
    [see:value({Name, bit_size(String)}, Pattern(String))
     || {Name, Pattern} <- patterns(), String <- Strings],
    ok.

patterns() ->
    [{exactly_4105, fun exactly_4105/1},
     {exactly_31_bits, fun exactly_31_bits/1},
     {exactly_32_bits, fun exactly_32_bits/1},
     {exactly_64_bits, fun exactly_64_bits/1},
     {integer_64, fun integer_64/1},
     {integer_60, fun integer_60/1},
     {integer_signed, fun integer_signed/1},
     {binary_64, fun binary_64/1},
     {binary_61, fun binary_61/1},
     {least_64, fun least_64/1},
     {least_33, fun least_33/1},
     {unit, fun unit/1},
     {two, fun two/1},
     {skipped, fun skipped/1},
     {literal, fun literal/1}].

exactly_4105(<<B:8, _:16#1001>>) -> B;
exactly_4105(_) -> no.

exactly_31_bits(<<B:8, _:16#8000_0000>>) -> B;
exactly_31_bits(_) -> no.

exactly_32_bits(<<B:8, _:16#1_0000_0000>>) -> B;
exactly_32_bits(_) -> no.

exactly_64_bits(<<B:8, _:16#1_0000_0000_0000_0000>>) -> B;
exactly_64_bits(_) -> no.

integer_64(<<I:16#1_0000_0000_0000_0000>>) -> I;
integer_64(<<I:8, _/bits>>) -> {first, I};
integer_64(_) -> no.

integer_60(<<I:16#1000_0000_0000_0000/little, R/bits>>) -> {I, R};
integer_60(_) -> no.

integer_signed(<<I:16#F000_0000_0000_0000/signed, R/bits>>) -> {I, R};
integer_signed(_) -> no.

binary_64(<<B:16#1_0000_0000_0000_0000/binary, R/bits>>) -> {B, R};
binary_64(_) -> no.

binary_61(<<B:16#2000_0000_0000_0000/binary>>) -> B;
binary_61(_) -> no.

least_64(<<_:16#1_0000_0000_0000_0000, R/binary>>) -> R;
least_64(_) -> no.

least_33(<<_:16#2_0000_0000, R/bits>>) -> R;
least_33(_) -> no.

unit(<<_:16#3000_0000_0000_0000/unit:200, R/bits>>) -> R;
unit(_) -> no.

two(<<_:16#8000_0000_0000_0000, _:16#8000_0000_0000_0000, R/bits>>) -> R;
two(_) -> no.

skipped(<<1, _:16#1_0000_0000_0000_0000, _/bits>>) -> yes;
skipped(<<42, _:200, _/bits>>) -> short;
skipped(_) -> no.

literal(<<5:16#1_0000_0000_0000_0000>>) -> yes;
literal(_) -> no.
