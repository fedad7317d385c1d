%% Loops, each over one family of operations, to be timed beside the stock machine.
-module(speed).
-compile([export_all, nowarn_export_all]).

count(0) -> done;
count(N) -> count(N - 1).

fib(0) -> 0;
fib(1) -> 1;
fib(N) -> fib(N - 1) + fib(N - 2).

id(X) -> X.

repeat(0, _, Last) -> Last;
repeat(N, F, _) -> repeat(N - 1, F, F()).

%% Lists.
reverse(N) -> L = upto(1, 1000), length(repeat(N div 1000, fun() -> reverse(L, []) end, [])).
reverse([H | T], Acc) -> reverse(T, [H | Acc]);
reverse([], Acc) -> Acc.
upto(N, N) -> [N];
upto(I, N) -> [I | upto(I + 1, N)].

append(N) -> L = upto(1, 1000), length(repeat(N div 1000, fun() -> app(L, L) end, [])).
app([H | T], L) -> [H | app(T, L)];
app([], L) -> L.

map_fun(N) -> L = upto(1, 1000), length(repeat(N div 1000, fun() -> map(fun(X) -> X + N end, L) end, [])).
map(F, [H | T]) -> [F(H) | map(F, T)];
map(_, []) -> [].

fold_fun(N) -> L = upto(1, 1000), repeat(N div 1000, fun() -> foldl(fun(X, A) -> X + A end, 0, L) end, 0).
foldl(F, A, [H | T]) -> foldl(F, F(H, A), T);
foldl(_, A, []) -> A.

sort(N) ->
    L = [(X * 7919) rem 1009 || X <- upto(1, 1000)],
    length(repeat(N div 1000, fun() -> msort(L) end, [])).
msort([X]) -> [X];
msort(L) -> {A, B} = split(L, [], []), merge(msort(A), msort(B)).
split([X, Y | T], A, B) -> split(T, [X | A], [Y | B]);
split([X], A, B) -> {[X | A], B};
split([], A, B) -> {A, B}.
merge([X | Xs] = A, [Y | Ys] = B) ->
    if X =< Y -> [X | merge(Xs, B)]; true -> [Y | merge(A, Ys)] end;
merge([], B) -> B;
merge(A, []) -> A.

%% Tuples and choosing.
record(N) -> record(N, {state, 0, 0, a, b}).
record(0, S) -> element(2, S);
record(N, {state, A, B, C, D}) -> record(N - 1, {state, A + 1, B + N, D, C}).

dispatch(N) -> dispatch(N, start, 0).
dispatch(0, _, A) -> A;
dispatch(N, start, A) -> dispatch(N - 1, middle, A + 1);
dispatch(N, middle, A) -> dispatch(N - 1, 'end', A + 2);
dispatch(N, 'end', A) -> dispatch(N - 1, loop, A + 3);
dispatch(N, loop, A) -> dispatch(N - 1, start, A + 4).

tree(N) -> weight(repeat(N div 1000, fun() -> insert_all(500, nil) end, nil)) + 500.
weight(nil) -> 0;
weight({_, L, R}) -> weight(L) + weight(R).
insert_all(0, T) -> T;
insert_all(N, T) -> insert_all(N - 1, insert((N * 7919) rem 1009, T)).
insert(K, nil) -> {K, nil, nil};
insert(K, {K1, L, R}) when K < K1 -> {K1, insert(K, L), R};
insert(K, {K1, L, R}) when K > K1 -> {K1, L, insert(K, R)};
insert(_, T) -> T.

%% Maps.
map_get(N) -> map_get(N, #{a => 1, b => 2, c => 3}, 0).
map_get(0, _, A) -> A;
map_get(N, #{b := B} = M, A) -> map_get(N - 1, M, A + B).

map_put(N) -> map_put(N, #{a => 1, b => 2, c => 3}).
map_put(0, #{b := B}) -> B;
map_put(N, M) -> map_put(N - 1, M#{b := N}).

map_hash(N) -> M = fill(1000, #{}), map_hash(N, M, 0).
fill(0, M) -> M;
fill(N, M) -> fill(N - 1, M#{N => N}).
map_hash(0, _, A) -> A;
map_hash(N, M, A) ->
    K = N rem 1000 + 1,
    #{K := V} = M,
    map_hash(N - 1, M, A + V).

%% Bit strings.
parse(N) -> B = zeros(1000, <<>>), repeat(N div 1000, fun() -> parse(B, 0) end, 0).
zeros(0, B) -> B;
zeros(N, B) -> zeros(N - 1, <<B/binary, 1>>).
parse(<<X, Rest/binary>>, A) -> parse(Rest, A + X);
parse(<<>>, A) -> A.

build(N) -> byte_size(repeat(N div 1000, fun() -> zeros(1000, <<>>) end, <<>>)).

packets(N) -> packets(N, <<1:8, 2:16, 3:32, "payload">>, 0).
packets(0, _, A) -> A;
packets(N, B, A) ->
    <<T:8, L:16, S:32, _/binary>> = B,
    packets(N - 1, B, A + T + L + S).

%% Floats and big integers.
floats(N) -> floats(N, 0.0, 1.5).
floats(0, A, _) -> A;
floats(N, A, X) -> floats(N - 1, A + X * 0.5 - 0.25, X).

factorial(N) -> repeat(N div 1000, fun() -> fact(100, 1) end, 1) rem 1000003.
fact(0, A) -> A;
fact(N, A) -> fact(N - 1, A * N).

%% Exceptions and BIFs.
try_of(N) -> try_of(N, 0).
try_of(0, A) -> A;
try_of(N, A) -> try_of(N - 1, try id(N) of X -> X - N + A catch error:_ -> A end).

thrown(N) -> thrown(N, 0).
thrown(0, A) -> A;
thrown(N, A) -> thrown(N - 1, try error(N) catch error:_ -> A + 1 end).

bifs(N) -> bifs(N, {1, 2, 3}, [1], 0).
bifs(0, _, _, A) -> A;
bifs(N, T, L, A) -> bifs(N - 1, T, L, A + tuple_size(T) + element(2, T) + length(L)).
