%% Constructs as compilers of older releases wrote them.
%% erlc: +r24
%% releases: 25 27
-module(old_code_r24).
-export([main/0]).

main() ->
    B = see:id(<<1, 2, 3, 4, 5, 6, 7, 8, 9>>),
    <<A:4, C:12/little, D/float, _/bits>> = see:id(<<16#12, 16#34, 1.5/float, 0>>),
    see:value(matched, {A, C, D}),
    see:value(built, <<A:7, C:20, D:64/float, B/binary, (see:id(<<5:3>>))/bits>>),
    see:value(utf8, << <<X/utf8>> || X <- "aλ日" >>),
    see:value(utf16, [X || <<X/utf16>> <= <<"aλ"/utf16>>]),
    see:value(appended, lists:foldl(fun(X, Acc) -> <<Acc/binary, X:16>> end, <<>>, lists:seq(1, 20))),
    see:value(private, << <<(X * 2)>> || <<X>> <= B >>),
    see:value(skipped, begin <<_:3/binary, Y, _/binary>> = B, Y end),
    see:value(map, begin M = #{a => see:id(1)}, #{a := V} = M, {V, M#{b => V}} end),
    see:value(received, begin R = make_ref(), self() ! {R, x}, receive {R, Z} -> Z after 100 -> none end end),
    see:value(caught, try error(see:id(x)) catch error:E:S -> {E, is_list(S)} end),
    see:value(tuple, {see:id(1), see:id(2), [see:id(3) | B]}),
    see:value(floats, (see:id(1.5) + 2.5) * see:id(2.0) / 4),
    see:value(swapped, swapped(1, 2)),
    see:fails([fun() -> <<(see:id(a)):8>> end, fun() -> <<(see:id(1))/binary>> end]).

swapped(A, B) -> {see:id(B), see:id(A)}.
