%% A hostile peer of a node, by seed: handshakes that stop or lie, messages that take long to read, fragments that never
%% end, caches of atoms that are not there, and packets of every mode of a TCP socket.
%%
%% The peer is a machine of its own; it starts the node under test, which keeps a witness: a process behind a socket,
%% which is asked all the time, and must answer within `?MOST_MS'. A case after which it did not is played again, and
%% counts only if it never does: hosts are busy. The node must live, what it holds must be bounded while it is under
%% attack, and it must keep nothing of it.
%%
%% The protocol: https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html
-module(peers).
-export([start/0, node/0]).
%% This module is the node's port mapper too (`-epmd_module').
-export([start_link/0, register_node/3, listen_port_please/2, port_please/2, names/1]).

-define(COOKIE, "a cookie").
-define(MOST_MS, 50).
%% How often a case is played until it counts that the witness was not answered in time.
-define(TIMES, 6).
-define(FLAGS, 16#d07df7fbc).
%% Bytes of what takes long to read, at most.
-define(LARGE, 4_000_000).
%% By how much the node may grow, in kilobytes: in the end, and at any time.
-define(KEPT, 100_000).
-define(PEAK, 500_000).
-define(MODES, [raw, 1, 2, 4, line, http, http_bin, httph, cdr, sunrm, tpkt, asn1, fcgi, ssl_tls]).

%%% The node under test.

start_link() -> ignore.
register_node(_Name, Port, _Family) -> persistent_term:put(?MODULE, Port), {ok, 1}.
listen_port_please(_Name, _Host) -> {ok, 0}.
port_please(_Name, _Host) -> noport.
names(_Host) -> {error, address}.

node() ->
    logger:set_primary_config(level, none),
    register(sink, spawn(fun sink/0)),
    Witness = listener([{packet, line}], fun witness/1),
    Sockets = [listener([{packet, Mode}], fun(S) -> reader(S, N rem 3) end) || {N, Mode} <- lists:enumerate(?MODES)],
    io:format("~w.~n", [{persistent_term:get(?MODULE), Witness, Sockets}]).

sink() -> receive _ -> sink() end.

%% The port of a listener, which has a process of its own.
listener(Options, Fun) ->
    Self = self(),
    spawn(fun() ->
        {ok, Listener} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}, {backlog, 100} | Options]),
        {ok, Port} = inet:port(Listener),
        Self ! {port, Port},
        accept(Listener, Fun)
    end),
    receive {port, Port} -> Port end.

accept(Listener, Fun) ->
    {ok, Socket} = gen_tcp:accept(Listener),
    Pid = spawn(fun() -> receive go -> Fun(Socket) end end),
    ok = gen_tcp:controlling_process(Socket, Pid),
    Pid ! go,
    accept(Listener, Fun).

witness(Socket) ->
    case gen_tcp:recv(Socket, 0) of
        {ok, <<"held", _/binary>>} ->
            [erlang:garbage_collect(P) || P <- processes()],
            gen_tcp:send(Socket, io_lib:format("~w.~n", [held()])),
            witness(Socket);
        {ok, _} -> gen_tcp:send(Socket, "here\n"), witness(Socket);
        _ -> gen_tcp:close(Socket)
    end.

held() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    Number = fun(Name) ->
        {match, [Text]} = re:run(Status, Name ++ ":\\s+(\\d+)", [{capture, all_but_first, list}]),
        list_to_integer(Text)
    end,
    {Number("VmRSS"), Number("VmHWM"), erlang:system_info(process_count), erlang:system_info(port_count),
     length(nodes(connected))}.

%% Takes what comes, at once, one by one, or when it asks.
reader(Socket, 0) ->
    case gen_tcp:recv(Socket, 0, 2000) of {ok, _} -> reader(Socket, 0); _ -> gen_tcp:close(Socket) end;
reader(Socket, How) ->
    inet:setopts(Socket, [{active, case How of 1 -> true; 2 -> once end}]),
    receive
        {tcp_closed, _} -> ok;
        {tcp_error, _, _} -> gen_tcp:close(Socket);
        _ -> reader(Socket, How)
    after 2000 -> gen_tcp:close(Socket)
    end.

%%% The peer.

%% `start Seed First Count Machine Flags...': plays the cases with the numbers from the first on; prints what is wrong,
%% and the counts.
start() ->
    [Seed, First, Count | Command] = init:get_plain_arguments(),
    [Machine | Flags] = Command,
    [Chosen, From, Cases] = [list_to_integer(Word) || Word <- [Seed, First, Count]],
    Node = start_node(Machine, Flags),
    {_, Witness, _} = Ports = told(Node, []),
    Waits = [asked(Witness), asked(listener([{packet, line}], fun witness/1))],
    %% Some cases make what stays.
    _ = [play({Chosen, -N}, Ports) || N <- lists:seq(1, 20)],
    Before = held(Witness),
    Numbers = lists:seq(From, From + Cases - 1),
    Judged = [judge({Chosen, Number}, Ports, Waits, ?TIMES, {infinity, none}) || Number <- Numbers],
    After = quiet(Witness, Before, 100),
    Slow = [Case || {slow, Case} <- Judged],
    Wrong = kept(Before, After),
    io:format("~b cases, the witness waited for ~.1f ms at most, ~b to ~b kilobytes, ~b at most~n",
        [Cases, lists:max([Ms || {_, {_, _, Ms}} <- Judged]), element(1, Before), element(1, After),
         element(2, After)]),
    [io:format("  ~s: ~b cases, ~.1f ms at most~n", [Kind, Times, Ms]) || {Kind, {Times, Ms}} <- of_each_kind(Judged)],
    [io:format("SLOW in ~w: ~w, ~.1f ms~n", [Number, Kind, Ms]) || {Number, Kind, Ms} <- Slow],
    [io:format("KEPT ~w~n", [What]) || What <- Wrong],
    io:format("~b passed, ~b failed~n", [Cases - length(Slow), length(Slow) + length(Wrong)]),
    catch port_close(Node),
    halt(min(1, length(Slow) + length(Wrong))).

%% How many cases there were of each kind, and the longest wait of the witness in one.
of_each_kind(Judged) ->
    Add = fun({_, {_, Kind, Ms}}, Kinds) ->
        maps:update_with(kind(Kind), fun({Times, Most}) -> {Times + 1, max(Most, Ms)} end, {1, Ms}, Kinds)
    end,
    lists:sort(maps:to_list(lists:foldl(Add, #{}, Judged))).

kind({packet, {Kind, _}}) -> Kind;
kind({packet, Kind}) -> Kind;
kind(Case) -> element(1, Case).

start_node(Machine, Flags) ->
    %% It ends with its input.
    Arguments = Flags ++ ["-noinput", "-name", "node@127.0.0.1", "-setcookie", ?COOKIE, "-start_epmd", "false",
                          "-epmd_module", "peers", "-pa", filename:dirname(code:which(?MODULE)), "-s", "peers", "node"],
    open_port({spawn_executable, "/bin/sh"}, [{line, 1000}, exit_status, {args, ["-c",
        "\"$0\" \"$@\" & node=$!; while read line; do :; done; kill -9 $node", Machine | Arguments]}]).

told(Node, Lines) ->
    receive
        {Node, {data, {eol, "{" ++ _ = Line}}} ->
            {ok, Tokens, _} = erl_scan:string(Line),
            {ok, Ports} = erl_parse:parse_term(Tokens),
            Ports;
        {Node, {data, {_, Line}}} -> told(Node, [Line | Lines]);
        {Node, {exit_status, _}} -> lost("does not start", Lines)
    after 30000 -> lost("does not say that it has started", Lines)
    end.

lost(What, Lines) ->
    io:format("the node ~s~n~0tp~n0 passed, 1 failed~n", [What, lists:reverse(Lines)]),
    halt(1).

connected(Port, Options) ->
    case gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}, {nodelay, true} | Options], 20000) of
        {ok, Socket} -> Socket;
        Error -> lost(io_lib:format("does not take a connection: ~w", [Error]), [])
    end.

%% Asks a witness all the time. Two numbers follow, in microseconds: the longest time until an answer, and since when
%% one is awaited.
asked(Port) ->
    Longest = atomics:new(2, []),
    spawn_opt(fun() -> ask(connected(Port, [{packet, line}]), Longest) end, [link, {priority, high}]),
    Longest.

ask(Socket, Longest) ->
    Began = erlang:monotonic_time(microsecond),
    atomics:put(Longest, 2, Began),
    ok = gen_tcp:send(Socket, "are you there\n"),
    case gen_tcp:recv(Socket, 0, 30000) of
        {ok, <<"here\n">>} -> ok;
        Other -> lost(io_lib:format("has lost its witness: ~w", [Other]), [])
    end,
    Took = erlang:monotonic_time(microsecond) - Began,
    atomics:put(Longest, 2, 0),
    Took > atomics:get(Longest, 1) andalso atomics:put(Longest, 1, Took),
    timer:sleep(1),
    ask(Socket, Longest).

%% How long the longest wait is, in milliseconds.
waited(Longest) ->
    Awaited = case atomics:get(Longest, 2) of 0 -> 0; Since -> erlang:monotonic_time(microsecond) - Since end,
    max(Awaited, atomics:get(Longest, 1)) / 1000.

held(Witness) ->
    Socket = connected(Witness, [{packet, line}]),
    ok = gen_tcp:send(Socket, "held\n"),
    {ok, Line} = gen_tcp:recv(Socket, 0, 30000),
    gen_tcp:close(Socket),
    {ok, Tokens, _} = erl_scan:string(binary_to_list(Line)),
    {ok, Held} = erl_parse:parse_term(Tokens),
    Held.

%% What was left in the middle ends after some seconds.
quiet(Witness, Before, Times) ->
    Held = held(Witness),
    case kept(Before, Held) of
        [] -> Held;
        _ when Times =:= 0 -> Held;
        _ -> timer:sleep(200), quiet(Witness, Before, Times - 1)
    end.

kept({Before, _, Processes, Ports, _}, {After, Peak, ProcessesThen, PortsThen, NodesThen}) ->
    [{kilobytes, Before, After} || After > Before + ?KEPT] ++
        [{kilobytes_at_most, Before, Peak} || Peak > Before + ?PEAK] ++
        [{processes, Processes, ProcessesThen} || ProcessesThen > Processes] ++
        [{ports, Ports, PortsThen} || PortsThen > Ports] ++ [{nodes, NodesThen} || NodesThen > 0].

%% What this machine's own witness waits for is the host's fault.
judge({_, Number}, _, _, 0, {Ms, Kind}) -> {slow, {Number, Kind, Ms}};
judge({_, Number} = Case, Ports, [Longest, Own] = Waits, Times, Least) ->
    [atomics:put(Wait, 1, 0) || Wait <- Waits],
    Kind = play(Case, Ports),
    timer:sleep(3),
    Ms = max(0.0, waited(Longest) - waited(Own)),
    case Ms > ?MOST_MS of
        false -> {sound, {Number, Kind, Ms}};
        true ->
            %% The rest of this one shall not count as the next one's.
            settle(Longest),
            judge(Case, Ports, Waits, Times - 1, min({Ms, Kind}, Least))
    end.

settle(Longest) ->
    atomics:put(Longest, 1, 0),
    timer:sleep(20),
    case atomics:get(Longest, 1) of
        Took when Took > 0, Took < 1000 * ?MOST_MS -> ok;
        _ -> settle(Longest)
    end.

%% Plays a case, waits until the node has done with it, and returns what it was.
play({Seed, Number}, {Distribution, _, Sockets}) ->
    rand:seed(exsss, {Seed, Number, 0}),
    case rand:uniform(10) of
        1 -> handshake(Distribution);
        N when N < 5 ->
            Place = rand:uniform(length(?MODES)),
            stream(lists:nth(Place, ?MODES), lists:nth(Place, Sockets));
        _ -> packet(Distribution, Number)
    end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

%% Sends it all, and waits until the other side has read it, or closes; a wait is not long, because it may want more.
pour(Socket, Data) -> pour(Socket, Data, 300).

pour(Socket, Data, Ms) ->
    inet:setopts(Socket, [{send_timeout, 2000}]),
    _ = gen_tcp:send(Socket, Data),
    _ = gen_tcp:shutdown(Socket, write),
    _ = gen_tcp:recv(Socket, 0, Ms),
    gen_tcp:close(Socket).

%%% Handshakes.

handshake(Port) ->
    Socket = connected(Port, []),
    {Kind, Data} = one_of([
        {empty, <<>>}, {noise, rand:bytes(rand:uniform(1000))}, {long, <<16#ffff:16, (rand:bytes(65535))/binary>>},
        {unfinished, <<100:16, "N">>}, {web, <<"GET / HTTP/1.1\r\n\r\n">>},
        {long_name, framed(name(binary:copy(<<"a">>, one_of([255, 256, 300, 60_000]))))},
        {strange_name, framed(name(one_of([<<"a">>, <<"a@b@c">>, <<"@">>, <<"a\nb@c">>, <<0, 255, "@x">>, <<>>])))},
        {twice, [framed(name(<<"twice@127.0.0.1">>)), framed(name(<<"twice@127.0.0.1">>))]},
        {wrong_digest, [framed(name(<<"wrong@127.0.0.1">>)), framed(<<"r", 1:32, (rand:bytes(16))/binary>>)]},
        {many, [framed(<<"n", 5:16, 0:32, "x">>) || _ <- lists:seq(1, 1000)]}]),
    pour(Socket, Data, 100),
    {handshake, Kind}.

framed(Bytes) -> <<(byte_size(Bytes)):16, Bytes/binary>>.

name(Name) -> <<"N", ?FLAGS:64, 1:32, (byte_size(Name)):16, Name/binary>>.

%% A connection after a handshake that succeeds.
joined(Port, Name, Flags) ->
    Socket = connected(Port, [{packet, 2}]),
    ok = gen_tcp:send(Socket, <<"N", Flags:64, 1:32, (byte_size(Name)):16, Name/binary>>),
    case gen_tcp:recv(Socket, 0, 10000) of
        {ok, <<"sok", _/binary>>} ->
            {ok, <<"N", _:64, Challenge:32, _/binary>>} = gen_tcp:recv(Socket, 0, 10000),
            ok = gen_tcp:send(Socket, <<"r", 1:32, (erlang:md5([?COOKIE, integer_to_list(Challenge)]))/binary>>),
            {ok, <<"a", _/binary>>} = gen_tcp:recv(Socket, 0, 10000),
            inet:setopts(Socket, [{packet, 4}]),
            Socket;
        %% The former connection of this name is still there.
        _ -> gen_tcp:close(Socket), timer:sleep(20), joined(Port, Name, Flags)
    end.

%%% Packets of a connection.

packet(Port, Number) ->
    Name = iolist_to_binary(io_lib:format("peer~b@127.0.0.1", [abs(Number) rem 50])),
    Plain = rand:uniform(3) =:= 1,
    Flags = case Plain of true -> ?FLAGS band bnot 16#802000; false -> ?FLAGS end,
    Socket = joined(Port, Name, Flags),
    {Kind, Packets} = packets(Plain, Name, rand:uniform(12)),
    case Kind of
        _ when Kind =:= lying; Kind =:= noise ->
            inet:setopts(Socket, [{packet, raw}]),
            pour(Socket, Packets);
        _ ->
            [gen_tcp:send(Socket, Packet) || Packet <- Packets],
            pour(Socket, [], 3000)
    end,
    {packet, Kind}.

front(true) -> <<112, 131>>;
front(false) -> <<131, 68, 0>>.

payload_front(true) -> <<131>>;
payload_front(false) -> <<>>.

packets(Plain, Name, What) when What < 4 ->
    {Kind, Bytes} = large(),
    Target = one_of([sink, nobody, net_kernel]),
    {{message, Kind}, [[front(Plain), bare({6, pid(Name), '', Target}), payload_front(Plain), Bytes]]};
packets(Plain, _, What) when What < 6 ->
    {Kind, Bytes} = large(),
    {{control, Kind}, [[front(Plain), Bytes]]};
packets(Plain, Name, 6) ->
    %% Many small ones: links, monitors, exits and messages for nobody.
    Control = one_of([fun(N) -> {1, pid(Name, N), pid(Name, N)} end,
                      fun(N) -> {19, pid(Name, N), sink, reference(Name, N)} end,
                      fun(N) -> {19, pid(Name, 1), nobody, reference(Name, N)} end,
                      fun(N) -> {20, pid(Name, 1), sink, reference(Name, N)} end,
                      fun(N) -> {8, pid(Name, N), pid(Name, N), bye} end,
                      fun(N) -> {35, N, pid(Name, N), pid(Name, N)} end,
                      fun(N) -> {29, reference(Name, N), pid(Name, 1), pid(Name, 1), {erlang, self, 0}, []} end]),
    Length = one_of([100, 20_000]),
    {flood, [[front(Plain), bare(Control(N)), case element(1, Control(N)) of
                                                   29 -> [payload_front(Plain), bare([])];
                                                   _ -> []
                                               end] || N <- lists:seq(1, Length)]};
packets(_, _, 7) ->
    %% Fragments that are begun and never ended, with numbers that are alike in their last bits.
    Step = 1 bsl one_of([0, 8, 16, 32, 48]),
    {begun, [<<131, 69, (N * Step):64, 5:64, 0, 104>> || N <- lists:seq(1, one_of([10, 2000]))]};
packets(_, Name, 8) ->
    Body = iolist_to_binary([bare({6, pid(Name), '', sink}), element(2, large())]),
    Part = max(1, byte_size(Body) div one_of([3, 500])),
    All = parts(Body, Part),
    Count = length(All),
    Fragments = [case N of
                     Count -> [<<131, 69, 7:64, Count:64, 0>>, P];
                     _ -> [<<131, 70, 7:64, N:64>>, P]
                 end || {N, P} <- lists:zip(lists:seq(Count, 1, -1), All)],
    {fragments, case rand:uniform(3) of
                    1 -> lists:droplast(Fragments);
                    2 -> [hd(Fragments) | lists:reverse(tl(Fragments))];
                    3 -> Fragments
                end};
packets(_, _, 9) ->
    %% References to atoms that were never told, or new ones for all places.
    case rand:uniform(2) of
        1 ->
            Places = [binary:copy(<<0>>, 128), rand:bytes(255)],
            {cache, [[<<131, 68, 255>>, Places, <<104, 2, 97, 6, 82, 9>>]]};
        2 ->
            {cache, [iolist_to_binary([131, 68, 1, 8 bor (N bsr 8), N band 255, 3, one_of(["abc", "xyz", "net"]), 104, 1, 97, 1])
                     || N <- lists:seq(0, 2047)]}
    end;
packets(_, _, 10) ->
    {lying, [<<(one_of([16#7fffffff, 16#ffffffff, 100_000_000])):32>>, rand:bytes(rand:uniform(100_000))]};
packets(_, _, 11) -> {noise, rand:bytes(one_of([10, 1000, 1_000_000]))};
packets(Plain, Name, 12) ->
    {broken, [begin
                  Whole = iolist_to_binary([front(Plain), bare({6, pid(Name), '', sink}), payload_front(Plain),
                      element(2, large())]),
                  binary:part(Whole, 0, rand:uniform(byte_size(Whole)))
              end]}.

parts(Bytes, Size) when byte_size(Bytes) > Size ->
    <<Part:Size/binary, Rest/binary>> = Bytes,
    [Part | parts(Rest, Size)];
parts(Bytes, _) -> [Bytes].

bare(Term) -> <<131, Bytes/binary>> = term_to_binary(Term, [{minor_version, 2}]), Bytes.

pid(Name) -> pid(Name, 5).

pid(Name, Number) ->
    binary_to_term(<<131, 88, 119, (byte_size(Name)), Name/binary, Number:32, 0:32, 1:32>>).

reference(Name, Number) ->
    binary_to_term(<<131, 90, 3:16, 119, (byte_size(Name)), Name/binary, 1:32, Number:32, 2:32, 3:32>>).

%% A term in the external format that is long, deep, or large once it is read.
large() ->
    Size = one_of([1000, 100_000, ?LARGE]),
    Kind = one_of([binary, string, list, tuples, lists, map, packed, number, improper, atoms, bits, funs]),
    {Kind, large(Kind, Size)}.

large(binary, Size) -> [<<109, Size:32>>, binary:copy(<<255>>, Size)];
large(string, Size) ->
    Count = Size div 65538,
    [<<108, Count:32>>, binary:copy(<<107, 65535:16, 1:(65535 * 8)>>, Count), 106];
large(list, Size) -> [<<108, (Size div 5):32>>, binary:copy(<<98, 1, 2, 3, 4>>, Size div 5), 106];
large(tuples, Size) -> [binary:copy(<<104, 1>>, Size div 2), 106];
large(lists, Size) -> [binary:copy(<<108, 1:32>>, Size div 6), 106, binary:copy(<<106>>, Size div 6)];
large(map, Size) ->
    Count = Size div 10,
    [<<116, Count:32>>, [<<98, N:32, 98, 1, 2, 3, 4>> || N <- lists:seq(1, Count)]];
large(packed, Size) ->
    Raw = iolist_to_binary([<<109, (4 * Size):32>>, binary:copy(<<0>>, 4 * Size)]),
    [<<80, (byte_size(Raw)):32>>, zlib:compress(Raw)];
large(number, Size) ->
    Bytes = min(Size, 1_000_000),
    [<<111, Bytes:32, 0>>, binary:copy(<<255>>, Bytes)];
large(improper, Size) -> [<<108, (Size div 2):32>>, binary:copy(<<97, 1>>, Size div 2), 97, 1];
large(atoms, Size) -> [<<108, (Size div 6):32>>, binary:copy(<<119, 4, "sink">>, Size div 6), 106];
large(bits, Size) -> [<<77, Size:32, 3>>, binary:copy(<<1>>, Size)];
large(funs, Size) ->
    One = <<113, 119, 6, "erlang", 119, 4, "self", 97, 0>>,
    [<<108, (Size div byte_size(One)):32>>, binary:copy(One, Size div byte_size(One)), 106].

%%% Packets of a stream, in each mode.

stream(Mode, Port) ->
    Socket = connected(Port, []),
    Kind = one_of([noise, long, claims, parts, many]),
    case Kind of
        parts -> [gen_tcp:send(Socket, Byte) || <<Byte:1/binary>> <= sound(Mode, 10)];
        _ -> ok
    end,
    pour(Socket, bytes(Kind, Mode)),
    {stream, Mode, Kind}.

bytes(noise, _) -> rand:bytes(one_of([10, 1000, ?LARGE]));
bytes(long, _) -> binary:copy(one_of([<<"a">>, <<0>>, <<"a: b">>, <<"GET ">>, <<" ">>, <<"a\r\n ">>]), ?LARGE div 4);
bytes(claims, Mode) -> [claim(Mode), rand:bytes(1000)];
bytes(parts, _) -> [];
bytes(many, Mode) -> binary:copy(iolist_to_binary(sound(Mode, one_of([0, 1, 100]))), 10_000).

%% A header that says that more follows than does.
claim(1) -> <<255>>;
claim(2) -> <<16#ffff:16>>;
claim(4) -> <<(one_of([16#7fffffff, 16#ffffffff, 16#4000000, 16#3ffffff])):32>>;
claim(Mode) when Mode =:= http; Mode =:= http_bin -> ["GET /", binary:copy(<<"a/">>, 100_000)];
claim(httph) -> [binary:copy(<<"header: value\r\n">>, 10_000), "unfinished"];
claim(cdr) -> <<"GIOP", 1, 2, 0, 0, 16#ffffffff:32>>;
claim(sunrm) -> <<16#ffffffff:32>>;
claim(tpkt) -> <<3, 0, 16#ffff:16>>;
claim(asn1) -> one_of([<<16#30, 16#84, 16#ffffffff:32>>, <<16#1f, (binary:copy(<<255>>, 100_000))/binary>>,
                       <<16#30, 16#ff, (binary:copy(<<255>>, 127))/binary>>]);
claim(fcgi) -> <<1, 1, 1:16, 16#ffff:16, 255, 0>>;
claim(ssl_tls) -> one_of([<<22, 3, 1, 16#ffff:16>>, <<16#ff, 16#ff, 1, 3>>]);
claim(_) -> binary:copy(<<"no end of a line">>, 1000).

sound(raw, Size) -> rand:bytes(Size);
sound(1, Size) -> <<Size, (rand:bytes(Size))/binary>>;
sound(2, Size) -> <<Size:16, (rand:bytes(Size))/binary>>;
sound(4, Size) -> <<Size:32, (rand:bytes(Size))/binary>>;
sound(line, Size) -> <<(binary:copy(<<"l">>, Size))/binary, "\n">>;
sound(Mode, Size) when Mode =:= http; Mode =:= http_bin ->
    <<"GET /", (binary:copy(<<"p">>, Size))/binary, " HTTP/1.1\r\nHost: a\r\n\r\n">>;
sound(httph, Size) -> <<"Name: ", (binary:copy(<<"v">>, Size))/binary, "\r\n">>;
sound(cdr, Size) -> <<"GIOP", 1, 2, 0, 0, Size:32, (rand:bytes(Size))/binary>>;
sound(sunrm, Size) -> <<Size:32, (rand:bytes(Size))/binary>>;
sound(tpkt, Size) -> <<3, 0, (Size + 4):16, (rand:bytes(Size))/binary>>;
sound(asn1, Size) -> <<16#30, Size, (rand:bytes(Size))/binary>>;
sound(fcgi, Size) -> <<1, 1, 1:16, Size:16, 0, 0, (rand:bytes(Size))/binary>>;
sound(ssl_tls, Size) -> <<22, 3, 1, Size:16, (rand:bytes(Size))/binary>>.
