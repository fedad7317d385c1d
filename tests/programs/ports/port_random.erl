%% Random ports, by seed, eight at a time: options, what the program writes and how it ends, what is sent to it and how,
%% who is connected. What a port tells is the same however its data arrive in pieces.
%% timeout: 100
-module(port_random).
-export([main/0, main/2, trace/1]).

main() -> main(1, 96).

main(From, To) ->
    %% Bad data are reported, whenever that may be.
    ok = logger:set_primary_config(level, none),
    Before = descriptors(),
    rounds(From, To),
    see:value(left, apart:wait(fun() -> {max(0, descriptors() - Before), children(),
        [] =:= [P || P <- erlang:ports(), is_program(P)]} end,
                         {0, 0, true}, 200)).

rounds(From, To) when From > To -> ok;
rounds(From, To) ->
    Last = min(From + 7, To),
    Runs = [{Seed, spawn_monitor(fun() -> exit({trace, trace(Seed)}) end)} || Seed <- lists:seq(From, Last)],
    [receive {'DOWN', Ref, process, Pid, {trace, {Kind, Trace}}} ->
        io:format("~b ~0p~n", [Seed, {Kind, summary(Trace)}]);
             {'DOWN', Ref, process, Pid, Why} -> io:format("~b ~0p~n", [Seed, Why])
     end || {Seed, {Pid, Ref}} <- Runs],
    rounds(Last + 1, To).

%% Short ones as they are.
summary(Trace) ->
    case erlang:external_size(Trace) > 150 of
        true -> {length(Trace), erlang:phash2(Trace), lists:last(Trace)};
        false -> Trace
    end.

pick(L) -> lists:nth(rand:uniform(length(L)), L).
chance(N) -> rand:uniform(N) =:= 1.

%% All that one port told, and what its senders were answered.
trace(Seed) ->
    process_flag(trap_exit, true),
    rand:seed(exsss, {Seed, 3, 33}),
    Framing = pick([stream, stream, {packet, 1}, {packet, 2}, {packet, 4}, {line, 1}, {line, 7}, {line, 80},
        {line, 5000}]),
    Switches = [S || S <- [binary, eof, exit_status], chance(2)] ++ [{parallelism, true} || chance(3)]
        ++ [{busy_limits_port, {pick([1, 500]), pick([500, 30000])}} || chance(4)] ++
            [{busy_limits_msgq, disabled} || chance(8)],
    Kind = pick([echo, echo, writes, writes_and_is_killed, counted, deaf, mute, leaves_another, watched, watched,
        surroundings, one_way, command]),
    Trace = run(Kind, Framing, [Framing | Switches], Seed),
    {{Kind, Framing, [S || S <- Switches, is_atom(S)]}, Trace}.

open(Script, Arguments, Options) ->
    open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Script, "sh" | Arguments]} | Options]).

%% What is sent comes back, and then the port is closed or torn down.
run(echo, Framing, Options, _) ->
    Port = case chance(2) of true -> open_port({spawn, "/bin/cat"}, Options); false -> open("exec cat", [], Options)
        end,
    Messages = [message(Framing) || _ <- lists:seq(1, rand:uniform(60))],
    Sender = pick([self, self, other, several]),
    Seed = {rand:uniform(1 bsl 30), 1, 2},
    Answers = sent(Sender, Port, Messages, Seed),
    Expected = iolist_size(Messages),
    Data = gather(Port, Framing, Expected, length(Messages)),
    %% Less than a byte is nothing, but in a packet it would come back.
    Nothing = case Framing of {packet, _} -> []; _ -> [<<1:3>>, [<<1:7>> | <<1:1>>]] end,
    Bad = [answer(fun() -> port_command(Port, B) end) || B <- [x, [256], <<1:9>>, [<<"a">> | b], [-1], #{} | Nothing],
        chance(3)],
    Told = case pick([close, message, connect, kill]) of
               close -> [answer(fun() -> port_close(Port) end), ended(Port)];
               message -> Port ! {self(), close}, [receive {Port, closed} -> closed after 20000 -> none end];
               connect ->
                   Me = self(),
                   Other = spawn_link(fun() -> Me ! {self(), rest(Port)} end),
                   Port ! {self(), {connect, Other}},
                   Ok = receive {Port, connected} -> connected after 20000 -> none end,
                   exit(Port, done),
                   [Ok, ended(Port)];
               kill ->
                   signalled(Port, "KILL"),
                   rest(Port)
           end,
    [Answers, same(Data, Messages, Framing), Data, Bad, Told];

%% Random bytes in random pieces, whatever the framing makes of them, and a status or a signal.
run(Kind, Framing, Options, Seed) when Kind =:= writes; Kind =:= writes_and_is_killed ->
    Bytes = iolist_to_binary([framed(Framing, rand:uniform(pick([3, 50, 3000])))
        || _ <- lists:seq(1, rand:uniform(30))]),
    Cut = binary:part(Bytes, 0, max(0, byte_size(Bytes) - pick([0, 0, 1, 2, 7]))),
    File = file(Seed, Cut),
    End = case Kind of
              writes -> "exit " ++ integer_to_list(pick([0, 1, 2, 127, 128, 255]));
              writes_and_is_killed -> "kill -" ++ integer_to_list(pick([1, 2, 3, 6, 9, 13, 14, 15])) ++ " $$"
          end,
    Piece = integer_to_list(pick([1, 13, 100, 1024, 100000])),
    Count = integer_to_list(pick([3, 20])),
    Port = open("ulimit -c 0; dd if=\"$1\" bs=$2 count=$3 2>/dev/null; tail -c +$(($2 * $3 + 1)) \"$1\"; " ++ End,
                [File, Piece, Count], [{parallelism, false} | Options]),
    Told = rest(Port),
    ok = file:delete(File),
    Told;

%% It takes so many bytes and ends.
run(counted, _, Options, _) ->
    Size = rand:uniform(100000),
    Port = open("head -c $1 | cksum; exit 4", [integer_to_list(Size)],
        [stream, {packet, 4}, {line, 100}, stream | lists:delete(eof, tl(Options))] -- [{packet, 4}, {line, 100}]),
    Answers = sent(self, Port, pieces(crypto_free_bytes(Size)), {Size, 1, 1}),
    [lists:usort(Answers), rest(Port)];

%% It reads nothing and leaves: whoever waits is let go.
run(deaf, _, Options, _) ->
    Port = open("exec sleep 1000", [], Options),
    Me = self(),
    Fill = binary:copy(<<"x">>, 200),
    Senders = [spawn_link(fun() -> Me ! {self(), answers(fun() -> port_command(Port, Fill) end, 2000)} end)
        || _ <- [1, 2, 3]],
    still(Senders, Port, 500),
    signalled(Port, "TERM"),
    %% Whether it sees the end of its output first, or that nobody takes its input, is chance.
    _ = rest(Port),
    Ends = [receive {S, Answer} -> Answer after 20000 -> stuck end || S <- Senders],
    lists:usort(Ends);

%% It closes its output: that is the end, unless it is to be told as such.
run(mute, _, Options, Seed) ->
    File = file(Seed, <<>>),
    Port = open("exec >&-; cat >\"$1\"; echo over >>\"$1\"", [File], Options),
    Told = case lists:member(eof, Options) andalso not lists:member(exit_status, Options) of
               true ->
                   Eof = receive {Port, eof} -> eof after 20000 -> none end,
                   port_close(Port),
                   [Eof | rest(Port)];
               false ->
                   case lists:member(exit_status, Options) of
                       true -> port_close(Port), rest(Port);
                       false -> rest(Port)
                   end
           end,
    Over = apart:wait(fun() -> {ok, B} = file:read_file(File), B end, <<"over\n">>, 400),
    ok = file:delete(File),
    [Told, Over];

%% It leaves a program behind that has its output still.
run(leaves_another, _, Options, Seed) ->
    Fifo = name(Seed) ++ ".fifo",
    [] = os:cmd("mkfifo '" ++ Fifo ++ "'"),
    Port = open("{ read -r line <\"$1\"; printf '\\001Z\\n'; } & exit 9", [Fifo], [stream | tl(Options)]),
    {os_pid, Pid} = case erlang:port_info(Port, os_pid) of undefined -> {os_pid, 0}; Known -> Known end,
    apart:wait(fun() -> state(Pid) end, gone, 400),
    Early = receive {Port, _} -> early; {'EXIT', Port, _} -> early after 0 -> nothing end,
    [] = os:cmd("echo go >'" ++ Fifo ++ "'"),
    Told = rest(Port),
    ok = file:delete(Fifo),
    [Early | Told];

%% Processes link to it and watch it, by its identifier or its name, and some undo that; it ends somehow. (With a reason
%% that is no atom, stock leaves who watches the port waiting until something else comes.)
run(watched, _, Options, Seed) ->
    Ends = pick([close, message, exit, kill, closes_output, owner]),
    Me = self(),
    Script = case Ends of closes_output -> "read -r line; exit 3"; _ -> "exec cat" end,
    Name = list_to_atom("port_random_" ++ integer_to_list(Seed)),
    Owner = case Ends of owner -> spawn(fun() -> owner(Me, Script, [stream | tl(Options)]) end); _ -> Me end,
    Port = case Owner of Me -> open(Script, [], [stream | tl(Options)]); _ -> receive {Owner, P} -> P end end,
    true = register(Name, Port),
    Watchers = [begin
        Does = [pick([link, monitor, monitor_name, link_and_unlink, monitor_and_demonitor, flush, twice])
            || _ <- lists:seq(1, rand:uniform(3))],
        Traps = chance(2),
        Pid = spawn(fun() -> watcher(Me, Port, Name, Does, Traps) end),
        receive {Pid, watches} -> ok end,
        {Pid, Does, Traps}
    end || _ <- lists:seq(1, rand:uniform(6))],
    Info = [Value || Item <- [registered_name, parallelism, name, monitors, queue_size, locking],
        {_, Value} <- [erlang:port_info(Port, Item)]],
    Known = [length(element(2, erlang:port_info(Port, Item))) || Item <- [links, monitored_by]],
    Asked = [answer(fun() -> register(pick([Name, kernel_sup, undefined]), Port) end), whereis(Name) =:= Port],
    Told = case Ends of
               close -> [answer(fun() -> port_close(pick([Port, Name])) end), ended(Port)];
               message -> pick([Port, Name]) ! {Me, close}, [receive {Port, closed} -> closed after 20000 -> none end];
               exit -> exit(Port, pick([normal, kill, enough])), [ended(Port)];
               kill -> signalled(Port, "KILL"), rest(Port);
               closes_output -> Name ! {Me, {command, "go\n"}}, rest(Port);
               owner -> exit(Owner, pick([kill, normal, bad])), [catch exit(Owner, kill)]
           end,
    Ends1 = [receive {W, What} -> What after 20000 -> {stuck, Does} end || {W, Does, _} <- Watchers],
    [Ends, Info, Known, Asked, Told, Ends1, whereis(Name), erlang:port_info(Port)];

%% Arguments, environment and directory of any kind.
run(surroundings, _, Options, _) ->
    Word = fun() -> [pick([$a, $b, $\s, $', $", $$, $\\, $*, $\t, $\n, 228, 955, 128512])
        || _ <- lists:seq(1, rand:uniform(6))] end,
    Arguments = [pick([Word(), unicode:characters_to_binary(Word()), "", <<>>, <<255, 254>>])
        || _ <- lists:seq(1, rand:uniform(5))],
    Names = ["RANDOM_A", "RANDOM_B", "RANDOM_C"],
    Environment = [{pick(Names), pick([Word(), false, "", "x=y"])} || _ <- lists:seq(1, rand:uniform(4))],
    Show = "for a in \"$0\" \"$@\" \"${RANDOM_A-none}\" \"${RANDOM_B-none}\" \"${RANDOM_C-none}\"; do printf '<%s>' \"$a\"; done; pwd",
    More = [{cd, pick(["/", "/usr", <<"/usr/lib">>, "/usr/../usr/lib/.", 'no/../such'])}] ++
        [{arg0, pick(["x", <<"a b">>, Word()])} || chance(3)]
        ++ [{env, Environment} || chance(2)],
    case answer(fun() -> open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Show | Arguments]} | More] ++
        [stream | tl(Options)]) end) of
        Port when is_port(Port) -> [case What of {data, D} -> {data, unicode:characters_to_binary(D)}; _ -> What
            end || What <- rest(Port)];
        Refused -> Refused
    end;

%% Only in, only out, other descriptors, both outputs in one.
run(one_way, _, Options, Seed) ->
    File = file(Seed, <<>>),
    {Script, Ways} = pick([
        {"echo in $X; exit 3", [in, {env, [{"X", "y"}]}]},
        {"cat >\"$1\"; echo over >>\"$1\"", [out]},
        {"read -r line <&3; echo \"got $line\" >&4; exit 5", [nouse_stdio]},
        {"read -r line <&3; echo \"got $line\" >\"$1\"", [nouse_stdio, out]},
        {"echo one; echo two >&2; read -r line; echo three >&2; exit 7", [stderr_to_stdout]},
        {"read -r line; echo \"$line\" | tr a-z A-Z >&2; exit 1", [stderr_to_stdout, in, out]}]),
    Port = open(Script, [File], Ways ++ [stream | tl(Options)]),
    Can = lists:member(out, Ways) orelse not lists:member(in, Ways),
    Sent = case Can of
               true -> [answer(fun() -> port_command(Port, pick(["line\n", [<<"li">>, "ne", $\n]])) end)];
               false -> []
           end,
    Ends = case lists:member(in, Ways) orelse not lists:member(out, Ways) of
               true -> rest(Port);
               false -> [answer(fun() -> port_close(Port) end), ended(Port)]
           end,
    Text = case lists:member(out, Ways) andalso not lists:member(in, Ways) of
               true -> apart:wait(fun() -> {ok, B} = file:read_file(File),
                   binary:match(B, [<<"over\n">>, <<"got line\n">>]) =/= nomatch end, true, 400),
               {ok, B} = file:read_file(File), B;
               false -> none
           end,
    ok = file:delete(File),
    [Ways, Sent, Ends, Text];

%% Commands for a shell, and such as need none.
run(command, _, Options, _) ->
    Port = open_port({spawn,
        pick(["echo one  two", "/bin/echo 'one  two'", "echo $((1 + 2))", "exit 9", "sh -c 'exit 8'", " true", "false",
        "/bin/false",
                                   "echo a; exit 4", "kill -9 $$", "echo ä", "no_such_program 2>/dev/null",
                                   "echo a | cat", "printf a\\nb", "cd /; pwd",
                                   "env -i /bin/echo x", "X=1 env | grep ^X=", "test -t 0", "cat </dev/null",
                                   "exec 1>&-; sleep 0", "/bin/sh -c true",
                                   <<"echo binary">>, 'echo atom'])}, [stream | tl(Options)]),
    rest(Port).

%% Somebody else's port.
owner(Starter, Script, Options) ->
    process_flag(trap_exit, false),
    Port = open(Script, [], Options),
    Starter ! {self(), Port},
    receive never -> ok end.

%% Tells how its watching ended: by messages, or by its own end.
watcher(Starter, Port, Name, Does, Traps) ->
    {Pid, Ref} = spawn_monitor(fun() ->
        process_flag(trap_exit, Traps),
        Refs = lists:append([watch(D, Port, Name) || D <- Does]),
        Starter1 = receive {begin_with, S} -> S end,
        Starter1 ! ready,
        exit({told, watched(Port, Name, Refs)})
    end),
    Pid ! {begin_with, self()},
    receive ready -> ok; {'DOWN', Ref, _, _, _} -> ok end,
    Starter ! {self(), watches},
    receive {'DOWN', Ref, process, Pid, Why} -> Starter ! {self(), Why} end.

watch(link, Port, _) -> link(Port), [];
watch(link_and_unlink, Port, _) -> link(Port), unlink(Port), [];
watch(monitor, Port, _) -> [monitor(port, Port)];
watch(monitor_name, _, Name) -> [monitor(port, Name)];
watch(monitor_and_demonitor, Port, _) -> demonitor(monitor(port, Port)), [];
watch(flush, Port, _) -> demonitor(monitor(port, Port), [flush, info]), [];
watch(twice, Port, Name) -> [monitor(port, Port), monitor(port, Name)].

%% All that is known of its end; who watches nothing sees it gone.
watched(Port, Name, Refs) ->
    Downs = [receive {'DOWN', R, port, What, Why} ->
        {case What of Port -> port; {Name, N} when N =:= node() -> name; _ -> other end, Why}
             after 20000 -> silent end || R <- Refs],
    apart:wait(fun() -> erlang:port_info(Port) end, undefined, 800),
    Exits = receive {'EXIT', Port, Why2} -> [{exit, Why2}] after 0 -> [] end,
    More = receive {Kind, _, _, _, _} -> [Kind] after 0 -> [] end,
    {Downs, Exits, More}.

%% Sends messages by whatever means; who sends them in a row gets them in order.
sent(self, Port, Messages, Seed) ->
    rand:seed(exsss, Seed),
    [case rand:uniform(3) of
         1 -> port_command(Port, M);
         2 -> Port ! {self(), {command, M}}, true;
         3 -> erlang:port_command(Port, M, [])
     end || M <- Messages];
sent(other, Port, Messages, Seed) ->
    Me = self(),
    Pid = spawn_link(fun() ->
        rand:seed(exsss, Seed),
        Me ! {self(), [case rand:uniform(2) of
                           1 -> port_command(Port, M);
                           2 -> Port ! {Me, {command, M}}, true
                       end || M <- Messages]}
    end),
    receive {Pid, Answers} -> Answers after 20000 -> stuck end;
sent(several, Port, Messages, _) ->
    Me = self(),
    lists:foldl(fun(M, Answers) ->
        Pid = spawn_link(fun() -> Me ! {self(), port_command(Port, M)} end),
        receive {Pid, Answer} -> [Answer | Answers] after 20000 -> [stuck | Answers] end
    end, [], Messages).

answer(Fun) -> try Fun() catch Class:Reason -> {Class, Reason} end.

answers(_, 0) -> all;
answers(Fun, N) ->
    case answer(Fun) of
        true -> answers(Fun, N - 1);
        Other -> Other
    end.

%% A message that the framing can carry: nested, of bytes and binaries, some of them large or not at a byte's beginning.
message({line, _}) -> [part(rand:uniform(pick([5, 200])), fun() -> $a + rand:uniform(20) end), $\n];
message({packet, 1}) -> part(rand:uniform(200) - 1, fun() -> rand:uniform(256) - 1 end);
message({packet, _}) -> part(rand:uniform(pick([5, 300, 9000])) - 1, fun() -> rand:uniform(256) - 1 end);
message(stream) -> part(rand:uniform(pick([5, 300, 30000])) - 1, fun() -> rand:uniform(256) - 1 end).

part(0, _) -> pick([[], <<>>, [[] | <<>>]]);
part(Size, Byte) ->
    case pick([bytes, binary, shifted, both, both]) of
        bytes when Size < 500 -> [Byte() || _ <- lists:seq(1, Size)];
        shifted ->
            Bytes = << <<(Byte())>> || _ <- lists:seq(1, Size) >>,
            <<_:3, Rest:Size/binary, _/bits>> = <<5:3, Bytes/binary, 1:5>>,
            Rest;
        both when Size > 1 ->
            First = rand:uniform(Size - 1),
            [part(First, Byte), [], [part(Size - First, Byte)]];
        _ -> << <<(Byte())>> || _ <- lists:seq(1, Size) >>
    end.

%% Bytes that may or may not be what the framing expects.
framed({packet, N}, Size) ->
    Length = min(Size, 1 bsl (8 * N - 1)),
    Bits = 8 * N,
    [<<Length:Bits>>, crypto_free_bytes(Length)];
framed({line, _}, Size) -> [[$a + rand:uniform(20) || _ <- lists:seq(1, Size)], pick(["\n", "\r\n", "\n\n", "\r"])];
framed(stream, Size) -> crypto_free_bytes(Size).

crypto_free_bytes(Size) -> rand:bytes(Size).

pieces(<<>>) -> [];
pieces(Bytes) ->
    Size = min(byte_size(Bytes), rand:uniform(5000)),
    <<Piece:Size/binary, Rest/binary>> = Bytes,
    [Piece | pieces(Rest)].

%% What comes back: packets and lines as they are, a stream in one.
gather(Port, {packet, _}, _, Count) -> [receive {Port, {data, D}} -> D after 20000 -> none
    end || _ <- lists:seq(1, Count)];
gather(Port, {line, _}, _, Count) -> lines(Port, Count);
gather(Port, stream, Size, _) -> stream(Port, Size, []).

lines(_, 0) -> [];
lines(Port, Count) ->
    receive
        {Port, {data, {eol, _} = Line}} -> [Line | lines(Port, Count - 1)];
        {Port, {data, Part}} -> [Part | lines(Port, Count)]
    after 20000 -> none
    end.

stream(_, 0, Data) -> iolist_to_binary(Data);
stream(Port, Size, Data) ->
    receive {Port, {data, D}} -> stream(Port, Size - iolist_size(D), [Data, D]) after 20000 ->
        {only, iolist_size(Data)} end.

same(Data, Messages, {line, _}) ->
    iolist_to_binary([case L of {eol, T} -> [T, $\n]; {noeol, T} -> T end || L <- Data]) =:= iolist_to_binary(Messages);
same(Data, Messages, {packet, _}) -> [iolist_to_binary(D) || D <- Data] =:= [iolist_to_binary(M) || M <- Messages];
same(Data, Messages, stream) -> Data =:= iolist_to_binary(Messages).

ended(Port) -> receive {'EXIT', Port, Why} -> {'EXIT', Why} after 20000 -> none end.

%% All that the port tells until its end; of a stream not in which pieces.
rest(Port) -> joined(told(Port)).

told(Port) ->
    receive
        {Port, eof} -> catch port_close(Port), [eof | told(Port)];
        {Port, What} -> [What | told(Port)];
        {'EXIT', Port, Why} -> [{'EXIT', Why}]
    after 20000 -> [silent]
    end.

joined([{data, A}, {data, B} | Rest]) when not is_tuple(A) -> joined([{data, iolist_to_binary([A, B])} | Rest]);
joined([{data, A} | Rest]) when is_list(A) -> [{data, iolist_to_binary(A)} | joined(Rest)];
joined([First | Rest]) -> [First | joined(Rest)];
joined([]) -> [].

%% Until no sender gets further, or a long time.
still(_, _, 0) -> moving;
still(Senders, Port, Times) ->
    case [process_info(S, status) || S <- Senders] of
        [{status, Status}, {status, Status}, {status, Status}] when Status =:= suspended; Status =:= waiting -> still;
        _ -> receive after 10 -> still(Senders, Port, Times - 1) end
    end.

signalled(Port, Signal) ->
    case erlang:port_info(Port, os_pid) of
        {os_pid, Pid} -> os:cmd("kill -" ++ Signal ++ " " ++ integer_to_list(Pid));
        undefined -> []
    end.

name(Seed) -> filename:absname("port_random_" ++ integer_to_list(Seed)).

file(Seed, Bytes) ->
    File = name(Seed),
    ok = file:write_file(File, Bytes),
    File.

is_program(Port) ->
    case erlang:port_info(Port, name) of
        {name, "/bin/" ++ _} -> true;
        _ -> false
    end.

descriptors() ->
    {ok, Names} = file:list_dir("/proc/self/fd"),
    length(Names).

state(Pid) ->
    case file:read_file("/proc/" ++ integer_to_list(Pid) ++ "/stat") of
        {ok, Text} ->
            [_, <<State, _/binary>>] = binary:split(Text, <<") ">>),
            case State of $Z -> gone; _ -> State end;
        {error, _} -> gone
    end.

%% Zombies that are this node's, or its helper's.
children() ->
    {ok, Names} = file:list_dir("/proc"),
    All = [{Pid, binary:split(Rest, <<" ">>, [global])}
           || [C | _] = Pid <- Names, C >= $0, C =< $9,
              {ok, Text} <- [file:read_file("/proc/" ++ Pid ++ "/stat")], [_, Rest] <- [binary:split(Text, <<") ">>)]],
    Own = [os:getpid() | [Pid || {Pid, [_, Parent | _]} <- All, binary_to_list(Parent) =:= os:getpid()]],
    length([Pid || {Pid, [<<"Z">>, Parent | _]} <- All, lists:member(binary_to_list(Parent), Own)]).
