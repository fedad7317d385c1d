%% Processes that are busy with files while another one suspends them.
%% differs: stock's suspend_process now and then raises internal_error for a process in a file call
-module(suspended_in_files).
-export([main/0]).

main() ->
    Top = filename:join(directory(), "suspended_in_files_" ++ os:getpid()),
    ok = file:make_dir(Top),
    try
        suspended(Top)
    after
        timer:sleep(50),
        see:value(removed, file:del_dir_r(Top))
    end.

directory() ->
    case os:getenv("TMPDIR") of
        false -> "/tmp";
        Directory -> Directory
    end.

%% Writes, reads back and lists for ever.
busy(Top, N) ->
    File = filename:join(Top, "busy" ++ integer_to_list(N)),
    Loop = fun Loop(K) ->
                   Data = binary:copy(<<K:16>>, 100 + K rem 50),
                   ok = file:write_file(File, Data, [raw]),
                   {ok, Data} = prim_file:read_file(File),
                   {ok, Fd} = file:open(File, [raw, read, write, binary]),
                   {ok, <<K:16, _/binary>>} = file:pread(Fd, 0, 50),
                   ok = file:pwrite(Fd, 10, <<"here">>),
                   {ok, 2} = file:position(Fd, 2),
                   {ok, _} = file:read(Fd, 20),
                   ok = file:close(Fd),
                   Garbage = [{K, I, [K]} || I <- lists:seq(1, 20)],
                   20 = length(Garbage),
                   Loop((K + 1) rem 65536)
           end,
    Loop(0).

busies(Top, Count) -> [spawn_link(fun() -> busy(Top, N) end) || N <- lists:seq(1, Count)].

stop(Pids) ->
    [unlink(P) || P <- Pids],
    Monitors = [monitor(process, P) || P <- Pids],
    [exit(P, kill) || P <- Pids],
    [receive {'DOWN', M, process, _, Reason} -> Reason end || M <- Monitors].

suspended(Top) ->
    Pids = busies(Top, 3),
    Counts = [begin
                  true = erlang:suspend_process(P),
                  {status, suspended} = process_info(P, status),
                  {reductions, R} = process_info(P, reductions),
                  erlang:yield(),
                  {reductions, R} = process_info(P, reductions),
                  true = erlang:resume_process(P)
              end || _ <- lists:seq(1, 40), P <- Pids],
    see:value("suspended", {length(Counts), lists:usort(stop(Pids))}).
