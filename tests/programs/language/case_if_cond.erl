%% case, if, andalso/orelse, nested and as values.
-module(case_if_cond).
-export([main/0]).

main() ->
    [see:value(N, {sign(N), size_of(N), both(N), nested(N, N + 1)}) || N <- [-5, 0, 1, 9, 10, 1 bsl 65]],
    see:fails([fun() -> case see:id(5) of 1 -> a; 2 -> b end end,
               fun() -> case see:id({big, [1, 2, 3]}) of x -> a end end,
               fun() -> if_none(see:id(1)) end,
               fun() -> see:id(1) andalso true end,
               fun() -> see:id(maybe_not) orelse true end,
               fun() -> see:id(true) and 1 end,
               fun() -> not see:id(0) end,
               fun() -> see:id(true) andalso not_bool end,
               fun() -> see:id(false) orelse not_bool end,
               fun() -> see:id(false) andalso error(not_reached) end,
               fun() -> see:id(true) orelse error(not_reached) end]).

sign(N) ->
    if N < 0 -> negative; N > 0 -> positive; true -> zero end.

size_of(N) ->
    S = case N of
            _ when N < 0 -> none;
            0 -> none;
            N when N < 10 -> digit;
            _ -> number
        end,
    {size, S}.

both(N) -> (N > 0 andalso N < 10) orelse N =:= -5.

nested(A, B) ->
    case A of
        0 -> case B of 1 -> zero_one; _ -> zero_other end;
        _ when B > A -> if A rem 2 =:= 0 -> even; true -> odd end
    end.

if_none(N) -> if N > 1 -> more; N < 0 -> less end.
