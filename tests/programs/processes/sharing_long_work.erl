%% More processes than there are processors match slow regular expressions all the time; what else takes long, for other
%% processes, is not put off until they are done.
%% timeout: 120
-module(sharing_long_work).
-export([main/0]).

main() ->
    Subject = <<(binary:copy(<<"a">>, 40))/binary, "c">>,
    {ok, Pattern} = re:compile("^(a|aa|a)+$"),
    Count = erlang:system_info(schedulers_online) + 4,
    Pids = [spawn_link(fun() -> match(Subject, Pattern) end) || _ <- lists:seq(1, Count)],
    timer:sleep(100),
    %% One match takes about 0.4 s of a processor; to wait for all of them each time would take a minute.
    see:value(done, apart:run(fun() -> [work() || _ <- lists:seq(1, 5)], ok end, 60000)),
    Monitors = [monitor(process, Pid) || Pid <- Pids],
    [begin unlink(Pid), exit(Pid, kill) end || Pid <- Pids],
    see:value(ends, lists:usort([receive {'DOWN', Monitor, _, _, Reason} -> Reason end || Monitor <- Monitors])).

work() ->
    List = lists:seq(1, 100000),
    100001 = length(List ++ [last]),
    99999 = length(List -- [7]),
    List = binary_to_term(term_to_binary(List)),
    true = garbage_collect().

match(Subject, Pattern) -> re:run(Subject, Pattern), match(Subject, Pattern).
