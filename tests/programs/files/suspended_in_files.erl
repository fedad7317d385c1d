%% Processes that are busy with files while another one suspends them.
%% differs: stock's suspend_process now and then raises internal_error for a process in a file call
-module(suspended_in_files).
-export([main/0]).

main() ->
    Top = filename:join(os:getenv("TMPDIR", "/tmp"), "suspended_in_files_" ++ os:getpid()),
    ok = file:make_dir(Top),
    try
        suspended(Top)
    after
        timer:sleep(50),
        see:value(removed, file:del_dir_r(Top))
    end.

suspended(Top) ->
    Pids = busy_files:start(Top, 3),
    Counts = [begin
                  true = erlang:suspend_process(P),
                  {status, suspended} = process_info(P, status),
                  {reductions, R} = process_info(P, reductions),
                  erlang:yield(),
                  {reductions, R} = process_info(P, reductions),
                  true = erlang:resume_process(P)
              end || _ <- lists:seq(1, 40), P <- Pids],
    see:value("suspended", {length(Counts), lists:usort(busy_files:stop(Pids))}).
