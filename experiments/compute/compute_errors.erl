%% Exceptions: protected calls that succeed, that throw, and that fail.
-module(compute_errors).
-export([run/0]).

run() -> loop(1000000, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Value = try risky(N) of
                X -> X
            catch
                throw:{small, Y} -> Y;
                error:badarith -> 1
            after
                ok
            end,
    Value1 = case catch risky(N + 1) of
                 Z when is_integer(Z) -> Z;
                 _ -> 2
             end,
    loop(N - 1, (Sum + Value + Value1) band 16#ffffff).

risky(N) when N rem 16 =:= 0 -> throw({small, N rem 7});
risky(N) when N rem 32 =:= 5 -> N + id(atom);
risky(N) -> N * 3.

id(X) -> X.
