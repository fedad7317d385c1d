%% Packets from another node, valid and damaged, by seed.
%%
%% This process carries a connection itself (`erts_internal:create_dist_channel'), so each packet costs a call and no
%% socket. Most packets are made from a valid control message: some have other arguments, some other bytes, some come in
%% fragments, which may be missing, doubled or in disorder. Their receivers are processes that live, have ended, are
%% linked to and monitor processes of the other node; they decode what comes. A connection that ends is made anew.
%% Nothing may end the node, and it must keep nothing: processes, atoms and memory are counted before and after.
-module(packets).
-export([start/0, child/0, child/1, idle/0]).

-define(OTHER, 'other@localhost').
-define(OWN, 'own@localhost').
-define(CREATION, 77).
%% A connection is made anew at the latest after so many packets.
-define(PACKETS, 400).
-define(VICTIMS, 12).
%% Of the protocol: what this peer says it can.
-define(FLAGS, 16#7_07df_7fbd bor (1 bsl 35)).

-record(s, {handle, sequence = 1, places = #{}, requests = []}).

%% `start Seed Packets': prints the counts.
start() ->
    logger:set_primary_config(level, none),
    [Seed, Packets] = [list_to_integer(Word) || Word <- init:get_plain_arguments()],
    register(net_kernel, spawn(fun sink/0)),
    %% The pids of the system differ from all others in more than one byte.
    [spawn(fun() -> ok end) || _ <- lists:seq(1, 70_000)],
    true = erlang:setnode(?OWN, ?CREATION),
    Victims = spawn(fun() -> victims(#{}) end),
    register(victims, Victims),
    %% The first rounds make what stays.
    {_, _} = rounds(1, Seed, min(Packets div 10, 100_000), 0, 0),
    Before = counts(),
    {Made, Ended} = rounds(1_000_000, Seed, Packets, 0, 0),
    After = counts(),
    Wrong = [{What, B, A} || {{What, B, Most}, {What, A, _}} <- lists:zip(Before, After), A > B + Most],
    io:format("~b packets, ~b connections ended by them~n", [Made, Ended]),
    [io:format("~w: ~b, then ~b~n", [What, B, A]) || {{What, B, _}, {_, A, _}} <- lists:zip(Before, After)],
    [io:format("GREW ~w from ~b to ~b~n", [What, B, A]) || {What, B, A} <- Wrong],
    halt(min(1, length(Wrong))).

%% What is there, and by how much it may grow.
counts() ->
    victims ! {renew, self()},
    receive renewed -> ok end,
    sys:get_status(logger),
    timer:sleep(300),
    [erlang:garbage_collect(P) || P <- processes()],
    timer:sleep(300),
    [{processes, erlang:system_info(process_count), 0},
     {ports, erlang:system_info(port_count), 0},
     {atoms, erlang:system_info(atom_count), 200_000},
     {kilobytes, (erlang:memory(processes) + erlang:memory(binary)) div 1024, 1024},
     %% What the allocators keep comes to rest after about a million packets.
     {resident_kilobytes, resident(), 65536}].

resident() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = string:lexemes(binary_to_list(Text), " "),
    list_to_integer(Pages) * 4.

sink() -> receive _ -> sink() end.

rounds(_, _, Packets, Made, Ended) when Made >= Packets -> {Made, Ended};
rounds(Number, Seed, Packets, Made, Ended) ->
    Self = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> round_of(Self, {Seed, Number}) end),
    receive {'DOWN', Monitor, process, Pid, Reason} -> ok end,
    Count = receive_count(Pid, 0),
    case Reason of
        _ when Reason =:= normal; Reason =:= killed -> ok;
        _ -> io:format("round ~b: ~0tp~n", [Number, Reason])
    end,
    %% What was reported is handled before more is.
    _ = whereis(logger) =/= undefined andalso sys:get_status(logger),
    rounds(Number + 1, Seed, Packets, Made + Count, Ended + case Reason of killed -> 1; _ -> 0 end).

receive_count(Pid, Count) ->
    receive {made, Pid, New} -> receive_count(Pid, New) after 0 -> Count end.

round_of(Parent, {Seed, Number}) ->
    rand:seed(exsss, {Seed, Number, 0}),
    victims ! {list, self()},
    Pids = receive {victims, List} -> List end,
    put(victims, Pids),
    Connection = connection(),
    Flags = one_of([?FLAGS, ?FLAGS, ?FLAGS, ?FLAGS band bnot (1 bsl 13) band bnot (1 bsl 23),
        ?FLAGS band bnot (1 bsl 22)]),
    {ok, Handle} = erts_internal:create_dist_channel(?OTHER, self(), {Flags, 5}),
    _ = Connection,
    Last = packets(#s{handle = Handle}, Parent, 0),
    drain(Last#s.handle).

connection() ->
    erts_internal:new_connection(?OTHER).

packets(S, _, ?PACKETS) -> S;
packets(#s{handle = Handle} = S, Parent, Made) ->
    {Bytes, Next} = packet(S),
    Parent ! {made, self(), Made + length(Bytes)},
    [erlang:dist_ctrl_put_data(Handle, Packet) || Packet <- Bytes],
    case Made rem 8 of
        0 -> own_turn();
        _ -> ok
    end,
    packets(learn(Next, drain(Handle)), Parent, min(?PACKETS, Made + length(Bytes))).

%% Takes what goes out.
drain(Handle) ->
    case erlang:dist_ctrl_get_data(Handle) of
        none -> [];
        Data -> [iolist_to_binary(Data) | drain(Handle)]
    end.

%% Numbers of references that this node has sent: those of monitors and spawn requests.
learn(#s{requests = Known} = S, Packets) ->
    Found = lists:append([references(Packet) || Packet <- Packets]),
    S#s{requests = lists:sublist(Found ++ Known, 20)}.

references(Packet) ->
    case binary:matches(Packet, <<90, 0>>) of
        [] -> [];
        Places -> lists:append([reference_at(Packet, Place) || {Place, _} <- Places])
    end.

%% With its node spelled out.
reference_at(Packet, Place) ->
    case Packet of
        <<_:Place/binary, 90, Count:16, 82, _, Rest/binary>> when Count =< 5, byte_size(Rest) >= 4 + 4 * Count ->
            <<Words:(4 + 4 * Count)/binary, _/binary>> = Rest,
            Name = atom_to_binary(?OWN),
            Bytes = <<131, 90, Count:16, 119, (byte_size(Name)), Name/binary, Words/binary>>,
            try [binary_to_term(Bytes)] catch error:badarg -> [] end;
        _ -> []
    end.

%% What processes of this node do with those of the other.
own_turn() ->
    Victim = one_of(get(victims)),
    Victim ! {do, rand:uniform(9), pid(?OTHER, 5, rand:uniform(12), 0)}.

%% The processes that packets are for. Those that end are replaced.
victims(Known) ->
    process_flag(trap_exit, true),
    All = lists:foldl(fun(N, Found) -> one_victim(N, Found) end, Known, lists:seq(1, ?VICTIMS)),
    receive
        {list, From} ->
            From ! {victims, maps:values(All)},
            victims(All);
        {renew, From} ->
            [exit(P, kill) || P <- maps:values(All)],
            [receive {'DOWN', _, process, P, _} -> ok end || P <- maps:values(All)],
            erlang:garbage_collect(),
            From ! renewed,
            victims(#{});
        {'DOWN', _, process, Pid, _} ->
            victims(maps:filter(fun(_, P) -> P =/= Pid end, All));
        _ -> victims(All)
    end.

one_victim(N, Known) when is_map_key(N, Known) -> Known;
one_victim(N, Known) ->
    {Pid, _} = spawn_monitor(fun() ->
        process_flag(trap_exit, N rem 2 =:= 0),
        N =:= 1 andalso register(victim, self()),
        put(alias, alias()),
        victim()
    end),
    Known#{N => Pid}.

victim() ->
    receive
        {do, What, Other} -> catch act(What, Other);
        _ -> ok
    after 1000 -> erlang:garbage_collect()
    end,
    victim().

act(1, Other) -> link(Other);
act(2, Other) -> unlink(Other);
act(3, Other) -> put(monitor, monitor(process, Other));
act(4, _) -> demonitor(get(monitor), [flush]);
act(5, Other) -> put(monitor, monitor(process, Other, [{alias, reply_demonitor}]));
act(6, _) -> put(request, spawn_request(?OTHER, ?MODULE, child, [], [link, monitor]));
act(7, _) -> spawn_request_abandon(get(request));
act(8, Other) -> Other ! {message, self(), lists:seq(1, 100)};
act(9, _) -> put(request, spawn_request(?OTHER, ?MODULE, child, [], [])).

child() -> ok.
child(_) -> receive after 20 -> ok end.
idle() -> receive after 100 -> ok end.

%% A control message with its message, as packets.
packet(S) ->
    {Control, Payload} = message(S),
    case rand:uniform(20) of
        1 -> {[damaged(<<112, (external(Control))/binary, (payload(Payload))/binary>>, 2)], S};
        2 -> fragments(S, Control, Payload);
        3 -> {[noise()], S};
        _ -> headed(S, Control, Payload)
    end.

payload(none) -> <<>>;
payload({bytes, Bytes}) -> <<131, Bytes/binary>>;
payload(Term) -> external(Term).

external(Term) -> term_to_binary(Term, [{minor_version, 2}]).

%% With a header; the atoms of the control message that are in the cache go as their places.
headed(S, Control, Payload) ->
    {Atoms, Body} = bare(Control, Payload),
    {Header, Next} = header(S, Atoms),
    {[damaged(<<131, 68, Header/binary, Body/binary>>, 12)], Next}.

bare(Control, Payload) ->
    {Front, Atoms} = encode(Control, []),
    Back = case Payload of
               none -> <<>>;
               {bytes, Bytes} -> Bytes;
               _ -> <<131, Bytes/binary>> = external(Payload), Bytes
           end,
    {Atoms, <<Front/binary, Back/binary>>}.

encode(A, Atoms) when is_atom(A) ->
    case index(A, Atoms, 0) of
        none -> {<<82, (length(Atoms))>>, Atoms ++ [A]};
        Place -> {<<82, Place>>, Atoms}
    end;
encode({raw, Bytes}, Atoms) -> {Bytes, Atoms};
encode(T, Atoms) when is_tuple(T), tuple_size(T) < 256 ->
    {Parts, All} = lists:mapfoldl(fun encode/2, Atoms, tuple_to_list(T)),
    {iolist_to_binary([104, tuple_size(T) | Parts]), All};
encode(Other, Atoms) ->
    <<131, Bytes/binary>> = external(Other),
    {Bytes, Atoms}.

index(_, [], _) -> none;
index(A, [A | _], N) -> N;
index(A, [_ | Rest], N) -> index(A, Rest, N + 1).

header(S, []) -> {<<0>>, S};
header(#s{places = Places} = S, Atoms) ->
    {Entries, {Flags, All}} = lists:mapfoldl(fun(A, {Flags, Known}) ->
        Place = erlang:phash2(A, 2048),
        Segment = Place bsr 8,
        case Known of
            #{Place := A} -> {<<Place:8>>, {[Segment | Flags], Known}};
            _ ->
                Text = atom_to_binary(A),
                {<<Place:8, (byte_size(Text)), Text/binary>>, {[Segment bor 8 | Flags], Known#{Place => A}}}
        end
    end, {[], Places}, Atoms),
    Nibbles = lists:reverse(Flags) ++ case length(Atoms) rem 2 of 0 -> [0, 0]; 1 -> [0] end,
    {iolist_to_binary([length(Atoms), pairs(Nibbles) | Entries]), S#s{places = All}}.

pairs([Low, High | Rest]) -> [High bsl 4 bor Low | pairs(Rest)];
pairs([]) -> [].

fragments(#s{sequence = Id} = S, Control, Payload) ->
    {Atoms, Body} = bare(Control, Payload),
    {Header, Next} = header(S, Atoms),
    Count = rand:uniform(4),
    [First | Rest] = divided(Body, Count),
    Numbered = lists:zip(lists:seq(Count - 1, 1, -1), Rest),
    All = [<<131, 69, Id:64, Count:64, Header/binary, First/binary>>
           | [<<131, 70, Id:64, N:64, Part/binary>> || {N, Part} <- Numbered]],
    {disorder(rand:uniform(12), All), Next#s{sequence = Id + 1}}.

disorder(1, [First | _]) -> [First];
disorder(2, [_ | Rest]) -> Rest;
disorder(3, All) -> lists:reverse(All);
disorder(4, All) -> All ++ [lists:last(All)];
disorder(5, [<<131, 69, Id:64, _:64, Rest/binary>> | Others]) ->
    [<<131, 69, Id:64, (strange_count()):64, Rest/binary>> | Others];
disorder(6, [<<131, 69, _:64, Count:64, Rest/binary>> | Others]) -> [<<131, 69, 0:64, Count:64, Rest/binary>> | Others];
disorder(7, All) -> [damaged(Part, 2) || Part <- All];
disorder(_, All) -> All.

strange_count() -> one_of([0, 1, 2, 1 bsl 20, 1 bsl 32, 1 bsl 62, (1 bsl 64) - 1]).

divided(Bytes, 1) -> [Bytes];
divided(Bytes, Count) ->
    At = rand:uniform(byte_size(Bytes) + 1) - 1,
    <<Part:At/binary, Rest/binary>> = Bytes,
    [Part | divided(Rest, Count - 1)].

noise() ->
    First = one_of([<<>>, <<131>>, <<131, 68>>, <<131, 69>>, <<131, 70>>, <<131, 80>>, <<112>>, <<112, 131, 104>>]),
    <<First/binary, (crypto_free(rand:uniform(30) - 1))/binary>>.

crypto_free(Count) -> << <<(rand:uniform(256) - 1)>> || _ <- lists:seq(1, Count)>>.

%% One in `Often' is damaged, once or several times.
damaged(Bytes, Often) ->
    case rand:uniform(Often) of
        1 -> damage(Bytes, rand:uniform(3));
        _ -> Bytes
    end.

damage(Bytes, 0) -> Bytes;
damage(<<>>, _) -> <<>>;
damage(Bytes, Times) ->
    At = rand:uniform(byte_size(Bytes)) - 1,
    <<Front:At/binary, Byte, Back/binary>> = Bytes,
    Changed = case rand:uniform(8) of
                  1 -> <<Front/binary, (Byte bxor (1 bsl (rand:uniform(8) - 1))), Back/binary>>;
                  2 -> <<Front/binary, (rand:uniform(256) - 1), Back/binary>>;
                  3 -> <<Front/binary, Back/binary>>;
                  4 -> <<Front/binary, Byte, Byte, Back/binary>>;
                  5 -> Front;
                  6 -> <<Front/binary, (one_of([<<255, 255, 255, 255>>, <<0, 0, 0, 0>>, <<127, 255, 255, 255>>,
                      <<0, 255>>]))/binary,
                         (tail(Back, 3))/binary>>;
                  7 -> <<Front/binary, (one_of([70, 77, 80, 82, 88, 89, 90, 97, 98, 100, 104, 105, 106, 107, 108, 109,
                      110, 111, 112, 113, 116, 118, 119, 120])), Back/binary>>;
                  8 -> <<Bytes/binary, Back/binary>>
              end,
    damage(Changed, Times - 1).

tail(Bytes, Count) when byte_size(Bytes) >= Count ->
    <<_:Count/binary, Rest/binary>> = Bytes,
    Rest;
tail(_, _) -> <<>>.

%% A control message, and the message behind it.
message(S) ->
    {Control, Payload} = sound(S, rand:uniform(22)),
    {case rand:uniform(25) of
         1 -> strange(Control);
         _ -> Control
     end,
     case rand:uniform(25) of
         1 -> none;
         2 -> a_term(3);
         _ -> Payload
     end}.

sound(_, 1) -> {{1, other_pid(), to()}, none};
sound(_, 2) -> {{2, '', to()}, a_term(4)};
sound(_, 3) -> {{4, other_pid(), to()}, none};
sound(_, 4) -> {{6, other_pid(), '', one_of([victim, victim, nobody])}, a_term(4)};
sound(_, 5) -> {{7, one_of([other_pid(), to()]), to()}, none};
sound(_, 6) -> {{one_of([3, 8]), other_pid(), to(), reason()}, none};
sound(S, 7) -> {{19, other_pid(), one_of([to(), victim, nobody]), other_reference(S)}, none};
sound(S, 8) -> {{20, other_pid(), one_of([to(), victim]), other_reference(S)}, none};
sound(S, 9) -> {{21, one_of([other_pid(), name]), to(), own_reference(S), reason()}, none};
sound(_, 10) -> {{22, other_pid(), to()}, a_term(4)};
sound(_, 11) -> {{one_of([24, 26]), other_pid(), to()}, reason()};
sound(S, 12) -> {{28, one_of([other_pid(), name]), to(), own_reference(S)}, reason()};
sound(S, 13) ->
    {Function, Arguments} = one_of([{child, []}, {child, [1]}, {child, [1, 2]}, {idle, []}, {none, []}]),
    {{29, other_reference(S), other_pid(), one_of([other_pid(), to()]), {?MODULE, Function, length(Arguments)},
        spawn_options(4)}, Arguments};
sound(S, 14) -> {{31, own_reference(S), to(), rand:uniform(4) - 1,
    one_of([other_pid(), other_pid(), badopt, noconnection])}, none};
sound(S, 15) -> {{33, other_pid(), own_reference(S)}, a_term(4)};
sound(_, 16) -> {{35, number(), other_pid(), to()}, none};
sound(_, 17) -> {{36, one_of([1, 2, 3, number()]), other_pid(), to()}, none};
sound(S, 18) -> {{31, own_reference(S), to(), 3, other_pid()}, none};
sound(_, 19) -> {{1, other_pid(), to()}, none};
sound(_, 20) -> {{22, other_pid(), to()}, {bytes, nested(rand:uniform(3000))}};
sound(_, 21) -> {{22, other_pid(), to()}, {bytes, <<109, (one_of([0, 5, 16#7fff_ffff, 16#ffff_ffff])):32, "hello">>}};
sound(_, 22) -> {{one_of([12, 13, 16, 18, 23, 25, 27, 30, 32, 34]), other_pid(), to(), token}, a_term(2)}.

strange(Control) ->
    Parts = tuple_to_list(Control),
    At = rand:uniform(length(Parts)),
    {Front, [_ | Back]} = lists:split(At - 1, Parts),
    case rand:uniform(4) of
        1 -> list_to_tuple(Front ++ Back);
        2 -> list_to_tuple(Front ++ [a_term(2), a_term(1) | Back]);
        3 -> list_to_tuple(Front ++ [a_term(2) | Back]);
        4 -> list_to_tuple(Front ++ [one_of([to(), other_pid(), stranger(), make_ref(), number()]) | Back])
    end.

spawn_options(0) -> [];
spawn_options(Most) ->
    case rand:uniform(3) of
        1 -> [];
        _ ->
            [one_of([link, monitor, {min_heap_size, 1000}, {priority, high}, {fullsweep_after, 3}, bad, {bad, option},
                {monitor, []},
                     {max_heap_size, 100_000}, {message_queue_data, off_heap},
                     {reply_tag, x}]) | spawn_options(Most - 1)]
    end.

number() -> one_of([0, 1, 2, 7, -1, (1 bsl 64) - 1, 1 bsl 64, 1 bsl 59, 1 bsl 63]).

reason() -> one_of([normal, gone, kill, {a, tuple}, noproc, "text", <<0:1000>>, fun() -> reason end]).

%% A process of this node, of an earlier life of it, or none.
to() ->
    case rand:uniform(16) of
        1 -> pid(?OWN, ?CREATION, rand:uniform(16#ffff) + 16#f_0000, 0);
        2 -> pid(?OWN, ?CREATION, 16#ffff_ffff, 16#ffff_ffff);
        3 -> pid(?OWN, ?CREATION - 1, 100, 0);
        4 -> stranger();
        _ -> one_of(get(victims))
    end.

other_pid() -> pid(?OTHER, one_of([5, 5, 5, 5, 5, 6]), rand:uniform(12), 0).
stranger() -> pid('third@localhost', rand:uniform(4), 12, 0).

pid(Node, Creation, Id, Serial) ->
    Name = atom_to_binary(Node),
    raw(<<88, 119, (byte_size(Name)), Name/binary, Id:32, Serial:32, Creation:32>>).

other_reference(_) -> reference(?OTHER, 5, one_of([[1, 2, 3], [rand:uniform(20), 2, 3], [1], [1, 2, 3, 4, 5]])).

%% Of this node.
own_reference(#s{requests = [_ | _] = Known}) ->
    one_of([one_of(Known), one_of(Known), one_of(Known), make_ref(), reference(?OWN, ?CREATION, [1, 2, 3, 4, 5])]);
own_reference(_) -> one_of([make_ref(), reference(?OWN, ?CREATION, [1, 2, 3, 4, 5]), reference(?OWN, 1, [1, 2, 3])]).

reference(Node, Creation, Words) ->
    Name = atom_to_binary(Node),
    raw(<<90, (length(Words)):16, 119, (byte_size(Name)), Name/binary, Creation:32,
        << <<W:32>> || W <- Words>>/binary>>).

%% An identifier; its bytes if this machine makes no such thing.
raw(Bytes) ->
    try binary_to_term(<<131, Bytes/binary>>) catch error:badarg -> {raw, Bytes} end.

nested(Depth) -> <<(binary:copy(<<104, 1>>, Depth))/binary, 106>>.

a_term(0) -> one_of([1, an_atom, [], {}, 1.5, number(), <<"binary">>]);
a_term(Depth) ->
    Less = Depth - 1,
    case rand:uniform(14) of
        1 -> {a_term(Less), a_term(Less)};
        2 -> [a_term(Less) | a_term(Less)];
        3 -> #{a_term(Less) => a_term(Less), key => a_term(Less)};
        4 -> <<0:(rand:uniform(200))>>;
        5 -> binary:copy(<<"text">>, rand:uniform(100));
        6 -> T = a_term(Less), fun() -> T end;
        7 -> fun lists:map/2;
        8 -> one_of([to(), other_pid(), stranger()]);
        9 -> make_ref();
        10 -> 1 bsl rand:uniform(300);
        11 -> -(1 bsl rand:uniform(300));
        12 -> lists:seq(1, rand:uniform(50));
        13 -> list_to_tuple(lists:seq(1, rand:uniform(300)));
        14 -> maps:from_list([{I, I} || I <- lists:seq(1, rand:uniform(50))])
    end.

one_of(List) -> lists:nth(rand:uniform(length(List)), List).
