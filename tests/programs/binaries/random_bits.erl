%% Seeded random bit strings built segment by segment and taken apart again in other ways; each
%% segment is also worked out with integers.
-module(random_bits).
-export([main/0]).

main() ->
    see:value(digests, [run(200, Seed * 104729, 0) || Seed <- lists:seq(1, 10)]),
    see:value(slices, slices(500, 31, 0)).

next(S) -> (S * 6364136223846793005 + 1442695040888963407) band 16#ffffffffffffffff.
pick(N, S0) -> S = next(S0), {(S bsr 33) rem N, S}.

run(0, _, H) -> H;
run(N, S0, H) ->
    {Segments, S1} = segments(N rem 9 + 1, S0),
    B = build(Segments, <<>>),
    N2 = lists:foldl(fun({_, Size, V}, A) -> (A bsl Size) bor V end, 0, [as_bits(Sg) || Sg <- Segments]),
    Size = bit_size(B),
    Size = lists:sum([element(2, as_bits(Sg)) || Sg <- Segments]),
    <<N2:Size>> = B,
    ok = take(Segments, B),
    ok = taken_in_halves(B, Size, N2),
    run(N - 1, S1, erlang:phash2({H, B})).

segments(0, S) -> {[], S};
segments(N, S0) ->
    {K, S1} = pick(6, S0), {Size, S2} = pick(90, S1), {V, S3} = pick(1 bsl 30, S2),
    Wide = V * V * V band ((1 bsl Size) - 1),
    Sg = case K of
             0 -> {big, Size, Wide};
             1 -> {little, Size, Wide};
             2 -> {signed, Size + 1, Wide - (1 bsl Size) div 2};
             3 -> {bits, <<Wide:Size>>};
             4 -> {float, V / 7};
             5 -> {utf8, V rem 16#d000}
         end,
    {Rest, S4} = segments(N - 1, S3),
    {[Sg | Rest], S4}.

build([], B) -> B;
build([{big, S, V} | T], B) -> build(T, <<B/bits, V:S>>);
build([{little, S, V} | T], B) -> build(T, <<B/bits, V:S/little>>);
build([{signed, S, V} | T], B) -> build(T, <<B/bits, V:S/signed>>);
build([{bits, V} | T], B) -> build(T, <<B/bits, V/bits>>);
build([{float, V} | T], B) -> build(T, <<B/bits, V/float>>);
build([{utf8, V} | T], B) -> build(T, <<B/bits, V/utf8>>).

as_bits({big, S, V}) -> {bits, S, V};
as_bits({little, S, V}) -> <<N:S>> = <<V:S/little>>, {bits, S, N};
as_bits({signed, S, V}) -> {bits, S, V band ((1 bsl S) - 1)};
as_bits({bits, V}) -> S = bit_size(V), <<N:S>> = V, {bits, S, N};
as_bits({float, V}) -> <<N:64>> = <<V/float>>, {bits, 64, N};
as_bits({utf8, V}) -> B = unicode:characters_to_binary([V]), S = bit_size(B), <<N:S>> = B, {bits, S, N}.

take([], <<>>) -> ok;
take([{big, S, V} | T], B) -> <<V:S, R/bits>> = B, take(T, R);
take([{little, S, V} | T], B) -> <<V:S/little, R/bits>> = B, take(T, R);
take([{signed, S, V} | T], B) -> <<V:S/signed, R/bits>> = B, take(T, R);
take([{bits, V} | T], B) -> S = bit_size(V), <<V:S/bits, R/bits>> = B, take(T, R);
take([{float, V} | T], B) -> <<V/float, R/bits>> = B, take(T, R);
take([{utf8, V} | T], B) -> <<V/utf8, R/bits>> = B, take(T, R).

taken_in_halves(B, Size, N) ->
    Half = Size div 3, Other = Size - Half,
    <<X:Half, Y:Other>> = B, <<XB:Half/bits, YB/bits>> = B,
    N = (X bsl Other) bor Y, <<X:Half>> = XB, <<Y:Other>> = YB,
    true = <<XB/bits, YB/bits>> =:= B, true = list_to_bitstring([XB, YB]) =:= B,
    true = binary_to_term(term_to_binary(YB)) =:= YB,
    true = erlang:phash2(YB) =:= erlang:phash2(<<Y:Other>>),
    ok.

slices(0, _, H) -> H;
slices(N, S0, H) ->
    Base = << <<(X * X):13>> || X <- lists:seq(1, 100) >>,
    {From, S1} = pick(1000, S0), {Len, S2} = pick(1300 - From, S1),
    <<_:From, Slice:Len/bits, Rest/bits>> = Base,
    true = bit_size(Rest) =:= 1300 - From - Len,
    Again = << <<B:1>> || <<B:1>> <= Slice >>,
    true = Again =:= Slice, false = Again < Slice, true = [B || <<B:1>> <= Slice] =:= [B || <<B:1>> <= Again],
    slices(N - 1, S2, erlang:phash2({H, Slice})).
