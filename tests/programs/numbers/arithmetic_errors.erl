%% badarith from every operator, with its stack trace.
-module(arithmetic_errors).
-export([main/0]).

main() ->
    A = see:id(atom),
    Z = see:id(0),
    see:all([{"+", fun() -> A + 1 end}, {"-", fun() -> 1 - A end}, {"*", fun() -> A * A end}, {"/", fun() -> A / 1 end},
             {"div", fun() -> A div 1 end}, {"div 0", fun() -> 1 div Z end}, {"rem 0", fun() -> 1 rem Z end},
             {"big div 0", fun() -> (1 bsl 100) div Z end}, {"big rem 0", fun() -> (1 bsl 100) rem Z end},
             {"/ 0", fun() -> 1 / Z end}, {"rem", fun() -> 1 rem A end}, {"band", fun() -> A band 1 end},
             {"bor", fun() -> 1 bor A end}, {"bxor", fun() -> 1.0 bxor A end}, {"unary -", fun() -> -A end},
             {"unary +", fun() -> +A end}, {"bnot", fun() -> bnot A end}, {"list", fun() -> [1] + 2 end},
             {"binary", fun() -> see:id(<<"a">>) + 1 end}, {"tuple", fun() -> {1} * 2 end},
             {"fun", fun() -> fun() -> ok end + 1 end}, {"huge bsl", fun() -> 1 bsl see:id(1 bsl 70) end},
             {"called by name", fun() -> erlang:'+'(A, 1) end},
             {"applied", fun() -> apply(erlang, see:id('div'), [1, 0]) end}]).
