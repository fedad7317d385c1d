%% Long BIFs give way: other processes run while these work.
-module(scheduling_bifs).
-export([main/0]).

main() ->
    Big = lists:seq(1, 300000), Bin = binary:copy(<<"0123456789">>, 300000),
    [see:value(Name, gives_way(F)) || {Name, F} <- [
        {term_to_binary, fun() -> byte_size(term_to_binary(Big)) end},
        {binary_to_term, begin B = term_to_binary(Big), fun() -> length(binary_to_term(B)) end end},
        {reverse, fun() -> hd(lists:reverse(Big)) end},
        {append, fun() -> length(Big ++ Big) end},
        {subtract, fun() -> length(Big -- lists:seq(1, 300000, 3)) end},
        {member, fun() -> lists:member(x, Big) end},
        {keyfind, begin K = [{N} || N <- Big], fun() -> lists:keyfind(x, 1, K) end end},
        {list_to_binary, fun() -> byte_size(list_to_binary([N band 255 || N <- Big])) end},
        {binary_to_list, fun() -> length(binary_to_list(Bin)) end},
        {iolist, fun() -> iolist_size([[Bin] || _ <- lists:seq(1, 10000)]) end},
        {matches, fun() -> length(binary:matches(Bin, <<"89">>)) end},
        {split, fun() -> length(binary:split(Bin, <<"5">>, [global])) end},
        {length, fun() -> length(Big) end},
        {phash2, fun() -> erlang:phash2(Big) end},
        {md5, fun() -> byte_size(erlang:md5(Bin)) end},
        {unicode, fun() -> length(unicode:characters_to_list(Bin)) end},
        {big_integer, fun() -> X = 1 bsl 200000, (X * X) rem 1000007 end},
        {to_text, fun() -> length(integer_to_list(1 bsl 20000)) end},
        {equal, fun() -> Big =:= lists:seq(1, 300000) end},
        {sort, fun() -> hd(lists:sort(fun(A, B2) -> A >= B2 end, Big)) end},
        {map, fun() -> map_size(maps:from_list([{N, N} || N <- Big])) end},
        {sent, fun() -> self() ! Big, receive L -> length(L) end end},
        {spawned, fun() -> Me = self(), spawn(fun() -> Me ! {len, length(Big)} end), receive {len, N} -> N end end}]].

%% While F works, another process on the same machine must get answers.
gives_way(F) ->
    Me = self(),
    Ticker = spawn(fun() -> tick(0) end),
    {Worker, Ref} = spawn_monitor(fun() -> exit({result, F()}) end),
    R = receive {'DOWN', Ref, process, Worker, {result, X}} -> X end,
    Ticker ! {stop, Me},
    receive {ticks, N} -> {R, N > 0} end.

tick(N) -> receive {stop, To} -> To ! {ticks, N + 1} after 0 -> erlang:yield(), tick(N + 1) end.
