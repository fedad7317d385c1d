%% Match contexts that are reused, kept, turned back into binaries, and survive collections.
-module(match_contexts).
-export([main/0]).

main() ->
    B = list_to_binary(lists:seq(1, 100)),
    see:value(count, count(B, 0)),
    see:value(kept, kept(B, [])),
    see:value(alternatives, [alternatives(X) || X <- [<<1, 2, 3>>, <<1, 2>>, <<2, 9>>, <<>>, <<3:3>>, nothing]]),
    see:value(mutual, even(B, 0)),
    see:value(collected, collected(B, 0)),
    see:value(passed, passed(B)),
    see:value(saved_twice, saved_twice(<<5, 6, 7, 8>>)),
    see:value(in_closure, (fun(<<A, R/binary>>) -> {A, byte_size(R)} end)(B)),
    see:value(after_call, after_call(B)),
    see:value(sent, begin <<_:50/binary, R/binary>> = B, self() ! R, receive M -> {byte_size(M), binary:first(M)} end
        end),
    see:value(zip, zip(<<1, 2, 3>>, <<4, 5, 6, 7>>)).

count(<<_, R/binary>>, N) -> count(R, N + 1);
count(<<>>, N) -> N.

kept(<<A, R/binary>>, Acc) when A rem 25 =:= 0 -> kept(R, [{A, byte_size(R)} | Acc]);
kept(<<_, R/binary>>, Acc) -> kept(R, Acc);
kept(<<>>, Acc) -> Acc.

alternatives(<<1, 2, X>>) -> {a, X};
alternatives(<<1, X>>) -> {b, X};
alternatives(<<X, Y>> = Whole) when X > 1 -> {c, Y, Whole};
alternatives(<<>>) -> empty;
alternatives(<<B/bits>>) -> {bits, B};
alternatives(X) -> {other, X}.

even(<<X, R/binary>>, S) -> odd(R, S + X);
even(<<>>, S) -> {even, S}.
odd(<<X, R/binary>>, S) -> even(R, S - X);
odd(<<>>, S) -> {odd, S}.

collected(<<X, R/binary>>, S) ->
    case X rem 10 of 0 -> erlang:garbage_collect(); _ -> ok end,
    collected(R, S + X);
collected(<<>>, S) -> S.

passed(<<A, R/binary>>) -> S = see:id(R), <<B, _/binary>> = R, {A, B, byte_size(S), S =:= R}.

saved_twice(<<A, R1/binary>> = W) ->
    <<B, R2/binary>> = R1, <<C, _/binary>> = R2, <<D, _/binary>> = R1,
    {A, B, C, D, W, R1, R2}.

after_call(<<N, R/binary>>) -> X = see:id(N), case R of <<M, _/binary>> when M > X -> {greater, M}; _ -> no end.

zip(<<A, R/binary>>, <<B, S/binary>>) -> [{A, B} | zip(R, S)];
zip(A, B) -> [{rest, A, B}].
