%% Processes that are busy with files, for programs that disturb them.
-module(busy_files).
-export([start/2, busy/2, stop/1]).

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

%% Several of them, linked to the caller.
start(Top, Count) -> [spawn_link(fun() -> busy(Top, N) end) || N <- lists:seq(1, Count)].

%% Kills them; returns why they have ended.
stop(Pids) ->
    [unlink(P) || P <- Pids],
    Monitors = [monitor(process, P) || P <- Pids],
    [exit(P, kill) || P <- Pids],
    [receive {'DOWN', M, process, _, Reason} -> Reason end || M <- Monitors].
