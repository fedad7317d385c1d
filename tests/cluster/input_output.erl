%% I/O across nodes: a process of b prints where its group leader is; files, string devices and standard_error of
%% another node.
%% timeout: 20
-module(input_output).
-export([main/1]).

main([B]) ->
    Self = self(),
    finished(spawn_monitor(B, fun() -> io:format("printed from ~p~n", [node()]) end)),
    finished(spawn_monitor(B, fun() -> io:format("~ts ~p~n", ["ÄÖÜ αβγ", [<<"binary"/utf8>>, 1.5]]) end)),
    finished(spawn_monitor(B, fun() -> io:format("~s~n", [lists:duplicate(20_000, $x)]) end)),
    finished(spawn_monitor(B, fun() -> [io:format("line ~p~n", [N]) || N <- lists:seq(1, 50)] end)),
    see:value("to the user of b",
        cluster:on(B, fun() -> io:format(user, "b prints this itself~n", []), node(whereis(user)) end)),
    see:value("leader", cluster:on(B, fun() -> node(group_leader()) end)),
    see:value("leader set there", cluster:on(B, fun() -> group_leader(group_leader(), self()), node(group_leader())
        end)),
    Leader = group_leader(),
    see:value("leader changed", cluster:on(B, fun() ->
        true = group_leader(Leader, self()),
        io:format("through the leader of a~n"),
        node(group_leader())
    end)),
    Pid = cluster:on(B, fun() -> spawn(fun Loop() -> receive print -> io:format("set from a~n"), Self ! printed, Loop()
        end end) end),
    see:value("set from here", group_leader(Leader, Pid)),
    Pid ! print,
    see:value("then", cluster:next()),
    see:value("columns", [cluster:on(B, fun() -> io:columns(Leader) end),
        cluster:on(B, fun() -> io:getopts(Leader) -- io:getopts(Leader) end)]),
    files(B),
    devices(B),
    see:fails([fun() -> group_leader(x, Pid) end, fun() -> group_leader(Leader, x) end]).

finished({Pid, Monitor}) ->
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end.

%% A file that is opened there is read and written from here, by its process.
files(B) ->
    Name = "input_output.txt",
    Leader = self(),
    {ok, File} = cluster:on(B, fun() -> opened(Name, Leader) end),
    see:value("node", node(File)),
    see:value("write", [io:format(File, "one ~p~n", [1]), file:write(File, <<"two\nthree\n">>),
        io:put_chars(File, "vier ä\n"),
                        file:position(File, bof)]),
    see:value("read", [io:get_line(File, ''), file:read_line(File), file:read(File, 3), io:get_chars(File, '', 3),
        file:read(File, 100), file:read(File, 1)]),
    see:value("positions", [file:position(File, {bof, 4}), file:pread(File, 0, 3), file:pwrite(File, 0, "ONE"),
        file:truncate(File), file:position(File, eof)]),
    see:value("close", [file:close(File), file:close(File)]),
    see:value("gone", file:read(File, 1)),
    see:value("file server there", [rpc:call(B, file, read_file, [Name]), rpc:call(B, file, delete, [Name])]).

%% The opener's end would close it.
opened(Name, Owner) ->
    Self = self(),
    spawn(fun() ->
        Monitor = monitor(process, Owner),
        Self ! {opened, file:open(Name, [read, write, binary, {encoding, utf8}])},
        receive {'DOWN', Monitor, _, _, _} -> ok end
    end),
    receive {opened, Result} -> Result end.

devices(B) ->
    Device = cluster:on(B, fun() ->
        Self = self(),
        spawn(fun() -> {ok, New} = file:open("some text\nand 42. more", [read, ram, binary]), Self ! {device, New},
            receive after infinity -> ok end end),
        receive {device, It} -> It end
    end),
    see:value("ram file", [file:read(Device, 4)]),
    Text = cluster:on(B, fun() ->
        Self = self(),
        {Holder, _} = spawn_monitor(fun() -> served("a_term. {another, 42}.\n", Self) end),
        Holder
    end),
    see:value("i/o protocol", [io:read(Text, ''), io:read(Text, ''), io:read(Text, '')]),
    see:value("to a dead device", begin exit(Text, kill), _ = cluster:gone(Text),
        (catch io:format(Text, "x", [])) =/= ok end).

%% A device of our own that knows one request.
served(Text, Owner) ->
    receive
        {io_request, From, As, {get_until, _, _, Module, Function, Arguments}} ->
            {Reply, Rest} = answered(apply(Module, Function, [[], Text | Arguments]), Module, Function, Arguments),
            From ! {io_reply, As, Reply},
            served(Rest, Owner)
    end.

answered({done, Reply, Rest}, _, _, _) -> {Reply, Rest};
answered({more, Continuation}, Module, Function, Arguments) ->
    {done, Reply, _} = apply(Module, Function, [Continuation, eof | Arguments]),
    {Reply, eof}.
