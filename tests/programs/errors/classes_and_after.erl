%% try: of, catch, after, nesting, re-raising, the value of each part.
-module(classes_and_after).
-export([main/0]).

main() ->
    [see:value({plain, N}, plain(N)) || N <- lists:seq(1, 8)],
    [see:value({after_, N}, {catch with_after(N), erase(after_ran)}) || N <- lists:seq(1, 4)],
    see:value(nested, nested()),
    see:value(order, begin try order() catch _:_ -> ok end, lists:reverse(erase(order)) end),
    see:value(reraised, reraised()),
    see:value(of_not_protected, catch of_not_protected()),
    see:value(catch_value, [catch 1, catch throw(t), element(1, catch exit(e)),
        element(1, element(2, catch error(r)))]),
    see:value(old_exit, catch exit({complex, [reason]})),
    see:value(in_list, [begin try throw(X) catch Y -> Y end end || X <- [1, 2, 3]]),
    see:value(variables, variables(see:id(3))),
    see:value(patterns, [patterns(P) || P <- [{a, 1}, {b, 2}, c, {d, e, f}]]),
    see:value(catch_in_catch, catch begin catch throw(inner), throw(outer) end),
    see:value(after_value, try see:id(value) after see:id(ignored) end),
    see:value(throw_in_after, try try throw(first) after throw(second) end catch T -> T end),
    see:value(error_in_handler, try try throw(first) catch first -> error(in_handler) end catch C:E -> {C, E} end),
    see:value(deep, deep(1000)),
    see:value(tail_in_try, tail_in_try(1000)).

plain(1) -> try ok catch _ -> no end;
plain(2) -> try throw(x) catch x -> thrown end;
plain(3) -> try throw(x) catch throw:x -> thrown end;
plain(4) -> try exit(x) catch exit:R -> {exit, R} end;
plain(5) -> try error(x) catch error:R -> {error, R} end;
plain(6) -> try error(x) catch C:R -> {C, R} end;
plain(7) -> try see:id(5) of 5 -> five; _ -> other catch _:_ -> caught end;
plain(8) -> try exit(not_caught) catch throw:_ -> no; error:_ -> no; exit:R when R =:= not_caught -> yes end.

with_after(1) -> try value after put(after_ran, 1) end;
with_after(2) -> try throw(thrown) after put(after_ran, 2) end;
with_after(3) -> try exit(exited) catch exit:_ -> caught after put(after_ran, 3) end;
with_after(4) -> try throw(a) of _ -> no catch throw:a -> throw(b) after put(after_ran, 4) end.

nested() ->
    try
        try
            try throw(1) catch throw:2 -> wrong end
        catch
            throw:1 -> throw({again, 1})
        end
    catch
        throw:{again, N} -> {outer, N}
    end.

order() ->
    note(a),
    try
        note(b),
        try note(c), error(x) after note(d) end
    catch
        error:x -> note(e), exit(y)
    after
        note(f)
    end.

note(X) -> put(order, [X | case get(order) of undefined -> []; L -> L end]).

reraised() ->
    try
        try error(original) catch C:R:S -> erlang:raise(C, {wrapped, R}, S) end
    catch
        C2:R2:S2 -> {C2, R2, [F || {?MODULE, F, _, _} <- S2]}
    end.

of_not_protected() ->
    try see:id(1) of 1 -> throw(from_of) catch from_of -> wrongly_caught end.

variables(N) ->
    A = N + 1,
    R = try A = see:id(5), no catch error:{badmatch, 5} -> {A, N} end,
    {R, A}.

patterns(P) ->
    try throw(P)
    catch
        {a, N} when N > 1 -> large;
        {a, N} -> {small, N};
        {b, _} = B -> B;
        X when is_atom(X) -> X;
        Other -> {other, Other}
    end.

deep(0) -> try throw(deep) catch error:_ -> no end;
deep(N) -> try deep(N - 1) catch exit:_ -> no; throw:deep when N =:= 500 -> {at, N} end.

tail_in_try(0) -> done;
tail_in_try(N) -> try see:id(N) of M -> tail_in_try(M - 1) catch _:_ -> no end.
