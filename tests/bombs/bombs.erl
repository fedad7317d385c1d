%% One process, or many, that take memory without end, beside a witness, for `cargo xtask bombs`. Runs on ferl and on
%% stock. What the tests of the guard have too is in their module `bomb`.
%%
%% It prints lines that begin with `bombs: `: when the bomb begins, how it ended and after how many milliseconds, and,
%% when the node works as before, `lives`.
-module(bombs).
-export([main/0, run/1, far/2, log/2]).

%% Arguments: the kind, the port of who asks the witness, for how many seconds a bomb that does not end is waited for,
%% and perhaps another node that has this module.
main() ->
    [Kind, Port, Seconds | Other] = init:get_plain_arguments(),
    spawn(fun() ->
        [PortNumber, Patience] = [list_to_integer(Number) || Number <- [Port, Seconds]],
        Nodes = [list_to_atom(Node) || Node <- Other],
        bomb:oversee(fun() -> direct(list_to_atom(Kind), PortNumber, Patience * 1000, Nodes) end)
    end).

direct(Kind, Port, Patience, Other) ->
    Self = self(),
    Witness = spawn(fun() -> witness(Port, Self) end),
    receive {Witness, ready} -> ok end,
    [meet(Node) || Node <- Other],
    persistent_term:put(other_node, Other),
    persistent_term:put(prepared, prepare(Kind)),
    say("begins", []),
    Began = now_ms(),
    {Pid, Monitor} = spawn_monitor(fun() -> bomb:end_small(fun() -> run(Kind) end) end),
    receive
        {'DOWN', Monitor, process, Pid, Reason} -> say("ended ~w ~s", [now_ms() - Began, reason(Reason)])
    after Patience ->
        say("ended ~w goes on", [now_ms() - Began])
    end,
    rest(300),
    say("guard ~w ~s", guard()),
    % The bomb ends before the witness does.
    exit(Pid, kill),
    works(0),
    say("lives", []),
    Witness ! {stop, self()},
    % What waits in ports to be written is not waited for.
    receive {Witness, stopped} -> erlang:halt(0, [{flush, false}]) end.

meet(Node) ->
    case net_adm:ping(Node) of
        pong -> ok;
        pang -> timer:sleep(100), meet(Node)
    end.

say(Format, Arguments) -> erlang:display_string(lists:flatten(io_lib:format("bombs: " ++ Format ++ "~n", Arguments))).

reason({Reason, [_ | _]}) -> reason(Reason);
reason(Reason) when is_atom(Reason) -> atom_to_list(Reason);
reason({Reason, _}) when is_atom(Reason) -> atom_to_list(Reason);
reason(_) -> "another reason".

%% As timer:sleep/1, of which the module may not be there, and is not loaded where code has taken the memory.
rest(Ms) -> receive after Ms -> ok end.

now_ms() -> erlang:monotonic_time(millisecond).

%% How many processes the guard has ended, and the level.
guard() ->
    try erlang:system_info({ferl, memory_guard}) of
        #{ended := Ended, level := Level} -> [Ended, atom_to_list(Level)];
        undefined -> [0, "off"]
    catch
        error:badarg -> [0, "none"]
    end.

%% The witness returns each byte that it gets.
witness(Port, Director) ->
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, true}, {nodelay, true}]),
    Director ! {self(), ready},
    answer(Socket).

answer(Socket) ->
    receive
        {tcp, Socket, Bytes} -> ok = gen_tcp:send(Socket, Bytes), answer(Socket);
        {stop, From} -> gen_tcp:close(Socket), From ! {self(), stopped}
    end.

%% Whether the node does what nodes do. Where what cannot be freed is at the high mark nothing is spawned.
works(300) ->
    say("spawns nothing", []);
works(Times) ->
    Self = self(),
    try
        Pid = spawn(fun() -> receive {add, From} -> From ! {self(), length(lists:seq(1, 1000))} end end),
        Pid ! {add, Self},
        receive {Pid, 1000} -> ok end
    catch
        error:system_limit -> rest(10), works(Times + 1)
    end.

%% What a bomb needs and takes long to make.
prepare(zip) ->
    zip(900000000);
prepare(slow_logger) ->
    Pid = spawn(fun() -> receive never -> ok end end),
    ok = logger:add_handler(slow, ?MODULE, #{config => #{pid => Pid}}),
    ok = logger:remove_handler(default),
    Pid;
prepare(code) ->
    {ok, Beam} = file:read_file(filename:join(filename:dirname(code:which(?MODULE)), "module_00000000.beam")),
    Beam;
prepare(_Kind) ->
    none.

prepared() -> persistent_term:get(prepared).

%% A binary of so many zeros in the external format, compressed.
zip(Bytes) ->
    Stream = zlib:open(),
    ok = zlib:deflateInit(Stream, best_speed),
    Head = zlib:deflate(Stream, <<109, Bytes:32>>),
    Million = binary:copy(<<0>>, 1000000),
    Parts = [zlib:deflate(Stream, Million) || _ <- lists:seq(1, Bytes div 1000000)],
    Last = zlib:deflate(Stream, <<>>, finish),
    zlib:close(Stream),
    iolist_to_binary([<<131, 80, (Bytes + 5):32>>, Head, Parts, Last]).

%% Processes that fill somebody else's memory are linked to it, and end with it.
run(flood) -> Self = self(), together(8, fun() -> flood(Self) end), wait();
run(own_queue) -> own_queue(self());
run(exits) ->
    process_flag(trap_exit, true),
    Self = self(),
    Killer = fun Killer(Reason) -> exit(Self, Reason), Killer(Reason) end,
    Pids = [spawn(fun() -> Killer(lists:seq(1, 200)) end) || _ <- lists:seq(1, 8)],
    put(killers, Pids),
    wait();
run(remote_flood) ->
    [Other] = persistent_term:get(other_node),
    spawn(Other, ?MODULE, far, [flood, self()]),
    wait();
run(stopped_node) ->
    % What is sent to a node that reads nothing waits in the connection; each sender waits with its own.
    [Other] = persistent_term:get(other_node),
    Pid = spawn(Other, ?MODULE, far, [wait, self()]),
    spawn(Other, ?MODULE, far, [stop, self()]),
    receive stopping -> ok end,
    timer:sleep(200),
    many(fun() -> Binary = binary:copy(<<0>>, 1000000), Pid ! Binary, Pid ! Binary end);
run(trace) ->
    Tracer = spawn_link(fun() -> wait() end),
    Chatter = fun Chatter() -> self() ! lists:seq(1, 100), receive _ -> Chatter() end end,
    Traced = [spawn_link(fun() -> receive go -> Chatter() end end) || _ <- lists:seq(1, 4)],
    [erlang:trace(Pid, true, [send, 'receive', {tracer, Tracer}]) || Pid <- Traced],
    [Pid ! go || Pid <- Traced],
    wait();
run(slow_logger) ->
    link(prepared()),
    together(8, fun Log() -> logger:error("~p", [lists:seq(1, 200)]), Log() end),
    wait();
run(append) -> append(<<>>, binary:copy(<<1>>, 10000));
run(huge) -> huge(40);
run(copy) -> copy([]);
run(subbinaries) -> subbinaries([]);
run(zip) -> zips(prepared(), []);
run(dictionary) -> dictionary(0);
run(aliases) -> aliases();
run(links) -> links();
run(tables) -> Table = ets:new(table, [public]), together(8, fun() -> insert(Table, self(), 0) end), wait();
run(processes) -> together(4, fun() -> many(fun() -> List = lists:seq(1, 600), wait(), List end) end), wait();
run(ports) -> many_ports();
run(sockets) -> {ok, Listen} = gen_tcp:listen(0, []), {ok, Port} = inet:port(Listen), many_sockets(Listen, Port, []);
run(port) ->
    Port = open_port({spawn, "sleep 1000"}, [binary]),
    many(fun() -> erlang:port_command(Port, binary:copy(<<0>>, 1000000)) end);
run(never_busy_port) ->
    Options = [binary, {busy_limits_port, disabled}, {busy_limits_msgq, disabled}],
    commands(open_port({spawn, "sleep 1000"}, Options));
run(code) -> code(prepared(), 0);
run(tcp) ->
    % A sender that does not wait for peers that read nothing.
    tcp([]);
run(tcp_many) ->
    {Socket, _Other} = connected([]),
    many(fun() -> gen_tcp:send(Socket, binary:copy(<<0>>, 1000000)) end);
run(socket) ->
    {ok, Listen} = socket:open(inet, stream, tcp),
    ok = socket:bind(Listen, #{family => inet, addr => {127, 0, 0, 1}, port => 0}),
    ok = socket:listen(Listen),
    {ok, Address} = socket:sockname(Listen),
    {ok, Socket} = socket:open(inet, stream, tcp),
    ok = socket:connect(Socket, Address),
    {ok, _Other} = socket:accept(Listen),
    many(fun() -> socket:send(Socket, binary:copy(<<0>>, 1000000)) end);
run(large_persistent) -> large_persistent(0);
run(regex) ->
    % Each of the repetitions remembers where it was.
    Subject = binary:copy(<<"ab">>, 4000000),
    together(8, fun() -> regex(Subject, []) end),
    wait();
run(print) -> print(lists:seq(1, 1000000));
run(Kind) ->
    bomb:run(Kind).

wait() -> receive never -> ok end.

together(Count, Body) -> [spawn_link(Body) || _ <- lists:seq(1, Count)].

%% Processes without end; one that is refused is tried again.
many(Body) ->
    try spawn(Body) catch error:system_limit -> erlang:yield() end,
    many(Body).

%% What the other node does.
far(flood, To) -> together(8, fun() -> flood(To) end), wait();
far(wait, _From) -> wait();
far(stop, From) -> From ! stopping, timer:sleep(100), os:cmd("kill -STOP " ++ os:getpid()).

flood(To) -> To ! {hello, lists:seq(1, 20)}, flood(To).
own_queue(Self) -> Self ! lists:seq(1, 20), own_queue(Self).

log(#{level := _} = Event, #{config := #{pid := Pid}}) -> Pid ! Event.

append(Binary, Piece) -> append(<<Binary/binary, Piece/binary>>, Piece).
%% Ever larger ones, of which the last are larger than any memory.
huge(Bits) when Bits > 50 -> exit(refused);
huge(Bits) ->
    try binary:copy(<<0>>, 1 bsl Bits) of
        _ -> exit(too_much)
    catch
        error:system_limit -> huge(Bits + 1)
    end.
copy(Binaries) -> copy([binary:copy(<<1>>, 3000000) | Binaries]).
subbinaries(Binaries) -> <<Small:100/binary, _/binary>> = binary:copy(<<1>>, 100000), subbinaries([Small | Binaries]).
zips(Zip, Binaries) -> zips(Zip, [binary_to_term(Zip) | Binaries]).
dictionary(N) -> put({key, N}, lists:seq(1, 20)), dictionary(N + 1).
aliases() -> _ = alias(), aliases().
insert(Table, Key, N) -> ets:insert(Table, {{Key, N}, lists:seq(1, 10)}), insert(Table, Key, N + 1).

%% Everybody is linked to everybody.
links() ->
    All = [spawn(fun linked/0) || _ <- lists:seq(1, 20000)],
    persistent_term:put(linked, All),
    link(hd(All)),
    [Pid ! link || Pid <- All],
    wait().

linked() -> receive link -> lists:foreach(fun erlang:link/1, persistent_term:get(linked)), wait() end.

many_ports() ->
    try open_port({spawn, "sleep 1000"}, [binary])
    catch error:system_limit -> timer:sleep(1); error:Reason -> exit(Reason)
    end,
    many_ports().

many_sockets(Listen, Port, Sockets) ->
    case gen_tcp:connect({127, 0, 0, 1}, Port, []) of
        {ok, One} ->
            case gen_tcp:accept(Listen, 1000) of
                {ok, Other} -> many_sockets(Listen, Port, [One, Other | Sockets]);
                {error, Reason} -> exit(Reason)
            end;
        {error, Reason} ->
            exit(Reason)
    end.

commands(Port) -> erlang:port_command(Port, binary:copy(<<0>>, 1000000)), commands(Port).

%% Modules of one size under names of one length.
code(Beam, N) ->
    Name = lists:flatten(io_lib:format("module_~8..0w", [N])),
    Renamed = binary:replace(Beam, <<"module_00000000">>, list_to_binary(Name), [global]),
    case code:load_binary(list_to_atom(Name), "none", Renamed) of
        {module, _} -> code(Beam, N + 1);
        {error, Reason} -> exit(Reason)
    end.

connected(Options) ->
    {ok, Listen} = gen_tcp:listen(0, [binary, {active, false}]),
    {ok, Port} = inet:port(Listen),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary | Options]),
    {ok, Other} = gen_tcp:accept(Listen),
    {Socket, Other}.

%% A socket takes 2 GB before its sender has to wait: then the next one is opened.
tcp(Sockets) ->
    {Socket, Other} = connected([{high_watermark, 16#7fffffff}]),
    tcp(Socket, 2000),
    tcp([Socket, Other | Sockets]).

tcp(_Socket, 0) -> ok;
tcp(Socket, Megabytes) ->
    case gen_tcp:send(Socket, binary:copy(<<0>>, 1000000)) of
        ok -> tcp(Socket, Megabytes - 1);
        {error, Reason} -> exit(Reason)
    end.

large_persistent(N) -> persistent_term:put({bombs, N}, lists:seq(1, 1000000)), large_persistent(N + 1).

regex(Subject, Results) -> regex(Subject, [re:run(Subject, <<"(?:(a)|(b))*c">>), re:split(Subject, <<"a">>) | Results]).

print(List) -> io:format("~p~n", [List]), print(List ++ List).
