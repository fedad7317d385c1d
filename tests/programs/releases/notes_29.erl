%% What the release notes of erts 16.1 to 17.1 say that the machine answers differently under the same name.
%% releases: 29
-module(notes_29).
-compile(nowarn_deprecated_function).
-export([main/0, three/3]).

main() ->
    see:all(tables() ++ numbers() ++ texts() ++ monitors() ++ spawned() ++ traced() ++ persistent() ++ sockets()),
    suspended().

%% Defaults without a key are refused, whether the key is there or not.
tables() ->
    Of = fun(Type, Present) ->
        T = ets:new(t, [Type, {keypos, 2}]),
        Present andalso ets:insert(T, {1, key, 1}),
        T
    end,
    [{{F, Type, Present, Default}, fun() -> {ets:F(Of(Type, Present), key, {3, 7}, Default), ok} end}
     || F <- [update_counter, update_element], Type <- [set, ordered_set], Present <- [true, false],
        Default <- [{}, {a}, {a, b}, {a, key, 5}, {1, 2, 3, 4}, [], a]].

%% The nearest float, and the largest integers.
numbers() ->
    Bigs = [(1 bsl N) * K + D || N <- [60, 64, 90, 128, 300, 900], K <- [3, 12345677, 987654321987, 1 bsl 40 - 1],
                                 D <- [-1, 0, 1, 1 bsl 12, (1 bsl (N - 13)) + 1, 1 bsl 30 + 7]],
    Nearest = fun(I) -> binary_to_float(<<(integer_to_binary(I))/binary, ".0">>) end,
    Largest = see:id(erlang:system_info(max_integer)),
    [{float, fun() -> float(see:id(428654966685883400000)) end},
     {nearest, fun() -> [I || I <- Bigs, float(I) =/= Nearest(I) orelse 1.0 * I =/= Nearest(I)
                                             orelse float(-I) =/= -Nearest(I)] end},
     {compared, fun() -> [I || I <- Bigs, (I == Nearest(I)) =/= (trunc(Nearest(I)) =:= I)] end},
     {bxor_of_largest, fun() -> Largest bxor see:id(-1) end},
     {bnot_of_largest, fun() -> bnot Largest end},
     {small_floats, fun() -> erlang:phash2([<<(I / 7):16/float>> || I <- lists:seq(-3000, 3000)]) end},
     {halves, fun() -> [<<F:16/float>> || F <- [65504.0, 65519.9, 5.960464477539063e-8, 2.98e-8, 2.99e-8, 6.0976e-5,
         1.0009765625, 1.00048828125, 1.0004882812500002, 1.00146484375]] end},
     {too_large, fun() -> <<(see:id(65520.0)):16/float>> end}].

texts() ->
    Digits = fun(N) -> binary:copy(<<"9">>, N) end,
    [{long_numbers, fun() -> erlang:phash2(binary_to_integer(Digits(20000))) end},
     {based, fun() -> [binary_to_integer(<<"zZ9">>, 36), list_to_integer("-1111", 2)] end},
     {too_long, fun() -> binary_to_integer(Digits(1500000)) end},
     {record_twice, fun() -> [binary_to_term(twice(records:create(m, n, [{first, 1}, {other, 2}], #{is_exported => E})))
                              || E <- [true, false]] end},
     {wide_tuples, fun() -> [try binary_to_term(B) catch error:badarg -> badarg end
                             || B <- [<<131, 105, 16#80000000:32>>, <<131, 105, 16#7FFFFFFF:32, 97, 1>>,
                                      <<131, 105, 16#FFFFFFFF:32, 97, 1>>]] end}].

%% The external form of a record whose second field has the name of the first.
twice(Record) ->
    External = term_to_binary(Record),
    Twice = binary:replace(External, <<"other">>, <<"first">>, [global]),
    true = Twice =/= External,
    Twice.

%% A monitor of the time offset with an alias, which later ends like any.
monitors() ->
    [{offset_with_alias, fun() ->
          Alias = monitor(time_offset, clock_service, [{alias, How}]),
          Alias ! hello,
          {receive hello -> got after 1000 -> lost end, unalias(Alias), demonitor(Alias), unalias(Alias)}
      end} || How <- [demonitor, explicit_unalias]].

%% A request to a node that is not there leaves no alias.
spawned() ->
    [{{no_connection, How}, fun() ->
          Request = spawn_request('no@where', erlang, is_atom, [a], [{reply_tag, answer}, {monitor, [{alias, How}]}]),
          {receive {answer, Request, error, Reason} -> Reason end, unalias(Request)}
      end} || How <- [explicit_unalias, demonitor, reply_demonitor]].

three(A, B, C) -> {A, B, C}.

%% Heads with a tail.
traced() ->
    Matching = fun(Specification) ->
        1 = erlang:trace_pattern({?MODULE, three, 3}, Specification, [local]),
        Tracer = self(),
        {Pid, Ref} = spawn_monitor(fun() -> receive go -> ?MODULE:three(a, b, c) end end),
        erlang:trace(Pid, true, [call, {tracer, Tracer}]),
        Pid ! go,
        receive {'DOWN', Ref, process, Pid, _} -> ok end,
        Delivered = erlang:trace_delivered(Pid),
        receive {trace_delivered, Pid, Delivered} -> ok end,
        receive {trace, Pid, call, {_, F, A}} -> {F, A};
                {trace, Pid, call, {_, F, A}, Message} -> {F, A, Message}
        after 0 -> nothing end
    end,
    [{{call, Head}, fun() -> Matching([{Head, [], Body}]) end}
     || Head <- [['$1', '$2' | '_'], ['$1', b, '$3' | '_'], [a | '_'], [b | '_'], ['_', '_', '_', '_' | '_'],
                 ['$1' | '$2'], ['$1' | c], '_', '$1', [[] | '_']],
        Body <- [[{message, '$$'}]]]
        ++ [{{test, Head}, fun() -> erlang:match_spec_test([1, 2, 3], [{Head, [], ['$_']}], trace) end}
            || Head <- [['$1' | '_'], ['$1', '$1' | '_'], [1, 2, 3 | '_'], [1, 2, 3, 4 | '_'], ['$1' | '$2']]]
        ++ [{{table, Head}, fun() -> ets:test_ms({1, 2}, [{Head, [], ['$_']}]) end}
            || Head <- [['$1' | '_'], {'$1', '_'}]].

persistent() ->
    Key = {?MODULE, key},
    [{put_new, fun() -> [persistent_term:put_new(Key, 1) || _ <- [1, 2]] ++ [persistent_term:get(Key)] end},
     {put_other, fun() -> persistent_term:put_new(Key, 2) end},
     {kept, fun() -> {persistent_term:get(Key), persistent_term:erase(Key)} end}].

%% A peer that never reads: the sender is told of its timeout, and of the end.
sockets() ->
    [{sending_too_long, fun() ->
          {ok, L} = gen_tcp:listen(0, [{active, false}, {recbuf, 4096}]),
          {ok, Port} = inet:port(L),
          {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, Active}, {sndbuf, 4096}, {send_timeout, 50},
              {send_timeout_close, Close}, {high_watermark, 1000}, {low_watermark, 500}]),
          {ok, A} = gen_tcp:accept(L),
          Send = fun Send() -> case gen_tcp:send(C, binary:copy(<<1>>, 10000)) of ok -> Send(); Error -> Error end end,
          Sent = Send(),
          Told = receive {tcp_closed, C} -> closed; {tcp_error, C, Why} -> Why after 300 -> nothing end,
          gen_tcp:close(C), gen_tcp:close(A), gen_tcp:close(L),
          {Active, Close, Sent, Told}
      end} || Active <- [true, false], Close <- [true, false]]
        ++ [{limits, fun() -> [begin
                 {ok, S} = gen_tcp:listen(0, []),
                 Set = inet:setopts(S, [{Option, Value}]),
                 Got = inet:getopts(S, [Option]),
                 gen_tcp:close(S),
                 {Option, Value, Set, Got}
             end || Option <- [keepcnt, keepidle, keepintvl, user_timeout, non_block_send],
                    Value <- [-1, 0, 5, 1 bsl 20]]
        end}].

%% Timers of a process, by its identifier, stand still while it is suspended; those by its name do not.
suspended() ->
    {Pid, Monitor} = spawn_monitor(fun Wait() -> receive stop -> ok; _ -> Wait() end end),
    register(suspended_one, Pid),
    erlang:suspend_process(Pid),
    Timers = [{How, erlang:start_timer(50, To, x)} || {How, To} <- [{by_pid, Pid}, {by_name, suspended_one}]],
    Sent = erlang:send_after(50, Pid, x),
    receive after 300 -> ok end,
    IsWaiting = fun(Timer) -> is_integer(erlang:read_timer(Timer)) end,
    see:value(waiting, [{How, IsWaiting(Timer)} || {How, Timer} <- Timers] ++ [{sent, IsWaiting(Sent)}]),
    see:value(cancelled, is_integer(erlang:cancel_timer(Sent))),
    erlang:resume_process(Pid),
    receive after 300 -> ok end,
    see:value(resumed, [{How, IsWaiting(Timer)} || {How, Timer} <- Timers]),
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value(ended, Reason) end.
