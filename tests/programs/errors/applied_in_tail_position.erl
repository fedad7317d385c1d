%% error, exit and throw applied in tail position: the trace begins with the function that applied them.
-module(applied_in_tail_position).
-export([main/0, fixed/3, spread/3, nested/3, twice/3, not_last/3, fixed_nested/3, by_fun/2, deep/4]).

main() ->
    Calls = [{erlang, error, [a]}, {erlang, error, [a, [1, 2]]}, {erlang, error, [a, none, []]}, {erlang, exit, [b]},
             {erlang, throw, [c]}, {erlang, exit, [d, e]}, {erlang, nif_error, [f]}, {erlang, length, [g]},
             {erlang, raise, [error, h, []]}, {erlang, raise, [odd, h, []]}, {lists, reverse, [i]},
             {lists, nothing, [j]},
             {?MODULE, deep, [3, erlang, error, [k]]}],
    [see:that({How, F, length(As)}, fun() -> {returned, ?MODULE:How(M, F, As)} end)
     || How <- [fixed, spread, nested, twice, not_last, fixed_nested], {M, F, As} <- Calls],
    [see:that({by_fun, F}, fun() -> {returned, by_fun(fun erlang:F/1, [x])} end) || F <- [error, exit, throw, length]],
    %% What cannot be applied, below apply/3 itself.
    [see:that({How, As}, fun() -> {returned, ?MODULE:How(erlang, apply, As)} end)
     || How <- [spread, nested, fixed_nested], As <- [[m, 1, []], [1, f, []], [m, f, none], [m, f, [a | b]], [m, f, []],
                                                      [fun erlang:exit/1, [x]], [m], [m, f, [], []]]],
    %% At the bottom of a process.
    [see:value({bottom, How, F}, bottom(How, M, F, As)) || How <- [fixed, spread, nested, twice], {M, F, As} <- Calls,
        F =/= exit].

fixed(M, F, [A]) -> M:F(A);
fixed(M, F, [A, B]) -> M:F(A, B);
fixed(M, F, [A, B, C]) -> M:F(A, B, C);
fixed(M, F, [A, B, C, D]) -> M:F(A, B, C, D).

spread(M, F, As) -> apply(M, F, As).

nested(M, F, As) ->
    L = length(As),
    see:id(L),
    apply(erlang, apply, [M, F, As]).

twice(M, F, As) -> apply(see:id(erlang), see:id(apply), [see:id(erlang), apply, [M, F, As]]).

not_last(M, F, As) -> [apply(see:id(erlang), see:id(apply), [M, F, As])].

fixed_nested(M, F, As) ->
    Apply = see:id(apply),
    (see:id(erlang)):Apply(M, F, As).

by_fun(Fun, As) -> apply(Fun, As).

deep(0, M, F, As) -> spread(M, F, As);
deep(N, M, F, As) -> [deep(N - 1, M, F, As)].

bottom(How, M, F, As) ->
    {Pid, Ref} = spawn_monitor(fun() -> ?MODULE:How(M, F, As) end),
    receive {'DOWN', Ref, process, Pid, Reason} -> without_places(Reason) end.

without_places({Reason, [_ | _] = Stack}) -> {Reason, [{M, F, A} || {M, F, A, _} <- Stack]};
without_places(Reason) -> Reason.
