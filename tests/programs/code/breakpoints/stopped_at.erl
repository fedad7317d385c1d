%% What has breakpoints in `breakpoints`.
-module(stopped_at).
-export([none/0, one/1, three/3, waits/0, waits_with/1, loop/2, calls/1, a_fun/1, inner/1, tail/1, raises/1, zero/0]).

none() -> none.

one(X) -> {one, X}.

three(A, [B | _], #{c := C}) -> {A, B, C};
three(A, B, _) -> {A, B}.

%% Its loop begins where it does.
waits() ->
    receive
        {From, ask} -> From ! {self(), answer}
    end.

waits_with(Unused) ->
    receive
        {From, ask} -> From ! {self(), answer}, waits_with(Unused)
    end.

loop(0, Acc) -> Acc;
loop(N, Acc) -> loop(N - 1, [N | Acc]).

calls(X) ->
    Y = local(X),
    {Y, inner(Y)}.

a_fun(X) -> fun(Y) -> {X, Y} end.

local(X) -> X + 1.

inner(X) -> [X, local(X)].

tail(X) -> inner(X).

raises(X) -> error({raised, X}).

zero() -> 0.
