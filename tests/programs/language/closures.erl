%% Funs: environments of all sizes, recursion, currying, passing between processes, equality.
-module(closures).
-export([main/0, public/2]).

main() ->
    A = see:id(1), B = see:id(2.5), C = see:id("three"), D = see:id({4}), E = see:id(<<5>>), F = see:id(1 bsl 80),
    G = fun() -> {A, B, C, D, E, F} end,
    see:value(environment, G()),
    H = fun(X, Y) -> {X, Y, A, G()} end,
    see:value(nested, H(x, y)),
    Curry = fun(X) -> fun(Y) -> fun(Z) -> [X, Y, Z] end end end,
    see:value(curry, ((Curry(1))(2))(3)),
    Fib = fun Self(N) when N < 2 -> N; Self(N) -> Self(N - 1) + Self(N - 2) end,
    see:value(fib, Fib(20)),
    Compose = fun(Fs) -> fun(X) -> lists:foldl(fun(Fn, Acc) -> Fn(Acc) end, X, Fs) end end,
    see:value(compose, (Compose([fun(X) -> X + 1 end, fun(X) -> X * 10 end, fun erlang:integer_to_list/1]))(4)),
    see:value(clauses, [(fun(0) -> zero; (N) when N < 0 -> negative; (_) -> positive end)(N) || N <- [0, -1, 1]]),
    see:value(external, [apply(fun ?MODULE:public/2, [1, 2]), (fun lists:reverse/1)("abc")]),
    Mod = see:id(lists), Name = see:id(sum), Arity = see:id(1),
    see:value(built, (fun Mod:Name/Arity)([1, 2, 3])),
    see:value(local, lists:map(fun private/1, [1, 2])),
    see:value(equal, [fun lists:sum/1 =:= fun Mod:Name/1, G =:= G, fun lists:sum/1 =:= fun lists:max/1,
        counter(1) =:= counter(1),
                      counter(1) =:= counter(2), counter(1) == counter(1)]),
    see:value(info, [begin {K, V} = erlang:fun_info(fun ?MODULE:public/2, K), {K, V} end || K <- [module, name, arity,
        env, type]]),
    see:value(info_local, [element(2, erlang:fun_info(H, K)) || K <- [module, arity, type, name]]),
    {env, Env} = erlang:fun_info(counter(7), env),
    see:value(env, Env),
    see:value(arity, [is_function(H, N) || N <- [0, 1, 2, 3]]),
    Self = self(),
    spawn(fun() -> Self ! {result, G(), Fib(10), A} end),
    receive {result, R1, R2, R3} -> see:value(sent, {R1, R2, R3}) end,
    Pid = spawn(fun Loop() -> receive {From, Fun, Args} -> From ! {answer, apply(Fun, Args)}, Loop(); stop -> ok end
        end),
    Pid ! {self(), fun(X) -> X * A + 41 end, [1]},
    receive {answer, Answer} -> see:value(answer, Answer) end,
    Pid ! stop,
    see:value(many, length(lists:usort([(counter(N))() || N <- lists:seq(1, 1000)]))),
    see:value(variables, begin V = 1, W = (fun(V2) -> V + V2 end)(2), {V, W} end).

public(X, Y) -> {public, X, Y}.
private(X) -> {private, X}.
counter(N) -> fun() -> N + 1 end.
