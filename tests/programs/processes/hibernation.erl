%% hibernate/3: the stack is gone, the state kept, messages wake it; also with messages waiting.
-module(hibernation).
-export([main/0, awake/2, loop/2, caught/1, fails/0]).

main() ->
    Me = self(),
    P = spawn(fun() -> put(kept, yes), Big = lists:seq(1, 10000), hd(Big),
        erlang:hibernate(?MODULE, awake, [Me, {state, [1, 2, 3], <<"bin">>}]) end),
    wait_hibernated(P),
    see:value(current, process_info(P, [current_function, status])),
    see:value(small, element(2, process_info(P, total_heap_size)) < 300),
    see:value(only_what_lives,
        [words_asleep(A, Used) || A <- [[], [{Me, make_ref()}], [lists:seq(1, 5)], [lists:seq(1, 50)]],
        Used <- [0, 10000]]),
    P ! wake,
    see:value(woken, receive {awake, S, M, D} -> {S, M, D} end),
    see:value(message_waiting, begin Q = spawn(fun() -> self() ! early, erlang:hibernate(?MODULE, awake, [Me, s]) end),
        receive {awake, S2, M2, _} -> {is_pid(Q), S2, M2} end end),
    L = spawn(?MODULE, loop, [Me, 0]),
    see:value(loop, [begin L ! {add, N}, receive {sum, X} -> X end end || N <- lists:seq(1, 10)]),
    wait_hibernated(L), L ! {add, 100},
    see:value(again, receive {sum, X} -> X end),
    see:value(no_catch, begin {C, R} = spawn_monitor(?MODULE, caught, [Me]), C ! go,
        receive {'DOWN', R, _, _, {boom, _}} -> not_caught; {'DOWN', R, _, _, Other} -> Other end end),
    see:value(killed, begin {K, R3} = spawn_monitor(fun() -> erlang:hibernate(?MODULE, awake, [Me, k]) end),
        wait_hibernated(K), exit(K, bye), receive {'DOWN', R3, _, _, X3} -> X3 end end),
    see:value(collected, begin W = spawn(fun() -> erlang:hibernate(?MODULE, awake, [Me, lists:seq(1, 100)]) end),
        wait_hibernated(W), true = erlang:garbage_collect(W), W ! hi, receive {awake, S4, M4, _} -> {length(S4), M4}
        end end),
    see:value(undef, begin {U, R5} = spawn_monitor(fun() -> erlang:hibernate(?MODULE, no_such, [1]) end), U ! go,
        receive {'DOWN', R5, _, _, {undef, [{_, F5, A5, _} | _]}} -> {F5, A5} end end),
    see:fails([fun() -> erlang:hibernate(see:id(1), f, []) end, fun() -> erlang:hibernate(m, f, lists:seq(1, 1025)) end,
        fun() -> erlang:hibernate(m, f, see:id(x)) end]).

%% Whether a sleeping process has hardly more words than its arguments, after it had used many.
words_asleep(Arguments, Used) ->
    {P, R} = spawn_monitor(fun() -> put(list, lists:seq(1, Used)), erlang:garbage_collect(), erase(list),
        erlang:hibernate(?MODULE, awake, Arguments) end),
    wait_hibernated(P),
    [{_, Words}, {_, All}, {_, Details}] = process_info(P, [heap_size, total_heap_size, garbage_collection_info]),
    exit(P, kill),
    receive {'DOWN', R, _, _, _} -> ok end,
    [Words =:= All, Words =:= proplists:get_value(heap_block_size, Details), Words =< erts_debug:size(Arguments) + 8].

awake(To, State) -> receive M -> To ! {awake, State, M, get(kept)} end.

loop(To, Sum) -> receive {add, N} -> To ! {sum, Sum + N}, erlang:hibernate(?MODULE, loop, [To, Sum + N]) end.

fails() -> receive go -> error(boom) end.

caught(_) -> try erlang:hibernate(?MODULE, fails, []) catch _:_ -> caught end.

wait_hibernated(P) ->
    case process_info(P, [current_function, status]) of
        [{_, {erlang, hibernate, 3}}, {_, waiting}] -> ok;
        _ -> erlang:yield(), wait_hibernated(P)
    end.
