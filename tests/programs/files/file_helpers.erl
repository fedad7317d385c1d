%% What the file module makes of files: consult, scripts, copies, delayed writes, files
%% behind a process.
-module(file_helpers).
-export([main/0]).

main() ->
    Top = filename:join(os:getenv("TMPDIR", "/tmp"), "file_helpers_" ++ os:getpid()),
    ok = file:make_dir(Top),
    try
        terms(filename:join(Top, "terms"), Top),
        copies(Top),
        delayed(filename:join(Top, "delayed")),
        served(filename:join(Top, "served")),
        owners(filename:join(Top, "owned")),
        many(Top)
    after
        see:value(removed, file:del_dir_r(Top))
    end.

terms(File, Top) ->
    Texts = ["{a, 1}. [b, \"c\"].\n#{d => <<\"e\">>}.", "", "a", "a. {b", "a. b c.", "{ok, \"\x{e5}\x{3b1}\"}."],
    lists:foreach(
      fun(Text) ->
              ok = file:write_file(File, unicode:characters_to_binary(Text)),
              see:that("consult", fun() -> file:consult(File) end)
      end, Texts),
    see:that("consult nothing", fun() -> file:consult(File ++ "x") end),
    see:that("consult a directory", fun() -> file:consult(Top) end),
    ok = file:write_file(File, "X = 1. Y = X + 1. {X, Y}."),
    see:that("script", fun() -> file:script(File) end),
    see:that("eval", fun() -> file:eval(File) end),
    {ok, _, Full} = file:path_open([Top ++ "x", Top], "terms", [read]),
    see:value("path", filename:basename(Full)),
    see:that("path_consult", fun() -> element(1, file:path_script([Top], "terms")) end),
    see:that("path of nothing", fun() -> file:path_open([Top], "no", [read]) end).

copies(Top) ->
    [A, B] = [filename:join(Top, N) || N <- ["a", "b"]],
    Data = binary:copy(<<"0123456789">>, 30000),
    ok = file:write_file(A, Data),
    see:all([{"copy", fun() -> [file:copy(A, B), file:read_file(B) =:= {ok, Data}] end},
             {"copy some", fun() -> [file:copy(A, B, 1000), filelib:file_size(B)] end},
             {"copy appending", fun() -> [file:copy(A, {B, [append]}, 10), filelib:file_size(B)] end},
             {"copy nothing", fun() -> file:copy(A ++ "x", B) end},
             {"copy to a directory", fun() -> file:copy(A, Top) end},
             {"compressed", fun() ->
                                    ok = file:write_file(B, Data, [compressed]),
                                    {ok, Packed} = file:read_file(B),
                                    [byte_size(Packed) < 10000, zlib:gunzip(Packed) =:= Data,
                                     begin {ok, Fd} = file:open(B, [read, binary, compressed]),
                                           R = [file:read(Fd, 12), file:position(Fd, 100000), file:read(Fd, 5)],
                                           ok = file:close(Fd), R end]
                            end}]).

delayed(File) ->
    {ok, Fd} = file:open(File, [raw, write, delayed_write]),
    see:value("delayed", [file:write(Fd, integer_to_list(N rem 10)) || N <- lists:seq(1, 5)]),
    see:value("flushed", [file:sync(Fd), file:read_file(File)]),
    see:value("more", [file:write(Fd, "abc"), file:position(Fd, 1), file:write(Fd, "X"), file:close(Fd),
        file:read_file(File)]),
    {ok, Small} = file:open(File, [raw, write, {delayed_write, 10, 20}]),
    ok = file:write(Small, "12345"),
    see:value("after its time", soon(fun() -> file:read_file(File) end, fun(R) -> R =/= {ok, <<>>} end)),
    ok = file:write(Small, "6789012345678901234567890"),
    see:value("after its size", [file:close(Small), file:read_file(File)]),
    see:value("full", begin {ok, Full} = file:open("/dev/full", [raw, write]), R = file:write(Full, "x"),
        file:close(Full), R end).

served(File) ->
    {ok, Fd} = file:open(File, [read, write, {encoding, utf8}]),
    see:all([{"put", fun() -> io:put_chars(Fd, "\x{e5}\x{3b1}\nsecond line\n{term, \"x\"}.\n42 rest") end},
             {"position", fun() -> file:position(Fd, bof) end},
             {"get_line", fun() -> [io:get_line(Fd, ''), io:get_line(Fd, '')] end},
             {"read", fun() -> io:read(Fd, '') end},
             {"fread", fun() -> io:fread(Fd, '', "~d") end},
             {"get_chars", fun() -> io:get_chars(Fd, '', 3) end},
             {"rest", fun() -> [io:get_line(Fd, ''), io:get_line(Fd, ''), io:get_line(Fd, '')] end},
             {"pread", fun() -> file:pread(Fd, 0, 2) end},
             {"opts", fun() -> lists:sort(io:getopts(Fd)) end},
             {"close", fun() -> [file:close(Fd), file:close(Fd)] end},
             {"closed", fun() -> io:put_chars(Fd, "x") end}]),
    see:value("bytes", file:read_file(File)),
    {ok, Latin} = file:open(File, [write]),
    see:that("not latin1", fun() -> io:put_chars(Latin, [945]) end),
    file:close(Latin).

%% A file goes with the process that opened it, however that ends.
owners(File) ->
    Ends = [fun() -> ok end, fun() -> exit(crash) end, fun() -> receive never -> ok end end],
    lists:foreach(
      fun(End) ->
              Self = self(),
              {Pid, Monitor} = spawn_monitor(fun() ->
                                                     {ok, Fd} = file:open(File, [raw, write]),
                                                     ok = file:write(Fd, "data"),
                                                     Self ! {opened, Fd},
                                                     End()
                                             end),
              Fd = receive {opened, F} -> F end,
              exit(Pid, kill),
              receive {'DOWN', Monitor, process, Pid, _} -> ok end,
              see:value("not mine", catch element(1, element(2, catch {'EXIT', element(2, (catch file:read(Fd, 1)))})))
      end, Ends),
    see:value("content", file:read_file(File)),
    Opened = length(filelib:wildcard("/proc/self/fd/*")),
    Pids = [spawn_monitor(fun() -> [{ok, _} = file:open(File, [raw, read]) || _ <- lists:seq(1, 50)] end)
        || _ <- lists:seq(1, 10)],
    [receive {'DOWN', M, process, P, Reason} -> normal = Reason end || {P, M} <- Pids],
    Open = fun() -> length(filelib:wildcard("/proc/self/fd/*")) end,
    see:value("all closed", soon(Open, fun(Now) -> Now =< Opened + 2 end) =< Opened + 2).

%% What is there when it is as wished, or when that took too long.
soon(Look, Wished) -> soon(Look, Wished, 500).
soon(Look, Wished, Times) ->
    Found = Look(),
    case Times =:= 0 orelse Wished(Found) of
        true -> Found;
        false -> timer:sleep(20), soon(Look, Wished, Times - 1)
    end.

%% Many processes that read and write at once.
many(Top) ->
    Self = self(),
    Work = fun(N) ->
                   File = filename:join(Top, "many" ++ integer_to_list(N)),
                   Data = binary:copy(<<N>>, 1000 * N),
                   ok = file:write_file(File, Data),
                   {ok, Fd} = file:open(File, [raw, read, binary]),
                   Sizes = [begin {ok, B} = file:pread(Fd, 10 * K, 10), byte_size(B) end || K <- lists:seq(0, 50)],
                   ok = file:close(Fd),
                   {ok, Data} = file:read_file(File),
                   Self ! {done, N, lists:sum(Sizes)}
           end,
    Pids = [spawn_link(fun() -> Work(N) end) || N <- lists:seq(1, 60)],
    see:value("many", lists:sum([receive {done, N, Sum} -> Sum end || N <- lists:seq(1, length(Pids))])).
