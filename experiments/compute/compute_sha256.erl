%% The SHA-256 of a text, in Erlang: arithmetic modulo 2^32, shifts and binaries.
-module(compute_sha256).
-export([run/0]).

-define(WORD(X), ((X) band 16#ffffffff)).

run() ->
    Keys = constants(3, 64),
    Start = list_to_tuple(constants(2, 8)),
    Text = binary:copy(<<"All happy processes are alike. ">>, 4000),
    Last = lists:foldl(fun(Block, State) -> block(Block, Keys, State) end, Start, blocks(padded(Text))),
    << <<Word:32>> || Word <- tuple_to_list(Last) >>.

%% The first 32 bits behind the point of the square or cube roots of the first primes.
constants(Power, Count) -> [fraction(Prime, Power) || Prime <- lists:sublist(primes(lists:seq(2, 320)), Count)].

primes([Prime | Rest]) -> [Prime | primes([N || N <- Rest, N rem Prime =/= 0])];
primes([]) -> [].

fraction(Prime, Power) -> ?WORD(root(Prime bsl (32 * Power), Power, 0, 1 bsl 40)).

root(_, _, Low, High) when High - Low =< 1 -> Low;
root(Of, Power, Low, High) ->
    Middle = (Low + High) div 2,
    case power(Middle, Power) =< Of of
        true -> root(Of, Power, Middle, High);
        false -> root(Of, Power, Low, Middle)
    end.

power(X, 2) -> X * X;
power(X, 3) -> X * X * X.

padded(Text) ->
    Zeros = (55 - byte_size(Text)) band 63,
    <<Text/binary, 16#80, 0:(8 * Zeros), (bit_size(Text)):64>>.

blocks(<<Block:64/binary, Rest/binary>>) -> [[Word || <<Word:32>> <= Block] | blocks(Rest)];
blocks(<<>>) -> [].

block(Words, Keys, {A, B, C, D, E, F, G, H} = State) ->
    {A1, B1, C1, D1, E1, F1, G1, H1} = rounds(Keys, schedule(Words), State),
    {?WORD(A + A1), ?WORD(B + B1), ?WORD(C + C1), ?WORD(D + D1), ?WORD(E + E1), ?WORD(F + F1), ?WORD(G + G1),
        ?WORD(H + H1)}.

%% The sixteen words of a block and forty-eight more.
schedule(Words) ->
    Window = list_to_tuple(Words),
    Words ++ more(48, queue:from_list(tuple_to_list(Window))).

more(0, _) -> [];
more(N, Window) ->
    Words = queue:to_list(Window),
    [W16, W15, _, _, _, _, _, _, _, W7, _, _, _, _, W2, _] = Words,
    Low = rotated(W15, 7) bxor rotated(W15, 18) bxor (W15 bsr 3),
    High = rotated(W2, 17) bxor rotated(W2, 19) bxor (W2 bsr 10),
    New = ?WORD(W16 + Low + W7 + High),
    [New | more(N - 1, queue:in(New, queue:drop(Window)))].

rounds([Key | Keys], [Word | Words], {A, B, C, D, E, F, G, H}) ->
    Choice = (E band F) bxor (?WORD(bnot E) band G),
    Majority = (A band B) bxor (A band C) bxor (B band C),
    First = H + (rotated(E, 6) bxor rotated(E, 11) bxor rotated(E, 25)) + Choice + Key + Word,
    Second = (rotated(A, 2) bxor rotated(A, 13) bxor rotated(A, 22)) + Majority,
    rounds(Keys, Words, {?WORD(First + Second), A, B, C, ?WORD(D + First), E, F, G});
rounds([], [], State) ->
    State.

rotated(X, By) -> (X bsr By) bor ?WORD(X bsl (32 - By)).
