%% Binaries that grow by appending: shared, written to twice, sent while they grow.
-module(appending).
-export([main/0]).

main() ->
    Grown = grow(10000, <<>>),
    see:value(grown, {byte_size(Grown), erlang:phash2(Grown)}),
    Base = see:id(<<"base">>), A = <<Base/binary, "one">>, B = <<A/binary, "two">>, C = <<A/binary, "three">>,
    D = <<A/binary, "x">>,
    see:value(forked, {A, B, C, D, <<B/binary, C/binary>>}),
    L = grow(300, <<>>), M = <<L/binary, 1>>, N = <<L/binary, 2>>,
    see:value(forked_large, {binary:last(M), binary:last(N), byte_size(L), binary:part(M, 0, byte_size(L)) =:= L}),
    Self = self(),
    spawn(fun() -> Self ! {sent, <<L/binary, "from child">>} end),
    P = <<L/binary, "from parent">>,
    receive {sent, Q} -> see:value(both, {binary:part(P, byte_size(P), -6), binary:part(Q, byte_size(Q), -5)}) end,
    see:value(while_sent, while_sent(<<>>, 200, [])),
    see:value(bits, bits(100, <<>>)),
    see:value(comprehension, erlang:phash2(<< <<X:24>> || X <- lists:seq(1, 5000) >>)),
    see:value(collected, collected(2000, <<>>)),
    see:value(prepended, erlang:phash2(prepend(500, <<>>))),
    see:value(interleaved, interleaved(1000, <<>>, <<>>)).

grow(0, B) -> B;
grow(N, B) -> grow(N - 1, <<B/binary, N:32>>).

while_sent(B, 0, _) -> erlang:phash2(B);
while_sent(B, N, _) ->
    self() ! B,
    B2 = <<B/binary, N:16>>,
    receive B when byte_size(B) + 2 =:= byte_size(B2) -> while_sent(B2, N - 1, []) end.

bits(0, B) -> B;
bits(N, B) -> bits(N - 1, <<B/bits, N:3>>).

collected(0, B) -> erlang:phash2(B);
collected(N, B) -> erlang:garbage_collect(),
    collected(N - 100, lists:foldl(fun(X, Acc) -> <<Acc/binary, X>> end, B, lists:seq(1, 100))).

prepend(0, B) -> B;
prepend(N, B) -> prepend(N - 1, <<N:16, B/binary>>).

interleaved(0, A, B) -> {erlang:phash2(A), erlang:phash2(B)};
interleaved(N, A, B) when byte_size(B) > 100000 -> interleaved(N - 1, <<A/binary, N:16>>, <<>>);
interleaved(N, A, B) -> interleaved(N - 1, <<A/binary, N:16>>, <<B/binary, A/binary>>).
