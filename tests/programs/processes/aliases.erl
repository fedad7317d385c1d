%% Process aliases: explicit, reply, with monitors; messages to one that is gone are dropped.
-module(aliases).
-export([main/0]).

main() ->
    A = alias(),
    see:value(is_ref, is_reference(A)),
    A ! one, see:value(sent, receive one -> got after 100 -> lost end),
    see:value(unalias, [unalias(A), unalias(A)]),
    A ! two, see:value(gone, receive two -> got after 10 -> lost end),
    B = alias([reply]),
    B ! first, B ! second,
    see:value(reply, [receive first -> got after 100 -> lost end, receive second -> got after 10 -> lost end]),
    see:value(after_reply, unalias(B)),
    see:value(from_other, begin C = alias(), Me = self(), spawn(fun() -> C ! {from, other}, Me ! sent end),
        receive sent -> ok end, receive {from, other} -> got after 100 -> lost end end),
    {P, R} = server(),
    see:value(monitor_alias, begin M = monitor(process, P, [{alias, demonitor}]), P ! {M, hello},
        X = receive {M, Y} -> Y after 1000 -> lost end, demonitor(M), P ! {M, again},
    {X, receive {M, Z} -> Z after 20 -> lost end} end),
    see:value(monitor_reply, begin M2 = monitor(process, P, [{alias, reply_demonitor}]), P ! {M2, hello},
        X2 = receive {M2, Y2} -> Y2 after 1000 -> lost end, P ! {M2, again},
    {X2, receive {M2, Z2} -> Z2 after 20 -> lost end, demonitor(M2, [info])} end),
    see:value(monitor_explicit, begin M3 = monitor(process, P, [{alias, explicit_unalias}]), demonitor(M3),
        P ! {M3, hello}, X3 = receive {M3, Y3} -> Y3 after 1000 -> lost end, {X3, unalias(M3)} end),
    P ! stop, receive {'DOWN', R, _, _, Reason} -> see:value(down, Reason) end,
    see:value(down_disables, begin {P4, R4} = server(), M4 = monitor(process, P4, [{alias, demonitor}]), P4 ! stop,
        receive {'DOWN', M4, _, _, _} -> ok end, receive {'DOWN', R4, _, _, _} -> ok end, M4 ! x,
    receive x -> got after 10 -> lost end end),
    see:value(spawn_monitor_alias, begin {P5, M5} = spawn_opt(fun() -> receive {go, To} -> To ! {To, answer} end end,
        [{monitor, [{alias, reply_demonitor}]}]), P5 ! {go, M5}, receive {M5, A5} -> A5 after 1000 -> lost end end),
    see:value(not_owner, begin A6 = alias(), Me6 = self(), spawn(fun() -> Me6 ! {unaliased, unalias(A6)} end),
        receive {unaliased, V} -> {V, unalias(A6)} end end),
    see:value(plain_ref, begin make_ref() ! nothing, dropped end),
    see:value(many, begin As = [alias() || _ <- lists:seq(1, 1000)],
        [X6 ! {n, N} || {X6, N} <- lists:zip(As, lists:seq(1, 1000))],
    S = lists:sum([receive {n, N} -> N end || _ <- As]), {S, lists:usort([unalias(X7) || X7 <- As])} end),
    see:value(ordered, begin A8 = alias(), A8 ! 1, self() ! 2, A8 ! 3,
        [receive N8 when is_integer(N8) -> N8 end || _ <- [1, 2, 3]] end),
    outside().

%% An alias goes out as bytes or text and comes back: it is the same, and takes messages. How many words it has, and
%% shows, differs between releases.
outside() ->
    A = alias(),
    <<131, 90, Words:16, _/binary>> = Bytes = term_to_binary(A),
    see:value(words, {Words, byte_size(Bytes) - byte_size(term_to_binary(make_ref()))}),
    see:value(shown, length(string:split(ref_to_list(A), ".", all))),
    Back = [binary_to_term(Bytes), binary_to_term(Bytes, [safe]), list_to_ref(ref_to_list(A)),
            element(2, binary_to_term(term_to_binary({x, A}, [compressed])))],
    see:value(same, [{B =:= A, erlang:phash2(B) =:= erlang:phash2(A), maps:is_key(B, #{A => 1})} || B <- Back]),
    see:value(sent, [begin B ! {from, N}, receive {from, N} -> got after 1000 -> lost end end
        || {N, B} <- numbered(Back)]),
    see:value(same_again, [term_to_binary(B) =:= Bytes || B <- Back]),
    see:value(unalias, [unalias(lists:last(Back)), unalias(A)]),
    see:value(gone, [begin B ! late, receive late -> got after 10 -> lost end end || B <- [A | Back]]),
    Owner = spawn_link(fun() -> receive {To, who} -> To ! {alias, term_to_binary(alias())} end,
        receive {To, Got} -> To ! {owner, Got} end end),
    Owner ! {self(), who},
    Foreign = receive {alias, Of} -> binary_to_term(Of) end,
    see:value(not_ours, unalias(Foreign)),
    Foreign ! {self(), through},
    see:value(reached, receive {owner, Got} -> Got after 1000 -> lost end),
    %% Its process has ended, and others come and go.
    Foreign ! {self(), too_late},
    Others = [spawn_link(fun() -> receive {T, Any} -> T ! {owner, Any}; stop -> ok end end) || _ <- lists:seq(1, 50)],
    Foreign ! {self(), much_too_late},
    see:value(ended, receive {owner, Late} -> Late after 50 -> lost end),
    [O ! stop || O <- Others],
    see:value(kinds, [begin <<131, 90, W:16, _/binary>> = term_to_binary(R), {Kind, W} end || {Kind, R} <- kinds()]),
    see:value(other_words, [try byte_size(term_to_binary(binary_to_term(with_words(Ws)))) - byte_size(Bytes) of D -> D
        catch error:E -> E end
                            || Ws <- [[1 bsl 18, 0, 0], [1, 2], [1, 2, 3, 4], [1, 2, 3, 1 bsl 28, 5],
                                [1, 2, 3, 4, 5, 6]]]).

numbered(List) -> lists:zip(lists:seq(1, length(List)), List).

kinds() ->
    P = spawn_link(fun() -> receive stop -> ok end end),
    Tab = ets:new(tab, []),
    Kinds = [{alias, alias()}, {reply, alias([reply])}, {monitor, monitor(process, P)}, {ref, make_ref()}, {table, Tab}]
        ++ [{K, monitor(process, P, [{alias, K}])} || K <- [explicit_unalias, demonitor, reply_demonitor]]
        ++ [{request, spawn_request(fun() -> ok end, [{monitor, [{alias, demonitor}]}])}],
    ets:delete(Tab),
    Kinds.

%% A reference of this node.
with_words(Words) ->
    <<131, 90, _:16, Tag, Rest/binary>> = term_to_binary(make_ref()),
    Size = byte_size(Rest) - 12,
    <<Name:Size/binary, _/binary>> = Rest,
    iolist_to_binary([<<131, 90, (length(Words)):16, Tag>>, Name, [<<W:32>> || W <- Words]]).

server() -> spawn_monitor(fun() -> serve() end).
serve() -> receive {To, X} -> To ! {To, {echo, X}}, serve(); stop -> ok end.
