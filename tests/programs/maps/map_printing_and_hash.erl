%% The order in which a hash map is walked shows in printing, to_list and term_to_binary:
%% only what OTP promises is shown here, and what must agree with itself.
%% On OTP 29 all ways to iterate share one order; ferl does not have that yet (README, limits).
%% releases: 25 27
-module(map_printing_and_hash).
-export([main/0]).

main() ->
    Small = #{z => 1, a => 2, 10 => 3, "x" => 4},
    io:format("~p ~w~n", [Small, Small]),
    see:value(small_hash, erlang:phash2(Small)),
    Big = maps:from_list([{N, a} || N <- lists:seq(1, 100)]),
    Big2 = lists:foldl(fun(N, M) -> M#{N => a} end, #{}, lists:reverse(lists:seq(1, 100))),
    see:value(same_order, maps:to_list(Big) =:= maps:to_list(Big2)),
    see:value(keys_and_values, lists:zip(maps:keys(Big), maps:values(Big)) =:= maps:to_list(Big)),
    see:value(same_bytes, term_to_binary(Big) =:= term_to_binary(Big2)),
    see:value(round_trip, binary_to_term(term_to_binary(Big)) =:= Big),
    see:value(hash, [erlang:phash2(Big), erlang:phash2(Big, 1000)]),
    see:value(hashes, [erlang:phash2(maps:from_list([{{K, N}, N} || N <- lists:seq(1, N0)]))
        || {K, N0} <- [{a, 5}, {b, 32}, {c, 33}, {d, 500}]]),
    see:value(iterator, walk(maps:next(maps:iterator(Big))) =:= maps:to_list(Big)),
    see:before(26, ordered, fun() -> io_lib:format("~0p", [#{c => #{2 => x, 1 => y}, b => [], a => {}}]) end).

walk(none) -> [];
walk({K, V, I}) -> [{K, V} | walk(maps:next(I))].
