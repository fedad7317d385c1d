%% The old catch: what it makes of each class, and where it stands.
-module(catch_shapes).
-export([main/0]).

main() ->
    see:value(value, catch see:id(1)),
    see:value(thrown, catch throw({a, b})),
    see:value(exited, catch exit({a, b})),
    {'EXIT', {Reason, Stack}} = (catch error({a, b})),
    see:value(error, {Reason, see:frames(Stack)}),
    {'EXIT', {Bad, Stack2}} = (catch see:id(a) * 2),
    see:value(badarith, {Bad, [F || {?MODULE, F, _, _} <- Stack2]}),
    see:value(nested, catch {catch throw(a), catch exit(b)}),
    X = (catch throw(x)), see:value(bound, X),
    see:value(in_call, see:id(catch throw(c))),
    see:value(in_list, [catch throw(1), catch see:id(2), catch exit(3)]),
    see:value(in_tuple, {catch exit(1), see:id(2)}),
    see:value(through_calls, catch through(100)),
    see:value(loop, loop(10, [])),
    see:value(live_variables, live(see:id(1), see:id(2))),
    see:value(matched, case catch throw({ok, 1}) of {ok, N} -> N; {'EXIT', _} -> exit end),
    see:value(in_case, [case catch f(V) of {'EXIT', {R, _}} -> {failed, R}; {'EXIT', R} -> {exited, R}; R -> R end
        || V <- [1, 2, 3, 4]]).

through(0) -> throw(bottom);
through(N) -> {through(N - 1)}.

loop(0, Acc) -> lists:reverse(Acc);
loop(N, Acc) -> R = (catch if N rem 2 =:= 0 -> throw(even); true -> N end), loop(N - 1, [R | Acc]).

live(A, B) ->
    C = A + B,
    D = (catch error(C)),
    {A, B, C, element(1, D)}.

f(1) -> one;
f(2) -> throw(two);
f(3) -> exit(three).
