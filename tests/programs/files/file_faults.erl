%% A disk that is full, told at once or late; a working directory that is gone; a folder that vanishes with open files
%% in it; no descriptor left, and then some again.
%% timeout: 60
-module(file_faults).
-export([main/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    {ok, Here} = file:get_cwd(),
    Folder = "file_faults_" ++ os:getpid(),
    ok = file:make_dir(Folder),
    ok = file:set_cwd(Folder),
    try
        full(),
        vanished(),
        exhausted()
    after
        ok = file:set_cwd(Here),
        see:value(removed, file:del_dir_r(Folder))
    end.

full() ->
    %% By a name of its own, so that whatever is done to it is not done to the device.
    ok = file:make_symlink("/dev/full", "full"),
    Much = binary:copy(<<"x">>, 100000),
    Do = fun(F) ->
             [fun() -> file:write(F, Much) end, fun() -> file:write(F, "a") end, fun() -> file:write(F, "b") end,
                 fun() -> file:sync(F) end, fun() -> file:write(F, "c") end,
              fun() -> file:position(F, cur) end, fun() -> file:pwrite(F, 5, "zz") end,
                  fun() -> file:pwrite(F, [{5, "zz"}, {9, "q"}]) end,
              fun() -> file:truncate(F) end, fun() -> file:write(F, "d") end, fun() -> file:close(F) end,
                  fun() -> file:close(F) end]
         end,
    Modes = [[write], [write, raw], [write, delayed_write], [write, raw, delayed_write],
        [write, raw, {delayed_write, 10, 10000}], [write, raw, compressed], [append],
             [append, raw], [read, write, raw, read_ahead], [write, {encoding, utf8}], [write, sync, raw]],
    [see:value({full, M}, begin {ok, F} = file:open("full", M), [tried(Step) || Step <- Do(F)] end) || M <- Modes],
    see:value(only_late, begin {ok, F} = file:open("full", [write, raw, delayed_write]),
        [file:write(F, "few"), file:close(F), file:close(F)] end),
    ok = file:write_file("much", Much),
    see:all([{"write_file", fun() -> file:write_file("full", Much) end},
        {"delayed", fun() -> file:write_file("full", Much, [raw, delayed_write]) end},
             {"nothing", fun() -> file:write_file("full", "") end}, {"copy", fun() -> file:copy("much", "full") end},
             {"copy raw", fun() -> file:copy({"much", [raw]}, {"full", [raw, delayed_write]}) end},
             {"io", fun() -> {ok, G} = file:open("full", [write]), [tried(fun() -> io:put_chars(G, "hello") end),
                 tried(fun() -> io:format(G, "~p", [Much]) end), file:close(G)] end}]).

vanished() ->
    {ok, Here} = file:get_cwd(),
    ok = file:make_dir("gone"),
    ok = file:set_cwd("gone"),
    ok = file:del_dir(filename:join(Here, "gone")),
    see:value(nowhere, [tried(F) || F <- [fun() -> file:get_cwd() end, fun() -> file:list_dir(".") end,
        fun() -> file:write_file("x", "y") end,
        fun() -> file:read_file("x") end, fun() -> filename:absname("x") end, fun() -> file:make_dir("y") end,
            fun() -> filelib:wildcard("*") end,
        fun() -> file:consult("f") end, fun() -> code:ensure_loaded(no_such_module_at_all) end,
            fun() -> code:ensure_loaded(array) end, fun() -> os:cmd("echo here") end,
        fun() -> Port = open_port({spawn_executable, "/bin/echo"}, [{args, ["here"]}, eof]),
            [receive {Port, X} -> X end || _ <- [1, 2]] end]]),
    ok = file:set_cwd(Here),
    ok = file:make_dir("folder"),
    ok = file:write_file("folder/f", "data"),
    {ok, F} = file:open("folder/f", [read, write, raw, binary]),
    ok = file:del_dir_r("folder"),
    see:value(vanished, [file:read(F, 10), file:write(F, "more"), file:position(F, 0), file:read(F, 20), file:sync(F),
        file:close(F), file:list_dir("folder"),
        file:open("folder/f", [write]), file:rename("folder/f", "q"), file:make_link("folder/f", "q"),
        file:del_dir_r("folder"), file:del_dir("folder"),
        filelib:ensure_dir("folder/a/b"), file:del_dir_r("folder")]).

exhausted() ->
    %% What is needed to ask about it is here before.
    _ = os:cmd("true"),
    {ok, T} = gen_tcp:listen(0, []), ok = gen_tcp:close(T),
    {ok, U} = gen_udp:open(0), ok = gen_udp:close(U),
    {ok, S} = socket:open(inet, stream, tcp), ok = socket:close(S),
    [{module, M} = code:ensure_loaded(M) || M <- [ets, dets, dets_server, dets_sup]],
    [] = os:cmd("prlimit --nofile=100: --pid " ++ os:getpid()),
    Files = take([]),
    see:value(none_left, [tried(F) || F <- [fun() -> file:open("/dev/null", [read]) end,
        fun() -> file:open("x", [write, delayed_write]) end, fun() -> file:read_file("/etc/passwd") end,
        fun() -> file:list_dir("/") end, fun() -> file:write_file("x", "y") end, fun() -> file:copy("/etc/passwd", "y")
            end, fun() -> gen_tcp:listen(0, []) end,
        fun() -> gen_udp:open(0) end, fun() -> open_port({spawn, "/bin/true"}, []) end,
            fun() -> socket:open(inet, stream) end, fun() -> os:cmd("echo hi") end,
        fun() -> code:ensure_loaded(sofs) end, fun() -> file:del_dir_r("nothing") end,
            fun() -> element(1, file:read_file_info("/etc/passwd")) end,
        fun() -> element(1, file:get_cwd()) end, fun() -> file:set_cwd(".") end, fun() -> filelib:is_dir("/") end,
            fun() -> filelib:wildcard("/etc/pass*") end,
        fun() -> file:consult("/etc/passwd") end, fun() -> element(1, dets:open_file(d, [{file, "dd"}])) end,
        fun() -> inet:getifaddrs() =/= [] end]]),
    [ok = file:close(F) || F <- Files],
    see:value(some_again,
        [tried(F) || F <- [fun() -> element(1, file:read_file("/etc/passwd")) end, fun() -> os:cmd("echo hi") end,
        fun() -> code:ensure_loaded(sofs) end,
        fun() -> {ok, L} = gen_tcp:listen(0, []), gen_tcp:close(L) end]]).

take(Files) ->
    case file:open("/dev/null", [read, raw]) of
        {ok, File} -> take([File | Files]);
        Error -> see:value(last, Error), Files
    end.

tried(Fun) ->
    try Fun() catch Class:Reason -> {Class, case Reason of {What, _} when is_atom(What) -> What; _ -> Reason end} end.
