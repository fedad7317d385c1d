%% Products, quotients, remainders and exclusive ors of which one side is a constant: those that fit into an
%% instruction, and those just beyond. Each is compared with the same operation of two variables, which is printed if it
%% differs.
-module(by_constants).
-export([main/0]).

-define(BY(C),
    {C, fun(X) -> X * C end, fun(X) -> C * X end, fun(X) -> X div C end, fun(X) -> X rem C end, fun(X) -> X bxor C
        end}).

main() ->
    lists:foreach(fun operators/1, [
        ?BY(0), ?BY(1), ?BY(-1), ?BY(2), ?BY(-2), ?BY(3), ?BY(-3), ?BY(5), ?BY(7), ?BY(8), ?BY(-8), ?BY(10),
        ?BY(31), ?BY(33), ?BY(60), ?BY(100), ?BY(641), ?BY(1000), ?BY(1000003), ?BY(1024), ?BY(1023),
        ?BY(16#3ffffff), ?BY(16#4000000), ?BY(16#7ffffff), ?BY(16#8000000), ?BY(-16#8000000), ?BY(-16#8000001),
        ?BY(16#7fffffff), ?BY(16#80000000), ?BY(-16#80000000), ?BY(-16#80000001), ?BY(16#ffffffff)
    ]),
    lists:foreach(fun(X) -> see:that(X, fun() -> failing(see:id(X)) end) end, [1.5, a, [], 1 bsl 70, 7]),
    see:that(div_float, fun() -> see:id(1.5) div 4 end),
    see:that(div_atom, fun() -> see:id(a) div 10 end),
    see:that(rem_list, fun() -> see:id([]) rem 10 end),
    see:that(rem_float, fun() -> see:id(1.5) rem 4 end),
    see:that(rem_atom, fun() -> see:id(a) rem 4 end),
    see:that(times_atom, fun() -> see:id(a) * 4 end),
    see:that(guards, fun() -> [guard(X) || X <- [0, 4, -4, 6, 9, 47, 1.0, a, 1 bsl 70]] end).

operators({C, Times, TimesOf, Div, Rem, Xor}) ->
    Same = [
        {Name, X, same(Name, fun() -> ByConstant(X) end, fun() -> General(X, see:id(C)) end)}
     || X <- numbers(C),
        {Name, ByConstant, General} <- [
            {times, Times, fun(A, B) -> A * B end},
            {times_of, TimesOf, fun(A, B) -> B * A end},
            {'div', Div, fun(A, B) -> A div B end},
            {'rem', Rem, fun(A, B) -> A rem B end},
            {'bxor', Xor, fun(A, B) -> A bxor B end}
        ]
    ],
    io:format("~w: ~w of ~w, ~w~n", [
        C, length([ok || {_, _, ok} <- Same]), length(Same),
        erlang:phash2([answer(fun() -> F(X) end) || X <- numbers(C), F <- [Times, Div, Rem, Xor]])
    ]),
    [io:format("    ~p~n", [Case]) || {_, _, Answer} = Case <- Same, Answer =/= ok].

same(_, ByConstant, General) ->
    case {answer(ByConstant), answer(General)} of
        {Answer, Answer} -> ok;
        Answers -> Answers
    end.

answer(Fun) ->
    try
        Fun()
    catch
        Class:Reason -> {Class, Reason}
    end.

%% Those between which a quotient by the constant changes are among them.
numbers(C) ->
    Some = [0, 1, 2, 3, 7, 8, 9, 1023, 1024, 1025, 16#ffff, 16#7fffffff, 16#80000000, 16#ffffffff],
    Edges = [(1 bsl N) + D || N <- [26, 27, 28, 32, 55, 56, 57, 58, 59, 60, 63, 64, 70], D <- [-1, 0, 1]],
    Multiples = [C * N + D || N <- [1, 2, 3, 1000, (1 bsl 59) div max(1, abs(C)), (1 bsl 58) div max(1, abs(C))],
        D <- [-1, 0, 1]],
    Whole = Some ++ Edges ++ Multiples,
    Whole ++ [-N || N <- Whole] ++ [0.0, 1.5, -2.0e300, a, [], {}].

failing(X) -> {X * 7, X rem 16, X div 10}.

guard(X) when X rem 4 =:= 0, X * 3 < 100 -> yes;
guard(X) when X div 10 > 1 -> quotient;
guard(X) when X rem 10 > 7 -> remainder;
guard(X) when X * 2 > 1 -> product;
guard(_) -> no.
