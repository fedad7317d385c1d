%% Sizes of segments that are no sizes: atoms (among them the one that the compiler uses itself), floats, negative and
%% huge integers, lists. A match fails, a construction is an error.
-module(wrong_sizes).
-export([main/0]).

main() ->
    [see:value({binary, S}, [binary(S, B) || B <- strings()]) || S <- sizes()],
    [see:value({skipped, S}, [skip(S, B) || B <- strings()]) || S <- sizes()],
    [see:value({bits, S}, [bits(S, B) || B <- strings()]) || S <- sizes()],
    [see:value({integer, S}, [integer(S, B) || B <- strings()]) || S <- sizes()],
    [see:value({float, S}, [float(S, B) || B <- strings()]) || S <- sizes()],
    [see:value({known, S}, [known(B) || B <- strings()]) || S <- [all]],
    [see:value({in_a_binary, S}, [found(S, B) || B <- strings()]) || S <- sizes()],
    [see:value({built, S}, [result(fun() -> F(S) end) || F <- builders()]) || S <- sizes() -- too_large()].

id(X) -> X.

sizes() ->
    [id(S) || S <- [all, undefined, '', 1.0, 0.5, -1, -(1 bsl 59), -(1 bsl 70), 1 bsl 58, 1 bsl 59, 1 bsl 64, 1 bsl 70,
        [], [1], {}, <<1>>, 0, 1]].

%% Stock ends when it is asked for as much memory.
too_large() -> [1 bsl 58, 1 bsl 59].

strings() -> [id(S) || S <- [<<>>, <<1>>, <<1, 2, 3>>, <<1, 2, 3:4>>]].

binary(S, B) -> case B of <<X:S/binary>> -> X; _ -> no end.
skip(S, B) -> case B of <<_:S/binary, X/bits>> -> X; _ -> no end.
bits(S, B) -> case B of <<X:S/bits, _/bits>> -> X; _ -> no end.
integer(S, B) -> case B of <<X:S, _/bits>> -> X; _ -> no end.
float(S, B) -> case B of <<X:S/float, _/bits>> -> X; _ -> no end.
known(B) -> All = all, case B of <<X:All/binary>> -> X; _ -> no end.
found(S, B) -> case {size, B} of {size, <<S2, _/bits>>} when S2 > 2 -> S2; {size, <<_:8, X:S/binary, _/bits>>} -> X;
    _ -> no end.

builders() ->
    Three = id(<<1, 2, 3>>),
    [fun(S) -> <<Three:S/binary>> end, fun(S) -> <<0, Three:S/binary, 1>> end,
        fun(S) -> <<Three/binary, Three:S/binary>> end,
     fun(S) -> <<0:3, Three:S/bits>> end, fun(S) -> small(<<7:S>>) end, fun(S) -> small(<<0:1, 7:S/little>>) end,
     fun(S) -> <<1.5:S/float>> end, fun(S) -> << <<X:S/binary>> || X <- [Three, Three] >> end].

small(B) when bit_size(B) < 1000 -> B;
small(_) -> large.

result(F) ->
    try F() catch error:R -> {error, R} end.
