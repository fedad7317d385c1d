%% E2: one new process every millisecond, each with its own file under ./data,
%% which it opens for appending, writes 24 bytes to, reads and closes.
-module(testio).
-export([start_proc/1, write_and_read/1]).

start_proc(N) when is_integer(N), N >= 0 ->
    ok = filelib:ensure_dir("./data/any"),
    every_millisecond(N).

every_millisecond(0) ->
    ok;
every_millisecond(N) ->
    spawn(?MODULE, write_and_read, [N]),
    timer:sleep(1),
    every_millisecond(N - 1).

write_and_read(N) ->
    Name = "./data/" ++ integer_to_list(N),
    {ok, File} = file:open(Name, [write, raw, binary, append]),
    ok = file:write(File, <<"four and twenty bytes !\n">>),
    %% A file opened only for writing cannot be read; the author's program tries it all the same.
    _ = file:read(File, 24),
    ok = file:close(File).
