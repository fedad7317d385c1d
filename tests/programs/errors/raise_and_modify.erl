%% erlang:raise/3, error/3 with error_info, stack traces that are changed and raised again.
-module(raise_and_modify).
-export([main/0, format_error/2]).

main() ->
    see:that(error3, fun() -> erlang:error(badarg, [one, two], [{error_info, #{module => ?MODULE, cause => why}}]) end),
    see:that(error3_none, fun() -> erlang:error(badarg, none, [{error_info, #{cause => x}}]) end),
    see:that(error3_bad, fun() -> erlang:error(badarg, [], see:id([bad])) end),
    see:that(raise_class, fun() -> erlang:raise(throw, t, []) end),
    [see:that({raise, S}, fun() -> erlang:raise(error, r, S) end)
     || S <- [[], [{m, f, 0}], [{m, f, [1, 2]}], [{m, f, 1, [{line, 3}]}], [bad], [{m, f}], [{m, f, 0, x}], {m, f, 0},
         [{fun lists:map/2, [a]}]]],
    see:value(original, begin
        {C, R, S} = capture(fun() -> [deep(3)] end),
        {C2, R2, S2} = capture(fun() -> erlang:raise(C, R, S) end),
        {C =:= C2, R =:= R2, S =:= S2, see:frames(S)}
    end),
    see:value(cut, begin
        {error, _, S3} = capture(fun() -> erlang:raise(error, x, [{a, b, 0, []} || _ <- lists:seq(1, 50)]) end),
        length(S3)
    end),
    see:value(kept, try (try throw(a) after ok end) catch throw:a:S4 -> [F || {?MODULE, F, _, _} <- S4] end).

deep(0) -> error(bottom);
deep(N) -> [deep(N - 1)].

capture(F) -> try F() catch C:R:S -> {C, R, S} end.

format_error(_, _) -> #{}.
