%% Rows of integers in one pattern, of all sizes, signs and byte orders, at every bit position; and elements of constant
%% tuples by what they hold. What the patterns find is compared with what is computed bit by bit.
-module(integer_rows).
-export([main/0]).

main() ->
    Bytes = list_to_binary([(N * 151 + 77) rem 256 || N <- lists:seq(1, 40)]),
    [row(Start, Bytes) || Start <- lists:seq(0, 9)],
    [see:value({short, Size}, short(binary_part(Bytes, 0, Size))) || Size <- lists:seq(0, 9)],
    [see:value({mixed, Size}, mixed(binary_part(Bytes, Size, 12 - Size))) || Size <- lists:seq(0, 12)],
    see:value(last, [last(binary_part(Bytes, 0, Size)) || Size <- lists:seq(0, 6)]),
    see:value(encoded, encoded(Bytes, 1)),
    see:value(table, [{N, try table(N) catch error:Reason -> Reason end} || N <- [-1, 0, 1, 5, 8, 9, 1 bsl 70, a,
        1.0]]),
    see:value(names, [try names(N) catch error:Reason -> Reason end || N <- lists:seq(0, 5)]),
    see:value(sums, [try sums(A, B) catch error:Reason -> Reason end
                     || A <- [0, 3, 1 bsl 59 - 1, -(1 bsl 59), 1 bsl 80, a], B <- [1, 4, 2]]),
    see:value(across, [across(N, Bytes) || N <- [0, 1, 2, 1 bsl 58, -(1 bsl 58), 1 bsl 64]]).

%% The same fields at this bit.
row(Start, Bytes) ->
    <<_:Start/bits, Rest/bits>> = Bytes,
    Found = fields(Rest),
    Computed = computed(Rest, [{6, u}, {6, u}, {1, u}, {13, s}, {16, l}, {32, l}, {57, u}, {57, s}, {8, u}, {8, s},
        {24, l}, {3, u}]),
    see:value({row, Start, Found =:= Computed}, Found).

fields(<<A:6, B:6, C:1, D:13/signed, E:16/little, F:32/little, G:57, H:57/signed, I, J/signed, K:24/little, L:3,
    _/bits>>) ->
    [A, B, C, D, E, F, G, H, I, J, K, L].

computed(_, []) ->
    [];
computed(Bits, [{Size, Kind} | Kinds]) ->
    List = [Bit || <<Bit:1>> <= Bits],
    {Mine, _} = lists:split(Size, List),
    <<_:Size/bits, Rest/bits>> = Bits,
    [valued(Mine, Kind) | computed(Rest, Kinds)].

valued(Bits, u) -> lists:foldl(fun(Bit, Value) -> Value * 2 + Bit end, 0, Bits);
valued([Sign | Bits], s) -> valued(Bits, u) - Sign * (1 bsl length(Bits));
valued(Bits, l) -> bytewise(Bits, 0).

bytewise([], _) -> 0;
bytewise(Bits, Shift) ->
    {Byte, Rest} = lists:split(8, Bits),
    valued(Byte, u) bsl Shift + bytewise(Rest, Shift + 8).

%% What is too short for one clause goes to the next.
short(<<A, B, C, D, E, F, G, H>>) -> {eight, A, B, C, D, E, F, G, H};
short(<<A:4, B:4, C:12/little-unit:2, D:16/signed-little>>) -> {six, A, B, C, D};
short(<<A:20, B:20>>) -> {five, A, B};
short(<<A, B, Rest/binary>>) -> {two, A, B, Rest};
short(<<A:1, B:7>>) -> {one, A, B};
short(<<>>) -> none.

%% Integers before, between and behind what is no integer, too large, or a constant.
mixed(<<A, B, 83, C:16, _:3, D:5, Bin:2/binary, E, F:64, Rest/bits>>) -> {first, A, B, C, D, Bin, E, F, Rest};
mixed(<<A, B, C, _:16, D:2/binary, E:7, F:1, Rest/bits>>) -> {second, A, B, C, D, E, F, Rest};
mixed(<<A:2, B:3, C:3, Rest/bits>>) -> {third, A, B, C, Rest};
mixed(Other) -> Other.

%% The last integer may take the place of what is matched.
last(<<A, B, C, D>>) -> A + B + C + D;
last(<<A, B, _/binary>>) -> {A, B};
last(<<A>>) -> A;
last(<<>>) -> 0.

encoded(<<A:6, B:6, C:6, D:6, Rest/bits>>, Offset) ->
    <<(digit(A, Offset)), (digit(B, Offset)), (digit(C, Offset)), (digit(D, Offset)), (encoded(Rest, Offset))/binary>>;
encoded(Rest, _) ->
    Rest.

digit(Value, Offset) ->
    element(Value + Offset,
            {$A, $B, $C, $D, $E, $F, $G, $H, $I, $J, $K, $L, $M, $N, $O, $P, $Q, $R, $S, $T, $U, $V, $W, $X, $Y, $Z,
             $a, $b, $c, $d, $e, $f, $g, $h, $i, $j, $k, $l, $m, $n, $o, $p, $q, $r, $s, $t, $u, $v, $w, $x, $y, $z,
             $0, $1, $2, $3, $4, $5, $6, $7, $8, $9, $+, $/}).

table(N) -> element(N, {0, -1, 1 bsl 58, 3, 1 bsl 60, 5, 6, 7}) + 1.

names(N) -> element(N, {one, "two", 3.0, {four}}).

sums(A, B) ->
    X = element(B, {1, 2, 3, 4}),
    Y = A + X,
    Z = Y * X,
    {X, Y, Z, Z - A, X band Z, Z div X}.

%% What is known of a variable stays known while another function runs.
across(N, Bytes) ->
    <<A:16, B:16, _/bits>> = Bytes,
    Sum = A + B,
    Size = size_of(Bytes),
    Product = Sum * N,
    Again = size_of(Bytes),
    {Sum + Size, Product + A, Product - B, Again + N, catch (N bsr A) + B}.

size_of(Bytes) -> byte_size(Bytes) + length([Bytes]).
