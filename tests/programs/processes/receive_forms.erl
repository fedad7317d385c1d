%% receive: selective, nested, with timeouts of each kind, with guards, from a full mailbox.
-module(receive_forms).
-export([main/0]).

main() ->
    [self() ! M || M <- [a, {b, 1}, "c", 4, {b, 2}, a]],
    see:value(selective, [receive {b, X} -> {b, X} end, receive N when is_integer(N) -> N end, receive a -> first_a
        end]),
    see:value(rest, flush()),
    see:value(after_0, receive x -> x after 0 -> nothing end),
    see:value(after_0_there, begin self() ! x, receive x -> x after 0 -> nothing end end),
    see:value(after_n, receive x -> x after 10 -> late end),
    see:value(computed, receive x -> x after see:id(5) -> late end),
    see:value(only_after, receive after 3 -> slept end),
    see:value(infinity, begin self() ! y, receive y -> y after infinity -> never end end),
    see:value(guards, begin self() ! 5, self() ! 50, receive V when V > 10 -> V end end), flush(),
    see:value(bound, begin K = see:id(7), self() ! {8, no}, self() ! {7, yes}, receive {K, W} -> W end end), flush(),
    see:value(nested, begin self() ! outer, self() ! inner, receive outer -> receive inner -> both after 0 -> one end
        end end),
    see:value(skips, skips(1000)),
    see:value(order, begin [self() ! I || I <- lists:seq(1, 100)],
        [receive I -> I end || I <- lists:seq(100, 1, -1)] =:= lists:seq(100, 1, -1) end),
    see:value(left, process_info(self(), message_queue_len)),
    see:value(body_calls, begin self() ! {do, 3}, receive {do, T} -> see:id(T * 2) end end),
    see:value(big, begin self() ! lists:seq(1, 10000), receive L when is_list(L) -> lists:sum(L) end end),
    see:value(failing_guard, begin self() ! a, receive Z when hd(Z) =:= 1 -> wrong; _ -> other end end),
    see:value(from_child, begin P = self(), spawn(fun() -> receive after 20 -> P ! late end end),
        receive late -> got after 5000 -> missed end end),
    see:value(timeout_then, begin P2 = self(), spawn(fun() -> receive after 60 -> P2 ! later end end),
        {receive later -> early after 5 -> timeout end, receive later -> then after 5000 -> missed end} end),
    see:value(interleaved, interleaved(200)),
    [see:value({bad_timeout, Timeout}, bad_timeout(Timeout)) || Timeout <- [soon, -1, 1 bsl 40, 1.0, []]],
    see:value(bad_constant, begin self() ! init, Failed = (catch receive x -> x after soon -> late end),
        {element(1, element(2, Failed)), flush()} end).

%% The next receive sees what this one has skipped, also behind a mark.
bad_timeout(Timeout) ->
    self() ! see:id(init),
    {'EXIT', {Reason, _}} = (catch receive x -> x after see:id(Timeout) -> late end),
    Mark = make_ref(),
    self() ! Mark,
    {Reason, receive init -> seen after 1000 -> lost end, receive Mark -> seen after 1000 -> lost end}.

flush() -> receive M -> [M | flush()] after 0 -> [] end.

skips(N) ->
    [self() ! {noise, I} || I <- lists:seq(1, N)],
    self() ! wanted,
    receive wanted -> ok end,
    length(flush()).

%% Messages arrive while others are being skipped.
interleaved(N) ->
    Me = self(),
    Pids = [spawn(fun() -> [Me ! {Tag, I} || I <- lists:seq(1, N)] end) || Tag <- [a, b, c]],
    R = [[receive {Tag, I} -> I end || I <- lists:seq(1, N)] =:= lists:seq(1, N) || Tag <- [c, a, b]],
    {length(Pids), R, flush()}.
