%% The same constructs without the compiler's optimisations: other operations, same meaning.
%% erlc: +no_ssa_opt +no_type_opt +no_bool_opt +no_share_opt +no_bsm_opt +no_recv_opt +no_postopt +no_copt
-module(unoptimised_code).
-export([main/0]).

main() ->
    see:value(select, [select(X) || X <- [a, 1, 2, 3, {x}, {x, y}, [], [1], <<1>>, 1.5, #{a => 1}]]),
    see:value(guard, [guard(X) || X <- [1, 10, a, [1], {1}, true, 5.0]]),
    see:value(booleans, [{A and B, A or B, A xor B, not A, A andalso B, A orelse B} || A <- [true, false],
        B <- [true, false]]),
    see:value(binary, parse(<<3, "abc", 2, "de", 0>>, [])),
    see:value(loop, loop(100, [])),
    see:value(received, [ask(self(), N) || N <- [1, 2]]),
    see:value(floats, poly(see:id(2.0), [1, 2, 3])),
    see:value(comprehension, [{X, Y} || X <- [1, 2, 3], X > 1, <<Y:4>> <= <<X>>]),
    see:value(tried, [tried(X) || X <- [1, 2, 3, 4]]),
    see:value(map, map(see:id(#{a => 1, b => 2}))),
    see:value(compared, [{A == B, A =:= B, A < B, A >= B} || {A, B} <- [{1, 1.0}, {1, 2}, {a, b}, {{1}, {1.0}}]]).

select(a) -> atom; select(1) -> one; select(2) -> two; select({_}) -> tuple1; select({x, _}) -> tuple2; select([]) ->
    nil;
select([_ | _]) -> list; select(<<_>>) -> byte; select(F) when is_float(F) -> float; select(#{a := A}) -> A;
    select(_) -> other.

guard(X) when X > 5, X < 20; hd(X) =:= 1; element(1, X) =:= 1 -> yes;
guard(X) when is_atom(X) and (X =:= true) -> boolean;
guard(_) -> no.

parse(<<0>>, Acc) -> lists:reverse(Acc);
parse(<<N, S:N/binary, Rest/binary>>, Acc) -> parse(Rest, [S | Acc]).

loop(0, Acc) -> erlang:phash2(Acc);
loop(N, Acc) -> loop(N - 1, [{N, [N], N * 1.0, <<N>>} | Acc]).

ask(Pid, N) ->
    Ref = make_ref(),
    self() ! noise,
    Pid ! {Ref, N},
    receive {Ref, X} -> X * 2 after 1000 -> timeout end.

poly(X, Cs) -> lists:foldl(fun(C, A) -> A * X + C end, 0.0, Cs).

tried(1) -> try throw(a) catch throw:X -> {t, X} end;
tried(2) -> try error(b) catch error:X -> {e, X} after put(x, y) end;
tried(3) -> try see:id(v) of v -> of_clause after erase(x) end;
tried(4) -> catch exit(c).

map(#{a := A} = M) -> #{b := B} = M, {M#{a := B, c => A}, maps:get(a, M), is_map_key(z, M)}.
