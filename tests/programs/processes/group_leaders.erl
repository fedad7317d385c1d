%% The group leader gets the output; a process may be its own.
-module(group_leaders).
-export([main/0]).

main() ->
    Old = group_leader(),
    Me = self(),
    Catcher = spawn(fun() -> catcher([]) end),
    true = group_leader(Catcher, self()),
    io:format("caught ~p~n", [1]),
    io:put_chars("plain"),
    P = spawn(fun() -> io:format("from child"), Me ! child_done end),
    receive child_done -> ok end,
    group_leader(Old, self()),
    Catcher ! {take, self()},
    receive {caught, L} -> see:value(caught, lists:reverse(L)) end,
    see:value(inherited, [group_leader() =:= Old, is_pid(P)]),
    Q = spawn(fun() -> receive {tell, T} -> T ! group_leader() end end),
    group_leader(Me, Q), Q ! {tell, Me},
    see:value(changed_for_other, receive G -> G =:= Me end),
    io:format(Old, "explicit~n", []),
    io:format(user, "to user~n", []),
    see:fails([fun() -> group_leader(see:id(x), self()) end, fun() -> group_leader(self(), see:id(x)) end]).

catcher(L) ->
    receive
        {io_request, From, ReplyAs, Request} -> From ! {io_reply, ReplyAs, ok}, catcher([text(Request) | L]);
        {take, From} -> From ! {caught, L}
    end.

text({put_chars, Enc, Chars}) -> {Enc, unicode:characters_to_binary(Chars)};
text({put_chars, Enc, M, F, A}) -> {Enc, unicode:characters_to_binary(apply(M, F, A))};
text(Other) -> Other.
