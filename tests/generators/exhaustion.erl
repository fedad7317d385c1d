%% Work that needs files, descriptors, threads, programs, memory and code, while calls of the system fail
%% (`cargo xtask exhaust`).
%%
%% A round does each step once; a step returns a term that is the same each time, or the error that came of a call. No
%% step waits for ever for what may not come. Rounds follow until two in a row had no error at all, at most as many as
%% the command line says, so that what is kept after a fault is compared with what a sound run keeps.
-module(exhaustion).
-export([start/0, connected/1, work/1]).
-include_lib("kernel/include/file.hrl").

%% Milliseconds to wait for anything.
-define(PATIENCE, 2000).

start() ->
    %% Reports of the faults would be work of their own.
    logger:set_primary_config(level, none),
    io:format("began~n"),
    [Rounds] = init:get_plain_arguments(),
    Last = rounds(list_to_integer(Rounds), []),
    io:format("last ~s~nports ~b~ndescriptors ~b~ndone~n", [Last, length(erlang:ports()), descriptors()]),
    halt(0).

rounds(0, _) -> failing;
rounds(Left, Before) ->
    Faults = [{Step, Result} || {Step, Fun, Good} <- steps(), Result <- [attempt(Fun)], Result =/= Good],
    [io:format("step ~w: ~s~n", [Step, said(Result)]) || {Step, Result} <- Faults],
    case {Faults, Before} of
        {[], [sound]} -> sound;
        {[], _} -> rounds(Left - 1, [sound]);
        _ -> rounds(Left - 1, [])
    end.

%% An error's reason without what differs from run to run: where it was, and numbers of processes.
attempt(Fun) ->
    Self = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> Self ! {self(), catch_all(Fun)} end),
    receive
        {Pid, Result} -> erlang:demonitor(Monitor, [flush]), Result;
        {'DOWN', Monitor, process, Pid, Reason} -> {died, Reason}
    after 5 * ?PATIENCE ->
        Where = process_info(Pid, current_stacktrace),
        exit(Pid, kill),
        erlang:demonitor(Monitor, [flush]),
        {hangs, Where}
    end.

catch_all(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

said(Term) ->
    Text = lists:flatten(io_lib:format("~0tp", [Term])),
    lists:foldl(fun({Part, By}, T) -> re:replace(T, Part, By, [global, {return, list}]) end, Text,
                [{"[<#][0-9.]+>", "<_>"}, {"#(Port|Ref|Fun)<[^>]*>", "#\\1"}, {"\\{line,[0-9]+\\}", "line"}]).

%% How many are open; the least for a while, as what ends by itself may not have ended.
descriptors() ->
    lists:min([begin
                   timer:sleep(40),
                   case file:list_dir("/proc/self/fd") of {ok, Names} -> length(Names); _ -> -1 end
               end || _ <- lists:seq(1, 8)]).

steps() ->
    [{folder, fun() -> filelib:ensure_dir(name("x")) end, ok},
     {write_file, fun() -> file:write_file(name("a"), binary:copy(<<"x">>, 100_000)) end, ok},
     {read_file, fun() -> {ok, B} = must(file:read_file(name("a"))), byte_size(B) end, 100_000},
     {raw, fun() -> raw([raw, binary]) end, {ok, <<"bbcc">>}},
     {io_server, fun() -> raw([binary]) end, {ok, <<"bbcc">>}},
     {delayed, fun delayed/0, ok},
     {read_ahead, fun read_ahead/0, 1000},
     {compressed, fun compressed/0, {ok, <<"some text">>}},
     {names, fun names/0, {[ok, ok, ok, ok, ok], ["b", "d"], [ok, ok, ok, ok, ok]}},
     {copy, fun() -> file:copy(name("a"), name("copy")) end, {ok, 100_000}},
     {look, fun() -> {ok, I} = must(file:read_file_info(name("a"))), {I#file_info.type, I#file_info.size} end,
         {regular, 100_000}},
     {consult, fun() -> must(file:write_file(name("t"), "{a, 1}.\n[b].\n")), file:consult(name("t")) end,
         {ok, [{a, 1}, [b]]}},
     {log, fun log/0, {ok, ["one", "two"]}},
     {working_directory, fun() -> {ok, D} = must(file:get_cwd()), file:set_cwd(D) end, ok},
     {port, fun() -> port("cat", []) end, <<"hello">>},
     {port_without_output, fun() -> port("sh -c 'exit 3'", [exit_status, in]) end, 3},
     {port_of_program, fun program/0, <<"a b\n">>},
     {command, fun() -> os:cmd("echo hi") end, "hi\n"},
     {descriptor_port, fun descriptor_port/0, <<"x">>},
     {tcp, fun() -> tcp([]) end, {<<"ping">>, <<"pong">>, {error, closed}}},
     {local, fun local/0, {<<"ping">>, <<"pong">>, {error, closed}}},
     {udp, fun udp/0, <<"datagram">>},
     {socket, fun sockets/0, {ok, <<"data">>}},
     {sendfile, fun sendfile/0, {{ok, 100_000}, 100_000}},
     {interfaces, fun() -> {ok, L} = must(inet:getifaddrs()), lists:keymember("lo", 1, L) end, true},
     {address, fun() -> inet:getaddr("localhost", inet) end, {ok, {127, 0, 0, 1}}},
     {processes, fun processes_and_messages/0, 2000},
     {bound, fun() -> spawned(fun() -> lists:sum(lists:seq(1, 100)) end, [{fullsweep_after, 0}]) end, 5050},
     {heaps, fun() -> spawned(fun() -> length(lists:seq(1, 300_000)) end, [{min_heap_size, 10_000}]) end, 300_000},
     {binaries, fun() -> byte_size(binary:copy(<<"0123456789">>, 1_000_000)) end, 10_000_000},
     {tables, fun tables/0, 20_000},
     {expressions, fun() -> re:run(binary:copy(<<"ab">>, 50_000), "b$", [{capture, first}]) end,
         {match, [{99_999, 1}]}},
     {packed, fun() -> zlib:uncompress(zlib:compress(<<0:80_000>>)) end, <<0:80_000>>},
     {long_work, fun() -> byte_size(term_to_binary(lists:seq(1, 100_000), [compressed])) > 0 end, true},
     {code, fun code/0, {{module, gb_sets}, [1, 2]}},
     {new_code, fun new_code/0, {loaded, 4}},
     {compiled, fun compiled/0, {ok, ad_hoc}},
     {native_code, fun() -> case code:ensure_loaded(crypto) of
                                {module, crypto} -> byte_size(crypto:hash(sha256, <<"x">>));
                                Error -> Error
                            end end, 32},
     {timers, fun() -> erlang:send_after(5, self(), now), receive now -> ok after ?PATIENCE -> late end end, ok},
     {times, fun() -> {_, _} = calendar:local_time(), is_integer(os:system_time()) end, true},
     {settings, fun() -> os:putenv("EXHAUSTION", "x"), os:getenv("EXHAUSTION") end, "x"}].

must({ok, _} = Result) -> Result;
must(ok) -> ok;
must(Other) -> throw(Other).

name(Name) -> filename:join("exhaustion_files", Name).

raw(Options) ->
    {ok, File} = must(file:open(name("f"), [read, write | Options])),
    try
        must(file:write(File, <<"aabbccdd">>)),
        must(file:pwrite(File, [{8, <<"ee">>}, {10, <<"ff">>}])),
        must(file:sync(File)),
        {ok, _} = must(file:position(File, 10)),
        must(file:truncate(File)),
        file:pread(File, 2, 4)
    after
        file:close(File)
    end.

delayed() ->
    {ok, File} = must(file:open(name("l"), [append, raw, {delayed_write, 1000, 20}])),
    Written = [file:write(File, binary:copy(<<"y">>, 400)) || _ <- lists:seq(1, 5)],
    Closed = file:close(File),
    Again = case Closed of ok -> ok; _ -> file:close(File) end,
    case {lists:usort(Written), Closed, Again} of {[ok], ok, ok} -> ok; Other -> Other end.

read_ahead() ->
    must(file:write_file(name("lines"), lists:duplicate(1000, "a line\n"))),
    {ok, File} = must(file:open(name("lines"), [read, raw, binary, {read_ahead, 512}])),
    try count_lines(File, 0) after file:close(File) end.

count_lines(File, N) ->
    case file:read_line(File) of
        {ok, _} -> count_lines(File, N + 1);
        eof -> N;
        Error -> throw(Error)
    end.

compressed() ->
    {ok, Out} = must(file:open(name("z"), [write, raw, binary, compressed])),
    Written = file:write(Out, <<"some text">>),
    Closed = file:close(Out),
    must(Written),
    must(Closed),
    {ok, In} = must(file:open(name("z"), [read, raw, binary, compressed])),
    try file:read(In, 100) after file:close(In) end.

names() ->
    Folder = name("folder"),
    [_ = file:delete(filename:join(Folder, Name)) || Name <- ["a", "b", "c", "d"]],
    _ = file:del_dir(Folder),
    In = fun(Name) -> filename:join(Folder, Name) end,
    Made = [file:make_dir(Folder), file:write_file(In("a"), "1"), file:make_link(In("a"), In("b")),
            file:make_symlink("a", In("c")), file:rename(In("c"), In("d"))],
    Removed = file:delete(In("a")),
    {ok, Names} = must(file:list_dir(Folder)),
    {Made, lists:sort(Names),
     [Removed, file:change_mode(In("b"), 8#600), file:delete(In("b")), file:delete(In("d")), file:del_dir(Folder)]}.

log() ->
    File = name("log"),
    _ = file:delete(File),
    {ok, Log} = must(disk_log:open([{name, {log, self()}}, {file, File}, {linkto, none}])),
    try
        must(disk_log:log(Log, "one")),
        must(disk_log:log(Log, "two")),
        must(disk_log:sync(Log)),
        case disk_log:chunk(Log, start) of {_, Terms} -> {ok, Terms}; Other -> Other end
    after
        disk_log:close(Log)
    end.

port(Command, Options) ->
    Port = open_port({spawn, Command}, [binary | Options]),
    Options =:= [] andalso port_command(Port, <<"hello">>),
    Got = receive
              {Port, {data, Data}} -> Data;
              {Port, {exit_status, Status}} -> Status
          after ?PATIENCE -> silent
          end,
    catch port_close(Port),
    Got.

program() ->
    Echo = case os:find_executable("echo") of false -> throw(not_found); Found -> Found end,
    Port = open_port({spawn_executable, Echo}, [binary, {args, ["a", "b"]}, exit_status, stderr_to_stdout]),
    receive
        {Port, {data, Data}} ->
            receive {Port, {exit_status, 0}} -> Data; {Port, {exit_status, S}} -> S after ?PATIENCE -> unended end;
        {Port, {exit_status, Status}} -> Status
    after ?PATIENCE -> silent
    end.

%% A port's descriptor that is written to; the node's own output.
descriptor_port() ->
    Port = open_port({spawn, "head -c 1"}, [binary, stream, use_stdio, exit_status]),
    port_command(Port, <<"xyz">>),
    receive
        {Port, {data, Data}} ->
            receive {Port, {exit_status, _}} -> Data after ?PATIENCE -> unended end;
        {Port, {exit_status, Status}} -> Status
    after ?PATIENCE -> silent
    end.

tcp(Options) ->
    {ok, Listener} = must(gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}} | Options])),
    try
        {ok, Port} = must(inet:port(Listener)),
        talk(Listener, fun() -> gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}], ?PATIENCE) end)
    after
        gen_tcp:close(Listener)
    end.

local() ->
    File = name("socket"),
    _ = file:delete(File),
    {ok, Listener} = must(gen_tcp:listen(0, [binary, {active, false}, {ifaddr, {local, File}}])),
    try
        talk(Listener, fun() -> gen_tcp:connect({local, File}, 0, [binary, {active, false}], ?PATIENCE) end)
    after
        gen_tcp:close(Listener)
    end.

%% One end pings, the other pongs and closes.
talk(Listener, Connect) ->
    Self = self(),
    Server = spawn_link(fun() -> Self ! {self(), catch_all(fun() -> connected(Listener) end)} end),
    try
        {ok, Socket} = must(Connect()),
        must(gen_tcp:send(Socket, <<"ping">>)),
        Pong = gen_tcp:recv(Socket, 4, ?PATIENCE),
        Closed = gen_tcp:recv(Socket, 0, ?PATIENCE),
        gen_tcp:close(Socket),
        Ping = receive {Server, Got} -> Got after ?PATIENCE -> silent end,
        case Pong of {ok, P} -> {Ping, P, Closed}; _ -> {Ping, Pong, Closed} end
    after
        unlink(Server),
        exit(Server, kill)
    end.

connected(Listener) ->
    case gen_tcp:accept(Listener, ?PATIENCE) of
        {ok, Socket} ->
            Got = gen_tcp:recv(Socket, 4, ?PATIENCE),
            gen_tcp:send(Socket, <<"pong">>),
            gen_tcp:close(Socket),
            case Got of {ok, Ping} -> Ping; _ -> Got end;
        Error -> Error
    end.

udp() ->
    {ok, One} = must(gen_udp:open(0, [binary, {active, true}, {ip, {127, 0, 0, 1}}])),
    try
        {ok, Port} = must(inet:port(One)),
        {ok, Two} = must(gen_udp:open(0, [binary])),
        Sent = gen_udp:send(Two, {127, 0, 0, 1}, Port, <<"datagram">>),
        gen_udp:close(Two),
        must(Sent),
        receive
            {udp, One, _, _, Data} -> Data;
            {udp_error, One, Reason} -> {error, Reason}
        after ?PATIENCE -> silent
        end
    after
        gen_udp:close(One)
    end.

sockets() ->
    {ok, Listener} = must(socket:open(inet, stream, tcp)),
    try
        must(socket:bind(Listener, #{family => inet, addr => {127, 0, 0, 1}, port => 0})),
        must(socket:listen(Listener)),
        {ok, Address} = must(socket:sockname(Listener)),
        {ok, Client} = must(socket:open(inet, stream, tcp)),
        try
            must(socket:connect(Client, Address, ?PATIENCE)),
            {ok, Accepted} = must(socket:accept(Listener, ?PATIENCE)),
            Sent = socket:send(Client, <<"data">>, ?PATIENCE),
            Got = socket:recv(Accepted, 4, ?PATIENCE),
            must(socket:close(Accepted)),
            must(Sent),
            Got
        after
            socket:close(Client)
        end
    after
        socket:close(Listener)
    end.

sendfile() ->
    {ok, Listener} = must(gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}])),
    try
        {ok, Port} = must(inet:port(Listener)),
        {ok, Out} = must(gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}], ?PATIENCE)),
        try
            {ok, In} = must(gen_tcp:accept(Listener, ?PATIENCE)),
            Sent = file:sendfile(name("a"), Out),
            Got = case Sent of
                      {ok, N} when N > 0 ->
                          case gen_tcp:recv(In, N, ?PATIENCE) of {ok, B} -> byte_size(B); Error -> Error end;
                      _ -> none
                  end,
            gen_tcp:close(In),
            {Sent, Got}
        after
            gen_tcp:close(Out)
        end
    after
        gen_tcp:close(Listener)
    end.

processes_and_messages() ->
    Self = self(),
    Pids = [spawn_link(?MODULE, work, [Self]) || _ <- lists:seq(1, 2000)],
    [Pid ! {go, Self} || Pid <- Pids],
    lists:sum([receive {Pid, done} -> 1 after ?PATIENCE -> 0 end || Pid <- Pids]).

work(From) -> receive {go, From} -> From ! {self(), done} end.

spawned(Fun, Options) ->
    Self = self(),
    {Pid, Monitor} = spawn_opt(fun() -> Self ! {self(), Fun()} end, [monitor | Options]),
    receive
        {Pid, Result} -> erlang:demonitor(Monitor, [flush]), Result;
        {'DOWN', Monitor, process, Pid, Reason} -> {died, Reason}
    after ?PATIENCE -> silent
    end.

tables() ->
    Table = ets:new(?MODULE, [ordered_set, public]),
    Other = ets:new(?MODULE, [set, {write_concurrency, true}]),
    [ets:insert(T, [{N, N} || N <- lists:seq(1, 10_000)]) || T <- [Table, Other]],
    Count = ets:info(Table, size) + ets:info(Other, size),
    ets:delete(Table),
    ets:delete(Other),
    Count.

code() ->
    code:unstick_mod(gb_sets),
    code:purge(gb_sets),
    Loaded = code:load_file(gb_sets),
    code:purge(gb_sets),
    {Loaded, gb_sets:to_list(gb_sets:from_list([2, 1]))}.

new_code() ->
    Forms = [{attribute, 1, module, ad_hoc}, {attribute, 1, export, [{four, 0}]},
             {function, 2, four, 0, [{clause, 2, [], [], [{integer, 2, 4}]}]}],
    case compile:forms(Forms, [binary]) of
        {ok, Name, Binary} ->
            case code:load_binary(Name, "ad_hoc.erl", Binary) of
                {module, Name} ->
                    Four = Name:four(),
                    code:delete(Name),
                    code:purge(Name),
                    {loaded, Four};
                Error -> Error
            end;
        Error -> Error
    end.

compiled() ->
    Source = name("ad_hoc.erl"),
    must(file:write_file(Source, "-module(ad_hoc).\n-export([four/0]).\nfour() -> 4.\n")),
    compile:file(Source, [{outdir, name(".")}, return_errors]).
