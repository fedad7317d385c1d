%% Replies to spawn requests come while the connection is lost: each request has one reply, and its links and monitors
%% end.
%% args: -connect_all false
%% timeout: 60
-module(lost_replies).
-export([main/1]).

main([B]) ->
    process_flag(trap_exit, true),
    [round(B, Rest, [spawn_request(B, erlang, self, [], Options) || _ <- lists:seq(1, 300)])
     || Rest <- lists:seq(1, 60), Options <- [[], [link], [monitor], [link, monitor]]],
    see:value("replies", done).

round(B, Rest, Requests) ->
    timer:sleep(Rest rem 4),
    erlang:disconnect_node(B),
    Spawned = lists:sum([receive {spawn_reply, Request, Result, _} -> came(Result) end || Request <- Requests]),
    true = Spawned >= 0 andalso Spawned =< 300,
    % What was spawned has ended, or is lost: there is nothing that comes twice, and nothing else.
    no_more_replies().

came(ok) -> 1;
came(error) -> 0.

no_more_replies() ->
    receive
        {spawn_reply, _, _, _} -> exit(second_reply);
        {'EXIT', _, _} -> no_more_replies();
        {'DOWN', _, process, _, _} -> no_more_replies()
    after 0 -> ok
    end.
