%% Constructs inside each other: receive in try in fun in comprehension, and so on.
-module(nested_constructs).
-export([main/0]).

main() ->
    see:value(a, [try (fun(Y) -> self() ! Y, receive Y when Y > 1 -> {got, Y}; Y -> throw({small, Y}) after 0 -> none
        end end)(X) catch throw:T -> {caught, T} after put(last, X) end || X <- [1, 2, 3]]),
    see:value(last, get(last)),
    see:value(b, case [begin {ok, V} = {ok, X * 2}, V end || X <- [1, 2], X > 0] of [A, B] when A < B ->
        #{sum => A + B, list => [Z || Z <- [A, B]]}; _ -> none end),
    see:value(c, plain((fun Loop(0, Acc) -> lists:reverse(Acc); Loop(N, Acc) ->
        Loop(N - 1, [case N rem 3 of 0 -> fizz; R when R =:= 1 -> fun() -> N end;
        _ -> try N div (N - 2) catch error:badarith -> zero end end | Acc]) end)(6, []))),
    see:value(d, catch [if X > 2 -> throw({stop, X}); true -> X end || X <- [1, 2, 3, 4]]),
    see:value(e, << <<(case B of $a -> $A; $b -> begin Q = B + 1, Q end; _ -> $. end)>> || <<B>> <= <<"abcab">> >>),
    see:value(f, lists:foldl(fun({K, Fn}, Acc) when is_function(Fn, 1) -> Acc#{K => Fn(maps:size(Acc))};
        ({K, V}, Acc) -> Acc#{K => V} end, #{},
    [{x, fun(N) -> N + 10 end}, {y, 2}, {z, fun(N) -> [N || _ <- [1, 2]] end}])),
    see:value(g, begin F = fun(G, N) -> if N =:= 0 -> done; true -> G(G, N - 1) end end, F(F, 1000) end),
    see:value(h, [{X, Y, Z} || X <- [1, 2, 3, 4, 5], Y <- case X of 3 -> []; _ -> [X, X + 1] end,
        Z <- try [X div (Y - 2)] catch error:_ -> [inf] end, Z =/= 1]),
    see:value(i, try try error(a) catch error:a -> try error(b) catch error:b -> throw(c) end end catch throw:c ->
        case catch error(d) of {'EXIT', {d, _}} -> all end end),
    K1 = see:id(k), see:value(j, #{begin K2 = {K1}, K2 end => fun(X) -> X end(1),
        {K1, 2} => [<<1>> | case K1 of k -> tail end]}),
    see:value(k, begin {X1, [Y1 | _] = L1, #{z := Z1}} = see:id({1, [2, 3], #{z => 4}}), [X1, Y1, L1, Z1] end),
    see:value(l, begin Pid = spawn(fun() -> receive {From, Fn} -> From ! {self(), try Fn() catch Cl:Re -> {Cl, Re} end}
        end end), Pid ! {self(), fun() -> [1 | exit(in_other)] end}, receive {Pid, An} -> An end end).

plain(L) -> [if is_function(X) -> {a_fun, X()}; true -> X end || X <- L].
