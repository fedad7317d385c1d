%% Files in memory: file:open(Data, [ram]), and what only they have.
-module(ram_files).
-export([main/0]).

main() ->
    Open = fun(Data, Modes) -> {ok, Fd} = file:open(Data, [ram | Modes]), Fd end,
    Fd = Open("0123456789", [read, write, binary]),
    see:all([{"read", fun() -> [file:read(Fd, 3), file:read(Fd, 0), file:read(Fd, 100), file:read(Fd, 1)] end},
             {"position", fun() -> [file:position(Fd, P) || P <- [bof, 3, {cur, 2}, {cur, -9}, {eof, -1}, eof, {eof, 5},
                 -1, a, 1 bsl 31]] end},
             {"write beyond", fun() -> [file:write(Fd, ["X", <<"YZ">>]), ram_file:get_file(Fd), ram_file:get_size(Fd)]
                 end},
             {"pread", fun() -> [file:pread(Fd, 2, 3), file:pread(Fd, 17, 9), file:pread(Fd, 18, 1),
                 file:pread(Fd, -1, 1), file:pread(Fd, 1 bsl 31, 1)] end},
             {"preads", fun() -> file:pread(Fd, [{0, 2}, {100, 1}, {5, 0}]) end},
             {"pwrite", fun() -> [file:pwrite(Fd, 1, "ab"), file:pwrite(Fd, [{4, "c"}, {-1, "d"}, {5, "e"}]),
                 file:pwrite(Fd, 1, a)] end},
             {"truncate", fun() -> [file:position(Fd, 6), file:truncate(Fd), ram_file:get_file(Fd),
                 file:position(Fd, 9), file:truncate(Fd), ram_file:get_file(Fd)] end},
             {"sync", fun() -> [file:sync(Fd), file:datasync(Fd), file:advise(Fd, 0, 1, normal),
                 file:advise(Fd, 0, 1, a), file:allocate(Fd, 0, 100)] end},
             {"bad data", fun() -> [file:write(Fd, [a]), file:read(Fd, -1), file:read(Fd, 1 bsl 40)] end},
             {"indirect", fun() -> [file:pwrite(Fd, 0, <<2:32, 20:32>>), file:pwrite(Fd, 20, "hi"),
                 file:ipread_s32bu_p32bu(Fd, 0, 10), file:ipread_s32bu_p32bu(Fd, 0, 1)] end},
             {"close", fun() -> [file:close(Fd), file:close(Fd), file:read(Fd, 1)] end}]),
    Lists = Open(<<"abc\ndef">>, []),
    see:all([{"lists", fun() -> [file:read(Lists, 2), file:pread(Lists, 0, 10), file:pread(Lists, 50, 1)] end},
             {"not for writing", fun() -> [file:write(Lists, "x"), file:pwrite(Lists, 0, "x"), file:truncate(Lists)]
                 end}]),
    Only = Open("abc", [write]),
    see:value("not for reading", [file:read(Only, 1), file:write(Only, "xy"), ram_file:get_file(Only)]),
    see:all([{"bad mode", fun() -> file:open("x", [ram, what]) end},
             {"bad content", fun() -> file:open([a], [ram]) end},
             {"copy", fun() ->
                              To = Open("", [write, read, binary]),
                              [file:copy(Open("some content", [read, binary]), To), ram_file:get_file(To)]
                      end},
             {"large", fun() ->
                               Data = binary:copy(<<"0123456789">>, 50000),
                               Large = Open(Data, [read, binary]),
                               [ram_file:get_file(Large) =:= {ok, Data}, file:pread(Large, 499998, 10)]
                       end}]).
