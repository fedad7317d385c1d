%% Funs: local, external, with an environment, recursive.
-module(funs_shown).
-export([main/0, double/1]).

main() ->
    Add = fun(X) -> fun(Y) -> X + Y end end,
    erlang:display((Add(2))(3)),
    erlang:display(apply(fun double/1, [4])),
    erlang:display(apply(fun ?MODULE:double/1, [5])),
    erlang:display(apply(?MODULE, double, [6])),
    Factorial = fun F(0) -> 1; F(N) -> N * F(N - 1) end,
    erlang:display(Factorial(25)),
    Module = ?MODULE, Function = double,
    erlang:display(Module:Function(7)),
    erlang:display(is_function(Add, 1)),
    erlang:display(is_function(Add, 2)),
    erlang:display(fun erlang:length/1 =:= fun erlang:length/1).

double(X) -> X * 2.
