%% Work that takes longer than a slice may: what it answers, and that others run meanwhile.
-module(long_work).
-export([main/0]).

main() ->
    N = 60000,
    Pairs = [{I, integer_to_list(I)} || I <- lists:seq(1, N)],
    M = maps:from_list(Pairs),
    see:value(maps, [map_size(M), erlang:phash2(M), map_size(maps:from_keys(lists:seq(1, N), x)),
        map_size(maps:merge(M, maps:from_keys(lists:seq(N - 10, N + 10), y)))]),
    see:value(listed, [erlang:phash2(lists:sort(maps:keys(M))), erlang:phash2(lists:sort(maps:values(M)))]),
    Big = 1 bsl 60000 + 12345,
    Text = integer_to_list(Big),
    see:value(integers, [length(Text), list_to_integer(Text) =:= Big, binary_to_integer(integer_to_binary(Big, 16),
        16) =:= Big, erlang:phash2(Text), element(1, string:to_integer(Text ++ "x")) =:= Big]),
    Encoded = term_to_binary(Pairs),
    see:value(external, [byte_size(Encoded), erlang:phash2(Encoded), binary_to_term(Encoded) =:= Pairs,
        binary_to_term(term_to_binary(M, [compressed])) =:= M,
                         iolist_to_binary(term_to_iovec(Pairs)) =:= Encoded,
                         binary_to_term(<<Encoded/binary, 0>>, [used]) =:= {Pairs, byte_size(Encoded)}]),
    see:value(iovec, iolist_size(erlang:iolist_to_iovec([[X, integer_to_binary(I)] || {I, X} <- Pairs]))),
    see:value(copies, byte_size(binary:copy(<<"abcdefgh">>, 1000000))),
    Long = binary:copy(<<"abcd ">>, 100000),
    see:value(regular, [re:run(Long, "abcd$"), re:run(Long, "(\\w+) $", [{capture, all, list}]),
        length(element(2, re:run(binary:part(Long, 0, 5000), "b", [global]))),
                        re:run(lists:duplicate(18, $a), "(a+)+b"), re:run(lists:duplicate(40, $a), "(a+)+b",
                            [report_errors, {match_limit, 50000}])]),
    see:value(others, [others(F) || F <- [fun() -> maps:from_list(Pairs) end, fun() -> term_to_binary(Pairs) end,
        fun() -> binary_to_term(Encoded) end, fun() -> integer_to_list(Big) end]]),
    see:value(failures, [reason(F) || F <- [fun() -> binary_to_term(binary:part(Encoded, 0, byte_size(Encoded) - 1))
        end, fun() -> maps:from_list(Pairs ++ [x]) end, fun() -> list_to_integer(Text ++ "x") end,
    fun() -> maps:merge(M, x) end]]).

others(Fun) ->
    Self = self(),
    Other = spawn_link(fun() -> Self ! started, count(0) end),
    receive started -> ok end,
    [Fun() || _ <- lists:seq(1, 5)],
    Other ! {stop, Self},
    receive {counted, N} -> N > 10 end.

count(N) ->
    receive {stop, From} -> From ! {counted, N} after 0 -> count(N + 1) end.

reason(Fun) -> try Fun() catch error:Reason -> Reason end.
