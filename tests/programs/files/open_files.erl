%% Open files, raw ones: modes, positions, reads, writes, and errors.
-module(open_files).
-export([main/0]).

main() ->
    Top = filename:join(os:getenv("TMPDIR", "/tmp"), "open_files_" ++ os:getpid()),
    ok = file:make_dir(Top),
    try
        File = filename:join(Top, "file"),
        modes(File, Top),
        reading(File),
        writing(File),
        positions(File),
        large(File),
        lines(File),
        others(File)
    after
        see:value(removed, file:del_dir_r(Top))
    end.

with(File, Modes, Fun) ->
    case file:open(File, Modes) of
        {ok, Fd} ->
            try Fun(Fd) after file:close(Fd) end;
        Error ->
            Error
    end.

modes(File, Top) ->
    Open = fun(Name, Modes) -> with(Name, [raw | Modes], fun(Fd) -> {opened, file:write(Fd, "x"), file:read(Fd, 1)}
        end) end,
    see:all([{"read nothing", fun() -> Open(File, [read]) end},
             {"write", fun() -> Open(File, [write]) end},
             {"read", fun() -> Open(File, [read]) end},
             {"none", fun() -> Open(File, []) end},
             {"both", fun() -> Open(File, [read, write]) end},
             {"append", fun() -> [Open(File, [append]), Open(File, [append, read]), file:read_file(File)] end},
             {"exclusive", fun() -> Open(File, [exclusive]) end},
             {"exclusive new", fun() -> [file:delete(File), Open(File, [write, exclusive])] end},
             {"sync", fun() -> Open(File, [write, sync]) end},
             {"directory", fun() -> Open(Top, [read]) end},
             {"directory wanted", fun() -> with(Top, [raw, directory], fun(Fd) -> file:read(Fd, 1) end) end},
             {"directory wanted of a file", fun() -> Open(File, [directory]) end},
             {"device", fun() -> with("/dev/null", [raw, read, write],
                 fun(Fd) -> [file:write(Fd, "x"), file:read(Fd, 10)] end) end},
             {"bad", fun() -> Open(File, [no_such_mode]) end},
             {"worse", fun() -> file:open(File, raw) end},
             {"improper", fun() -> file:open(File, [raw | read]) end},
             {"below a file", fun() -> Open(filename:join(File, "x"), [write]) end}]).

reading(File) ->
    ok = file:write_file(File, <<"0123456789">>),
    with(File, [raw, read, binary],
         fun(Fd) ->
                 see:all([{"some", fun() -> file:read(Fd, 4) end},
                          {"none", fun() -> file:read(Fd, 0) end},
                          {"more than there is", fun() -> file:read(Fd, 100) end},
                          {"end", fun() -> file:read(Fd, 1) end},
                          {"negative", fun() -> file:read(Fd, -1) end},
                          {"no number", fun() -> file:read(Fd, a) end},
                          {"pread", fun() -> [file:pread(Fd, 2, 3), file:pread(Fd, 8, 5), file:pread(Fd, 10, 1)] end},
                          {"preads", fun() -> file:pread(Fd, [{0, 1}, {9, 9}, {20, 1}, {3, 0}]) end},
                          {"pread before", fun() -> file:pread(Fd, -1, 1) end},
                          {"pread big", fun() -> file:pread(Fd, 1 bsl 70, 1) end},
                          {"position", fun() -> file:position(Fd, cur) end},
                          {"write", fun() -> file:write(Fd, "x") end},
                          {"truncate", fun() -> file:truncate(Fd) end}])
         end),
    with(File, [raw, read],
         fun(Fd) -> see:value("lists", [file:read(Fd, 3), file:pread(Fd, 0, 2), file:read_line(Fd)]) end).

writing(File) ->
    with(File, [raw, read, write, binary],
         fun(Fd) ->
                 see:all([{"write", fun() -> file:write(Fd, ["ab", <<"cd">>, [$e, [<<"f">>]]]) end},
                          {"nothing", fun() -> file:write(Fd, "") end},
                          {"bits", fun() -> file:write(Fd, <<1:3>>) end},
                          {"no data", fun() -> file:write(Fd, [a]) end},
                          {"pwrite", fun() -> [file:pwrite(Fd, 8, <<"XY">>), file:pwrite(Fd, [{0, "A"}, {12, "Z"}])]
                              end},
                          {"pwrite before", fun() -> [file:pwrite(Fd, -1, "x"), file:pwrite(Fd, [{0, "B"}, {-1, "x"}])]
                              end},
                          {"read on", fun() -> file:read(Fd, 100) end},
                          {"whole", fun() -> file:pread(Fd, 0, 100) end},
                          {"truncate", fun() -> [file:position(Fd, 5), file:truncate(Fd), file:pread(Fd, 0, 100)] end},
                          {"sync", fun() -> [file:sync(Fd), file:datasync(Fd)] end},
                          {"unaligned", fun() ->
                                                <<_:4, Part:16/bits, _/bits>> = <<16#12, 16#34, 16#56, 16#78>>,
                                                [file:pwrite(Fd, 0, Part), file:pread(Fd, 0, 2)]
                                        end}])
         end),
    with(File, [raw, append, read, binary],
         fun(Fd) -> see:value("appended", [file:write(Fd, "end"), file:position(Fd, bof), file:read(Fd, 100)]) end).

positions(File) ->
    ok = file:write_file(File, <<"0123456789">>),
    with(File, [raw, read, binary],
         fun(Fd) ->
                 see:all([{Where, fun() -> [file:position(Fd, Where), file:read(Fd, 1)] end}
                          || Where <- [3, bof, eof, cur, {bof, 2}, {cur, 3}, {cur, -2}, {eof, -1}, {eof, 5}, {bof, -1},
                                       -1, {cur, -100}, a, {a, 1}, {bof, 1 bsl 70}, {bof, 1.0}, 1 bsl 62]])
         end).

large(File) ->
    Data = binary:copy(<<"0123456789abcdef">>, 20000),
    see:value("write large", file:write_file(File, Data)),
    see:value("read large", file:read_file(File) =:= {ok, Data}),
    Many = [<<(N rem 256), (N div 256)>> || N <- lists:seq(0, 999)],
    Long = [binary:copy(B, 100) || B <- Many],
    see:value("write many", file:write_file(File, Long)),
    see:value("read many", file:read_file(File) =:= {ok, iolist_to_binary(Long)}),
    with(File, [raw, read, binary],
         fun(Fd) ->
                 Parts = read_all(Fd, 1000),
                 see:value("parts", {length(Parts), iolist_to_binary(Parts) =:= iolist_to_binary(Long)}),
                 see:value("too large", file:pread(Fd, 0, 1 bsl 62))
         end),
    with(File, [raw, write], fun(Fd) -> see:value("pwrite many", file:pwrite(Fd, 3, Long)) end),
    see:value("read pwritten", file:read_file(File) =:= {ok, iolist_to_binary([0, 0, 0 | Long])}).

read_all(Fd, Size) ->
    case file:read(Fd, Size) of
        {ok, Part} -> [Part | read_all(Fd, Size)];
        eof -> []
    end.

lines(File) ->
    ok = file:write_file(File, ["one\n", "two\r\n", lists:duplicate(1000, $x), "\n\nlast"]),
    Read = fun(Modes) ->
                   with(File, [read | Modes],
                        fun(Fd) -> [case file:read_line(Fd) of {ok, L} ->
                            {iolist_size(L), lists:sublist(unicode:characters_to_list(L), 5)};
                                       Other -> Other end || _ <- lists:seq(1, 7)] end)
           end,
    see:all([{Modes, fun() -> Read(Modes) end}
             || Modes <- [[raw], [raw, binary], [raw, read_ahead], [raw, {read_ahead, 3}],
                 [raw, binary, {read_ahead, 100}],
                          [], [binary], [raw, compressed]]]),
    with(File, [raw, read, binary, {read_ahead, 100}],
         fun(Fd) ->
                 see:all([{"ahead", fun() -> [file:read(Fd, 2), file:position(Fd, cur), file:read_line(Fd),
                     file:position(Fd, {cur, 1}),
                                              file:read(Fd, 3), file:pread(Fd, 0, 3), file:read(Fd, 2),
                                              file:position(Fd, cur)] end}])
         end).

others(File) ->
    {ok, Fd} = file:open(File, [raw, read, write, binary]),
    see:all([{"advise", fun() -> [file:advise(Fd, 0, 10, A) || A <- [normal, random, sequential, will_need, dont_need,
        no_reuse, what]] end},
             {"advise badly", fun() -> [file:advise(Fd, -1, 10, normal), file:advise(Fd, a, 1, normal)] end},
             {"allocate", fun() -> [file:allocate(Fd, 0, 5000), filelib:file_size(File) >= 5000] end},
             {"allocate badly", fun() -> [file:allocate(Fd, -1, 10), file:allocate(Fd, 0, 0)] end},
             {"indirect", fun() ->
                                  ok = file:pwrite(Fd, 0, <<4:32, 20:32>>),
                                  ok = file:pwrite(Fd, 20, <<"DATA">>),
                                  [file:ipread_s32bu_p32bu(Fd, 0, 100), file:ipread_s32bu_p32bu(Fd, 0, 3),
                                   file:ipread_s32bu_p32bu(Fd, 1 bsl 20, 100), file:ipread_s32bu_p32bu(Fd, -1, 100)]
                          end},
             {"handle info", fun() -> {ok, I} = file:read_file_info(Fd), element(3, I) end},
             {"handle", fun() -> byte_size(prim_file:get_handle(Fd)) end},
             {"another process", fun() -> elsewhere(fun() -> file:read(Fd, 1) end) end},
             {"close", fun() -> [file:close(Fd), file:close(Fd)] end},
             {"closed", fun() -> [file:read(Fd, 1), file:write(Fd, "x"), file:position(Fd, 0), file:sync(Fd),
                 file:truncate(Fd)] end},
             {"no file", fun() -> [file:read(a, 1), file:close(make_ref())] end}]),
    see:value("left open",
        elsewhere(fun() -> {ok, Lost} = file:open(File, [raw, write]), file:write(Lost, "from the dead") end)),
    timer:sleep(50),
    see:value("what it wrote", file:read_file(File)).

elsewhere(Fun) ->
    Self = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> Self ! {self(), catch Fun()} end),
    Answer = receive {Pid, Result} -> see_result(Result) end,
    receive {'DOWN', Monitor, process, Pid, _} -> Answer end.

see_result({'EXIT', {Reason, _}}) -> {failed, Reason};
see_result(Result) -> Result.
