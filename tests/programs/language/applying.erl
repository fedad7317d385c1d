%% apply in all its forms, and dynamic calls.
-module(applying).
-export([main/0, f/0, f/1, f/2, f/5, tail/2]).

main() ->
    M = see:id(?MODULE), F = see:id(f),
    see:value(m_f, [M:F(), M:F(1), M:F(1, 2), M:F(1, 2, 3, 4, 5)]),
    see:value(apply3, [apply(M, F, []), apply(M, F, [1]), apply(M, F, [1, 2]), apply(M, F, see:id([1, 2, 3, 4, 5]))]),
    see:value(apply2, [apply(fun f/1, [1]), apply(fun M:f/2, see:id([1, 2])), apply(fun(X) -> X end, [y])]),
    see:value(bifs, [apply(erlang, see:id(length), [[1, 2]]), apply(see:id(erlang), '+', [1, 2]),
        (see:id(erlang)):abs(-3),
                     erlang:(see:id(element))(1, {a}), apply(see:id(erlang), apply, [M, F, [9]]),
                     apply(erlang, apply, [fun f/1, [8]])]),
    see:value(mixed, [M:f(N) || N <- [1, 2]]),
    see:value(tail, tail(100000, M)),
    see:value(spawned, element(2, receive_from(spawn_monitor(M, F, [])))),
    see:value(exported, [erlang:function_exported(M, f, N) || N <- [0, 1, 2, 3, 4, 5]]),
    see:value(builtin, [erlang:is_builtin(erlang, length, 1), erlang:is_builtin(lists, map, 2),
        erlang:is_builtin(lists, reverse, 2)]),
    see:value(self, apply(see:id(erlang), self, []) =:= self()),
    see:value(throw, catch apply(erlang, see:id(throw), [x])),
    see:fails([fun() -> M:no_such(1) end, fun() -> M:f(1, 2, 3) end, fun() -> apply(M, F, [1, 2, 3]) end,
               fun() -> (see:id(no_such_module)):f() end, fun() -> apply(M, F, see:id(not_list)) end,
               fun() -> apply(M, F, see:id([1 | 2])) end, fun() -> (see:id(1)):f() end, fun() -> M:(see:id("f"))() end,
               fun() -> apply(see:id({M, x}), F, []) end, fun() -> apply(fun f/1, [1, 2]) end,
                   fun() -> apply(see:id(f), [1]) end,
               fun() -> (see:id({m, f}))(1) end, fun() -> apply(fun f/1, see:id(x)) end,
               fun() -> apply(fun ?MODULE:nope/1, [1]) end, fun() -> apply(M, main, lists:seq(1, 300)) end,
               fun() -> [apply(M, main, lists:seq(1, 256))] end]),
    [see:value({system_limit, Short}, catch {ok, Long()}) ||
        {Short, Long} <- [{1022, fun() -> try apply(M, main, lists:seq(1, 1022)) catch error:E -> E end end},
                          {1023, fun() -> try apply(M, main, lists:seq(1, 1023)) catch error:E -> E end end},
                          {1024, fun() -> try apply(M, main, lists:seq(1, 1024)) catch error:E -> E end end},
                          {badarity, fun() -> try apply(fun f/1, lists:seq(1, 300)) catch error:{E, _} -> E end end},
                          {'fun', fun() -> try apply(fun f/1, lists:seq(1, 1024)) catch error:E -> E end end}]].

f() -> none.
f(A) -> {one, A}.
f(A, B) -> {two, A, B}.
f(A, B, C, D, E) -> {five, A, B, C, D, E}.

tail(0, _) -> done;
tail(N, M) when N rem 2 =:= 0 -> M:tail(N - 1, M);
tail(N, M) -> apply(M, tail, [N - 1, M]).

receive_from({Pid, Ref}) -> receive {'DOWN', Ref, process, Pid, Reason} -> {down, Reason} end.
