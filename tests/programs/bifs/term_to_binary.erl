%% The external term format, byte by byte, and back.
-module(term_to_binary).
-export([main/0]).

main() ->
    [begin
         B = term_to_binary(T),
         io:format("~0p ~w~n", [T, B]),
         T2 = binary_to_term(B), true = T2 =:= T,
         B1 = term_to_binary(T, [{minor_version, 1}]), true = binary_to_term(B1) =:= T,
         B2 = term_to_binary(T, [{minor_version, 2}]), true = binary_to_term(B2) =:= T,
         io:format("    ~w ~w~n", [B2, {erlang:external_size(T), erlang:external_size(T, [{minor_version, 1}])}]),
         true = iolist_to_binary(term_to_iovec(T)) =:= B
     end || T <- terms()],
    [io:format("~0p ~w~n", [T, term_to_binary(T, [{minor_version, M}])]) || T <- [1.5, a, 'å', 'λ'], M <- [0, 1, 2]],
    Compressible = lists:duplicate(1000, <<"abc">>),
    C = term_to_binary(Compressible, [compressed]),
    see:value(compressed, {byte_size(C) < 1000, binary:first(C), binary:at(C, 1), binary_to_term(C) =:= Compressible}),
    see:value(levels, [binary_to_term(term_to_binary(Compressible, [{compressed, L}])) =:= Compressible
        || L <- lists:seq(0, 9)]),
    see:value(used, [binary_to_term(<<(term_to_binary(T))/binary, "rest">>, [used]) || T <- [1, "ab", {x}]]),
    see:value(safe, [binary_to_term(term_to_binary(T), [safe]) || T <- [1, main, {erlang, [length]}]]),
    see:value(safe_new_atom, try binary_to_term(<<131, 119, 22, "surely unknown atom x9">>, [safe])
        catch error:badarg -> refused end),
    see:value(old_forms, [binary_to_term(B) || B <- [<<131, 100, 0, 3, "abc">>, <<131, 115, 1, "a">>,
        <<131, 99, "1.50000000000000000000e+00", 0:40>>, <<131, 107, 0, 2, "hi">>,
                          <<131, 110, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9>>, <<131, 111, 0, 0, 0, 2, 1, 255, 1>>,
                          <<131, 104, 1, 97, 1>>, <<131, 105, 0, 0, 0, 1, 97, 1>>]]),
    Self = self(), Ref = make_ref(),
    see:value(identifiers, [binary_to_term(term_to_binary(X)) =:= X || X <- [Self, Ref, open_port({spawn, "cat"}, []),
        fun lists:map/2, fun(X) -> X end, fun() -> Self end]]),
    see:value(closure, (binary_to_term(term_to_binary(fun(X) -> {X, Compressible =:= Compressible} end)))(1)),
    see:value(large, begin L = [{N, integer_to_binary(N), N * 1.5} || N <- lists:seq(1, 20000)],
        binary_to_term(term_to_binary(L)) =:= L end),
    see:value(deep, begin D = lists:foldl(fun(_, A) -> [{A}] end, [], lists:seq(1, 50000)),
        binary_to_term(term_to_binary(D)) =:= D end),
    Bad = [<<>>, <<131>>, <<130, 97, 1>>, <<131, 97>>, <<131, 98, 0, 0>>, <<131, 104, 2, 97, 1>>,
        <<131, 108, 0, 0, 0, 1, 97, 1>>, <<131, 108, 255, 255, 255, 255, 97>>,
           <<131, 109, 0, 0, 0, 9, "abc">>, <<131, 116, 0, 0, 0, 1, 97, 1>>, <<131, 116, 0, 0, 0, 2, 97, 1, 97, 2, 97,
               1, 97, 3>>, <<131, 70, 127, 240, 0, 0, 0, 0, 0, 0>>,
           <<131, 77, 0, 0, 0, 1, 9, 1>>, <<131, 110, 255, 0>>, <<131, 118, 0, 2, 255, 255>>, <<131, 255>>,
           <<131, 80, 0, 0, 0, 5, 1, 2, 3>>, <<131, 106, 1:1>>, <<131, 119, 5, "ab">>,
           <<131, 105, 255, 255, 255, 255>>, <<131, 103, 97, 1>>, <<131, 88, 119, 1, "a">>],
    [see:value(B, try {ok, binary_to_term(B)} catch error:R -> R end) || B <- Bad],
    see:value(trailing, binary_to_term(<<131, 97, 1, 2, 3>>)).

terms() ->
    [0, 1, 255, 256, -1, 2147483647, 2147483648, -2147483648, -2147483649, 1 bsl 63, 1 bsl 64, -(1 bsl 64), 1 bsl 100,
        0.0, -0.0, 1.5, -1.0e300, a, '', true, 'å', 'λ', 'with space',
     [], [1], [1, 2, 255], [1, 256], "string", [a | b], [1, 2 | c], [[]], "λ", {}, {1}, {a, "b", [c]}, <<>>,
     <<1, 2, 3>>, <<1:1>>, <<1, 2, 5:3>>, #{}, #{a => 1}, #{1 => a, 2 => [2]}, #{1 => #{2 => 3}},
     fun lists:map/2, fun erlang:'+'/2, [1.5 | 2.5], {<<"bin">>, 'atom', [{}]}].
