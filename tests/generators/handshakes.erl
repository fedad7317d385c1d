%% Handshakes of nodes that are none, valid and damaged, by seed.
%%
%% This node listens; workers connect to its port and say what a node says when it connects, with other names, flags,
%% digests and lengths, in another order, byte by byte, or not to the end. After a handshake that succeeds some send
%% packets, sound or not. The handshake itself is OTP's own code in Erlang; what is below is the machine's:
%% capabilities, the table of nodes, ports and connections. Nothing may end the node, and it must keep nothing:
%% processes, ports, atoms and memory are counted before and after, and a peer that does everything right gets its
%% connection in the end. The protocol: https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html
-module(handshakes).
-export([start/0]).
%% This module is the node's port mapper too (`-epmd_module').
-export([start_link/0, register_node/3, listen_port_please/2, port_please/2, names/1]).

-define(COOKIE, "a cookie").
-define(WORKERS, 200).
%% The names of peers that are valid; each makes an atom, as on stock. Cut and prolonged ones are not many.
-define(NAMES, 40).
-define(CHANGED_NAMES, 5000).
%% Milliseconds to wait for an answer. A node that hears nothing more gives up after a second (`net_setuptime').
-define(PATIENCE, 3000).

start_link() -> ignore.
register_node(_Name, Port, _Family) -> persistent_term:put(?MODULE, Port), {ok, 1}.
listen_port_please(_Name, _Host) -> {ok, 0}.
port_please(_Name, _Host) -> noport.
names(_Host) -> {error, address}.

%% `start Seed Handshakes': prints the counts.
start() ->
    logger:set_primary_config(level, none),
    [Seed, Count] = [list_to_integer(Word) || Word <- init:get_plain_arguments()],
    true = erlang:set_cookie(list_to_atom(?COOKIE)),
    %% The first rounds make what stays, but for OTP's resolver of host names: only some names ask it, and it stays once
    %% asked.
    _ = inet_gethost_native:gethostbyname("localhost"),
    _ = run(Seed + 1_000_000, min(Count div 5, 5000)),
    Before = counts(),
    Present = present(),
    Outcomes = run(Seed, Count),
    After = counts(),
    [io:format("~ts: ~b~n", [Outcome, Times]) || {Outcome, Times} <- lists:sort(maps:to_list(Outcomes))],
    [io:format("~w: ~b, then ~b~n", [What, B, A]) || {{What, B, _}, {_, A, _}} <- lists:zip(Before, After)],
    Grown = [{What, B, A} || {{What, B, Most}, {What, A, _}} <- lists:zip(Before, After), A > B + Most],
    [io:format("GREW ~w from ~b to ~b~n", [What, B, A]) || {What, B, A} <- Grown],
    [io:format("LEFT ~p~n", [Left]) || Grown =/= [], Left <- present(), not lists:keymember(element(1, Left), 1,
        Present)],
    Sound = sound(),
    io:format("~b handshakes; a sound one afterwards: ~w~n", [lists:sum(maps:values(Outcomes)), Sound]),
    halt(case {Grown, Sound} of {[], up} -> 0; _ -> 1 end).

%% What is there once all connections have ended, and by how much it may grow.
counts() ->
    quiet(100),
    [erlang:garbage_collect(P) || P <- processes()],
    timer:sleep(300),
    [{processes, erlang:system_info(process_count), 0},
     {ports, erlang:system_info(port_count), 0},
     {nodes, length(nodes(connected)), 0},
     {known, length(nodes(known)), ?CHANGED_NAMES},
     {atoms, erlang:system_info(atom_count), ?CHANGED_NAMES},
     {descriptors, length(element(2, file:list_dir("/proc/self/fd"))), 0},
     {kilobytes, (erlang:memory(processes) + erlang:memory(binary)) div 1024, 1024},
     {resident_kilobytes, resident(), 32768}].

%% Processes, ports and descriptors, to say what stayed.
present() ->
    {ok, Descriptors} = file:list_dir("/proc/self/fd"),
    [{P, process_info(P, [initial_call, current_stacktrace, links, message_queue_len, dictionary])}
        || P <- processes()] ++
        [{P, erlang:port_info(P)} || P <- erlang:ports()] ++
        [{D, file:read_link("/proc/self/fd/" ++ D)} || D <- lists:sort(Descriptors)].

%% The node's side of a handshake that was left in the middle ends with its time.
quiet(0) -> ok;
quiet(Times) ->
    case nodes(connected) =:= [] andalso [P || P <- processes(), is_handshake(P)] =:= [] of
        true -> ok;
        false -> timer:sleep(100), quiet(Times - 1)
    end.

is_handshake(Pid) ->
    case process_info(Pid, initial_call) of
        {initial_call, {Module, _, _}} -> lists:member(Module, [inet_tcp_dist, dist_util, ?MODULE])
            andalso Pid =/= self() andalso not is_acceptor(Pid);
        undefined -> false
    end.

is_acceptor(Pid) ->
    {current_function, {Module, Function, _}} = process_info(Pid, current_function),
    {Module, Function} =:= {prim_inet, accept0} orelse Function =:= accept_loop.

resident() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = string:lexemes(binary_to_list(Text), " "),
    list_to_integer(Pages) * 4.

%% Divides the handshakes among the workers; each is made by its own number.
run(Seed, Count) ->
    Self = self(),
    Numbers = atomics:new(1, []),
    Pids = [spawn_link(fun() -> Self ! {self(), work(Seed, Numbers, Count, #{})} end) || _ <- lists:seq(1, ?WORKERS)],
    lists:foldl(fun(Pid, Sum) ->
        receive {Pid, Outcomes} -> maps:merge_with(fun(_, A, B) -> A + B end, Sum, Outcomes) end
    end, #{}, Pids).

work(Seed, Numbers, Count, Outcomes) ->
    case atomics:add_get(Numbers, 1, 1) of
        Number when Number > Count -> Outcomes;
        Number ->
            _ = rand:seed(exsss, {Seed, Number, 1}),
            Outcome = attempt(),
            work(Seed, Numbers, Count, maps:update_with(Outcome, fun(N) -> N + 1 end, 1, Outcomes))
    end.

attempt() ->
    case gen_tcp:connect({127, 0, 0, 1}, persistent_term:get(?MODULE), [binary, {active, false}, {packet, raw},
        {nodelay, true}, {linger, {true, 0}}], ?PATIENCE) of
        {ok, Socket} ->
            Outcome = try introduce(Socket) catch throw:Where -> Where end,
            gen_tcp:close(Socket),
            Outcome;
        {error, Reason} -> lists:flatten(io_lib:format("no connection: ~w", [Reason]))
    end.

%% A peer that does all as it should.
sound() ->
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, persistent_term:get(?MODULE),
        [binary, {active, false}, {packet, raw}]),
    put(sound, true),
    Outcome = try introduce(Socket) catch throw:Where -> Where end,
    gen_tcp:close(Socket),
    case Outcome of "up" -> up; Other -> Other end.

%% True once in so many times; never for the sound peer.
once_in(Times) -> get(sound) =/= true andalso rand:uniform(Times) =:= 1.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).

introduce(Socket) ->
    once_in(30) andalso noise(Socket),
    Name = name(),
    Flags = flags(),
    Message = case once_in(6) of
                  true -> <<$n, 5:16, Flags:32, Name/binary>>;
                  false -> <<$N, Flags:64, 7:32, (name_size(Name)):16, Name/binary>>
              end,
    say(Socket, Message),
    status(Socket, hear(Socket, "no status")).

name_size(Name) ->
    case once_in(40) of
        true -> one_of([0, 1, 16#ffff, byte_size(Name) + 1, max(0, byte_size(Name) - 1)]);
        false -> byte_size(Name)
    end.

%% Mostly one of few valid names.
name() ->
    case get(sound) =/= true andalso rand:uniform(40) of
        1 -> <<>>;
        2 -> <<"no_host">>;
        3 -> <<"@">>;
        4 -> one_of([binary:copy(<<"a">>, 200), binary:copy(<<"@">>, 255), binary:copy(<<"c@d">>, 100),
            <<(binary:copy(<<"b">>, 251))/binary, "@h">>]);
        5 -> one_of([<<255, 254, "@host">>, <<"a", 0, "b@127.0.0.1">>, <<"spaced name@127.0.0.1">>,
            <<195, 40, "@127.0.0.1">>]);
        6 -> atom_to_binary(node());
        _ -> <<"peer", (integer_to_binary(rand:uniform(?NAMES)))/binary, "@127.0.0.1">>
    end.

%% What this release offers, less some, or anything; but no peer asks this node for a name, which makes an atom each
%% time and, with a host of 250 letters, ends OTP's own net_kernel.
flags() -> any_flags() band bnot (1 bsl 33).

any_flags() ->
    All = element(2, erts_internal:get_dflags()) bor (1 bsl 34) bor (1 bsl 2) bor (1 bsl 4),
    case get(sound) =/= true andalso rand:uniform(10) of
        1 -> All band bnot (1 bsl (rand:uniform(40) - 1));
        2 -> All bxor (1 bsl (rand:uniform(64) - 1));
        3 -> 0;
        4 -> 16#ffff_ffff_ffff_ffff;
        5 -> rand:uniform(1 bsl 64) - 1;
        _ -> All
    end.

status(Socket, <<"sok", _/binary>>) -> challenge(Socket, hear(Socket, "no challenge"));
status(Socket, <<"salive">>) ->
    say(Socket, one_of([<<"strue">>, <<"sfalse">>, <<"s">>, <<"smaybe">>])),
    challenge(Socket, hear(Socket, "not alive"));
status(_, <<"s", Other/binary>>) -> "status " ++ binary_to_list(binary:part(Other, 0, min(20, byte_size(Other))));
status(_, _) -> "strange status".

challenge(Socket, <<$N, _:64, Challenge:32, _/binary>>) -> respond(Socket, Challenge);
challenge(Socket, <<$n, 5:16, _:32, Challenge:32, _/binary>>) -> respond(Socket, Challenge);
challenge(_, _) -> "strange challenge".

respond(Socket, Challenge) ->
    %% Of the older form, what the first message had no room for.
    once_in(8) andalso say(Socket, <<$c, (rand:uniform(1 bsl 32) - 1):32, 7:32>>),
    once_in(30) andalso noise(Socket),
    Digest = case once_in(8) of
                 true -> erlang:md5(["wrong", integer_to_list(Challenge)]);
                 false -> erlang:md5([?COOKIE, integer_to_list(Challenge)])
             end,
    say(Socket, <<$r, (rand:uniform(1 bsl 32) - 1):32, Digest/binary>>),
    case hear(Socket, "no answer") of
        <<$a, _:16/binary>> -> up(Socket);
        _ -> "strange answer"
    end.

%% The connection is there.
up(Socket) ->
    case get(sound) =/= true andalso rand:uniform(6) of
        1 -> gen_tcp:send(Socket, [packet(rand:bytes(rand:uniform(40))) || _ <- [1, 2, 3]]);
        2 -> gen_tcp:send(Socket,
            [<<0:32>>, packet(<<112, (term_to_binary({6, self(), '', nobody}))/binary,
            (term_to_binary(hello))/binary>>)]);
        3 -> gen_tcp:send(Socket,
            packet(<<131, 68, 0, (tail(term_to_binary({2, '', self()})))/binary,
            (tail(term_to_binary([hello])))/binary>>));
        4 -> gen_tcp:shutdown(Socket, write), gen_tcp:recv(Socket, 0, 50);
        5 -> gen_tcp:recv(Socket, 0, rand:uniform(20));
        _ -> ok
    end,
    "up".

packet(Bytes) -> <<(byte_size(Bytes)):32, Bytes/binary>>.

tail(<<131, Rest/binary>>) -> Rest.

%% A message of the handshake with its length, as it should be or not.
say(Socket, Message) ->
    Sent = case get(sound) =/= true andalso rand:uniform(30) of
               1 -> whole(damage(Message));
               2 -> whole(binary:part(Message, 0, rand:uniform(byte_size(Message)) - 1));
               3 -> whole(<<Message/binary,
                   (one_of([<<"x">>, <<"@">>, <<0, 1, 2>>, binary:copy(<<255>>, 300)]))/binary>>);
               4 -> <<(one_of([0, 1, 16#ffff, byte_size(Message) + 5])):16, Message/binary>>;
               5 -> [whole(Message), whole(Message)];
               6 -> throw("left");
               7 -> gen_tcp:shutdown(Socket, write), <<>>;
               8 -> bytewise;
               _ -> whole(Message)
           end,
    case Sent of
        bytewise -> [gen_tcp:send(Socket, <<Byte>>) || <<Byte>> <= whole(Message)];
        _ -> gen_tcp:send(Socket, Sent)
    end.

whole(Message) -> <<(byte_size(Message)):16, Message/binary>>.

%% Another byte before the name.
damage(Message) ->
    At = rand:uniform(min(15, byte_size(Message))) - 1,
    <<Front:At/binary, _, Back/binary>> = Message,
    <<Front/binary, (rand:uniform(256) - 1), Back/binary>>.

noise(Socket) -> gen_tcp:send(Socket, rand:bytes(rand:uniform(20))).

%% The next message; what is missing says how far the handshake came.
hear(Socket, Missing) ->
    case gen_tcp:recv(Socket, 2, ?PATIENCE) of
        {ok, <<Size:16>>} when Size > 0 ->
            case gen_tcp:recv(Socket, Size, ?PATIENCE) of
                {ok, Message} -> Message;
                {error, _} -> throw(Missing)
            end;
        _ -> throw(Missing)
    end.
