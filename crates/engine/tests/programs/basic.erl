%% What the engine's tests run; each function is one test's program.
-module(basic).
-compile([export_all, nowarn_export_all]).

fib(0) -> 0;
fib(1) -> 1;
fib(N) -> fib(N - 1) + fib(N - 2).

count(0) -> done;
count(N) -> count(N - 1).

reverse(N) -> reverse(upto(1, N), []).
reverse([H | T], Acc) -> reverse(T, [H | Acc]);
reverse([], Acc) -> Acc.

upto(N, N) -> [N];
upto(I, N) -> [I | upto(I + 1, N)].

sum(0) -> 0;
sum(N) -> N + sum(N - 1).

%% Exceptions.
caught() -> catch raise(oops).
catch_nothing() -> catch id(fine).
raise(Reason) -> error(Reason).
id(X) -> X.

try_class(N) ->
    try fail(N) of
        Value -> {ok, Value}
    catch
        Class:Reason -> {Class, Reason}
    end.

fail(1) -> 2 = id(1);
fail(2) -> case id(2) of 3 -> ok end;
fail(3) -> N = id(3), if N =:= 4 -> ok end;
fail(4) -> only(4);
fail(6) -> 1 + id(a);
fail(N) -> id(N).

only(ok) -> ok.

deep(N) ->
    try dive(N) catch _:Reason -> {caught, Reason} end.
%% Calls by the module's name hide from the compiler that nothing comes back.
dive(0) -> error(bottom);
dive(N) -> 1 + ?MODULE:dive(N - 1).

nested() ->
    try
        Inner = try error(1) catch error:X -> {inner, X} end,
        put_away(Inner),
        error({2, Inner})
    catch
        error:{Y, I} -> [I, {outer, Y}]
    end.
put_away(_) -> ok.

%% Choosing.
choose(1) -> one;
choose(2) -> two;
choose(3) -> three;
choose(4) -> four;
choose(5) -> five;
choose(_) -> other.

choose_sparse(-5) -> minus_five;
choose_sparse(1) -> one;
choose_sparse(100) -> hundred;
choose_sparse(5000) -> five_thousand;
choose_sparse(1000000) -> million;
choose_sparse(_) -> other.

choose_atoms() ->
    map(fun atom_number/1, [a, b, c, d, e, f, g, h, i, j, k, l, zz]).
atom_number(a) -> 1;
atom_number(b) -> 2;
atom_number(c) -> 3;
atom_number(d) -> 4;
atom_number(e) -> 5;
atom_number(f) -> 6;
atom_number(g) -> 7;
atom_number(h) -> 8;
atom_number(i) -> 9;
atom_number(j) -> 10;
atom_number(k) -> 11;
atom_number(l) -> 12;
atom_number(_) -> none.

shapes() ->
    map(fun shape/1, [{1, 2}, {1, 2, 3}, {tag, a, 9, b}, {}, 17]).
shape({A, B}) -> {pair, A, B};
shape({A, B, C}) -> {triple, A, B, C};
shape({tag, _, X, _}) -> {tagged, X};
shape({}) -> empty;
shape(_) -> none.

%% Funs.
map(F, [H | T]) -> [F(H) | map(F, T)];
map(_, []) -> [].

funs(N) ->
    Free = id(3),
    map(fun(F) -> F(N) end,
        [fun(X) -> X + 1 end, fun(X) -> X * 2 end, fun id/1, fun(X) -> X - Free end]).

fold(N) -> foldl(fun(X, Acc) -> X + Acc end, 0, upto(1, N)).
foldl(F, Acc, [H | T]) -> foldl(F, F(H, Acc), T);
foldl(_, Acc, []) -> Acc.

applied(N) ->
    F = fun(X) -> X + 1 end,
    M = id(?MODULE),
    [apply(F, [N]), apply(M, succ, [N]), M:succ(N)].
succ(N) -> N + 1.

%% Arithmetic.
operators(N) ->
    M = id(2),
    [N + N, N - 1, N * N, M, N rem M, N div M, N band 7, N band 4, N bsl M, N bsr 1, -N, bnot N].

ordering() ->
    A = id(1), B = id(2),
    [A < B, A >= B, A =< B, A =/= B, A =:= B, A == id(1)].

%% Frames and tuples.
big_frame(N) ->
    A = id(N), B = id(A + 1), C = id(B + 1), D = id(C + 1), E = id(D + 1),
    F = id(E + 1), G = id(F + 1), H = id(G + 1), I = id(H + 1), J = id(I + 1),
    id([A, B, C, D, E, F, G, H, I, J]).

tuple_of(N) ->
    T = {N, N + 1, N + 2, N + 3, N + 4, N + 5, N + 6},
    {A, B, C, D, E, F, G} = id(T),
    {A, B, C, D, E, F, G}.

types() ->
    map(fun type/1, [1, a, 1.5, [], [1], {}, <<"x">>, fun id/1, self()]).
type(X) when is_integer(X) -> integer;
type(X) when is_atom(X) -> atom;
type(X) when is_float(X) -> float;
type([]) -> nil;
type(X) when is_list(X) -> list;
type(X) when is_tuple(X) -> tuple;
type(X) when is_binary(X) -> binary;
type(X) when is_function(X, 1) -> function;
type(_) -> other.

many_arguments(N) -> many(N, 1, 2, 3, 4, 5, 6, 7, 8).
many(0, A, B, C, D, E, F, G, H) -> {done, A + B + C + D + E + F + G + H};
many(N, A, B, C, D, E, F, G, H) -> many(N - 1, B, C, D, E, F, G, H, A).

%% Everything above in turn, over and over.
mixed(N) -> mixed(N, 0).
mixed(0, Acc) -> Acc;
mixed(N, Acc) ->
    {ok, 5} = try_class(5),
    {error, {badmatch, 1}} = try_class(1),
    [3, 2, 1] = reverse(3),
    four = choose(4),
    10 = atom_number(j),
    {pair, N, 2} = shape({N, 2}),
    [2] = map(fun succ/1, [1]),
    mixed(N - 1, Acc + 1).
