%% The operators whose failure stock reports with a frame of their own and their arguments.
-module(operator_frames).
-export([main/0]).

main() ->
    A = see:id(atom),
    Z = see:id(0),
    Big = see:id(1 bsl 100),
    [top(F) || F <- [fun() -> 1 - A end, fun() -> A * A end, fun() -> A * 2 end, fun() -> A div 3 end, fun() -> 1 div Z
        end,
                     fun() -> 1 rem Z end, fun() -> Big div Z end, fun() -> Big rem A end, fun() -> A band 1 end,
                     fun() -> 1 bor A end, fun() -> 1.0 bxor A end, fun() -> A + A end, fun() -> A - A end,
                     fun() -> A bsl 1 end, fun() -> 1 bsr A end, fun() -> -A end,
                         fun() -> apply(erlang, see:id('+'), [A, Z]) end]].

top(F) ->
    try F() catch
        error:R:S ->
            [{erlang, Op, Args, Info} | _] = S,
            io:format("~w ~w ~w ~w~n", [R, Op, Args, Info])
    end.
