%% A peer that knows the cookie and sends garbage: whether the connection ends, and what processes see. The node lives.
%% Left out is what a stock node does not survive (a fragment with number 0, or with a very high one).
%% timeout: 60
%% args: -connect_all false
-module(hostile_peers).
-export([main/1, victim/0]).

main([B]) ->
    cluster:quiet(),
    Victim = cluster:on(B, fun() -> Pid = spawn(?MODULE, victim, []), register(victim, Pid), Pid end),
    put(b, B),
    put(peers, 1),
    put(victim, Victim),
    <<131, Own/binary>> = term_to_binary(Victim),
    frames(),
    controls(Own),
    signals(Own),
    payloads(Own),
    headers(),
    fragments(),
    without_cache(),
    slow(),
    refused(),
    named_as_none(),
    see:value("the node lives", cluster:on(B, fun() -> is_process_alive(whereis(victim)) end)).

%% Sends its messages to whoever asks.
victim() ->
    process_flag(trap_exit, true),
    victim([]).

victim(All) ->
    receive
        {all, From} ->
            From ! {all, lists:reverse(All)},
            victim([]);
        Message -> victim([Message | All])
    end.

frames() ->
    put(flags, hostile:without(hostile:flags(), [13, 23])),
    raw("a tick", <<0:32>>),
    raw("the longest length", <<16#ffff_ffff:32, "abc">>),
    raw("a long length", <<16#8000_0000:32, "abc">>),
    raw("text", <<"GET / HTTP/1.0\r\n\r\n">>),
    [framed({first, Byte}, <<Byte>>) || Byte <- [0, 68, 111, 112, 113, 131, 255]],
    framed("no control", <<112, 131>>),
    framed("another version", <<112, 130, 106>>),
    framed("no version", <<112, 106>>).

%% Control messages that make no sense. `Own' are the bytes of the victim's pid.
controls(Own) ->
    Other = hostile:pid(name(), 7, 1, 0),
    Third = hostile:pid('third@localhost', 7, 1, 0),
    Reference = hostile:reference(name(), 7, [1, 2, 3]),
    [control({term, Term}, term(Term)) || Term <- [[], a, 17, -1, 1 bsl 70, {}, {a}, {[]}, [1, 2], {1.5, a}, <<"text">>,
        #{}]],
    [control({code, Code}, tuple([small(Code)])) || Code <- [0, 1, 2, 3, 5, 9, 10, 11, 14, 15, 17, 22, 37, 99, 255]],
    [control({arity, Code, Count}, tuple([small(Code) | lists:duplicate(Count, Other)]))
     || Code <- [1, 2, 6, 7, 8, 19, 20, 21, 22, 24, 26, 28, 29, 31, 33, 35, 36], Count <- [1, 6, 7]],
    [control({atoms, Code, Count}, tuple([small(Code) | lists:duplicate(Count, term(x))]))
     || {Code, Count} <- [{1, 2}, {2, 2}, {4, 2}, {7, 2}, {8, 3}, {19, 3}, {20, 3}, {21, 4}, {22, 2}, {24, 2}, {26, 2},
         {28, 3},
                          {29, 5}, {31, 4}, {33, 2}, {35, 3}, {36, 3}]],
    control("a name that is none", tuple([small(6), Other, term(''), small(1)])),
    control("a sender that is none", tuple([small(6), term(x), term(''), term(victim)])),
    control("a link from a third node", tuple([small(1), Third, Own])),
    control("a link of this node", tuple([small(1), Own, Own])),
    control("a link to a third node", tuple([small(1), Other, Third])),
    control("a monitor from a third node", tuple([small(19), Third, Own, Reference])),
    control("a monitor without reference", tuple([small(19), Other, Own, term(x)])),
    control("an improper unlink", tuple([small(35), term(-1), Other, Own])),
    control("a large unlink", tuple([small(35), term(1 bsl 70), Other, Own])).

%% Signals that come at the wrong time, or for nobody.
signals(Own) ->
    Other = hostile:pid(name(), 7, 1, 0),
    Nobody = hostile:pid(get(b), creation(Own), 16#7fff, 16#ff),
    Earlier = hostile:pid(get(b), creation(Own) - 1, 100, 0),
    Reference = hostile:reference(name(), 7, [1, 2, 3]),
    Theirs = hostile:reference(get(b), creation(Own), [1, 2, 3]),
    [framed({What, Code},
        [112, 131, tuple(lists:map(fun(Part) -> part(Part, To, Other, Reference, Theirs) end, [{small, Code} | Parts])),
        Payload])
     || {What, To} <- [{lives, Own}, {nobody, Nobody}, {earlier, Earlier}],
        {Code, Parts, Payload} <-
            [{1, [other, to], <<>>}, {4, [other, to], <<>>}, {3, [other, to, {a, gone}], <<>>},
                {24, [other, to], <<131, 106>>},
             {35, [{small, 5}, other, to], <<>>}, {36, [{small, 5}, other, to], <<>>},
             {19, [other, to, reference], <<>>}, {20, [other, to, reference], <<>>},
             {21, [other, to, theirs, {a, gone}], <<>>}, {28, [other, to, theirs], <<131, 106>>},
             {7, [other, to], <<>>}, {7, [to, to], <<>>},
             {8, [other, to, {a, bye}], <<>>}, {26, [other, to], <<131, 106>>},
             {31, [theirs, to, {small, 3}, other], <<>>}, {31, [theirs, to, {small, 0}, {a, badopt}], <<>>},
             {33, [other, theirs], <<131, 106>>}]].

part({small, Number}, _, _, _, _) -> small(Number);
part({a, Atom}, _, _, _, _) -> term(Atom);
part(to, To, _, _, _) -> To;
part(other, _, Other, _, _) -> Other;
part(reference, _, _, Reference, _) -> Reference;
part(theirs, _, _, _, Theirs) -> Theirs.

%% Messages that cannot be decoded, or only just.
payloads(Own) ->
    Control = [112, 131, tuple([small(2), term(''), Own])],
    sent("sound", Control, <<131, 106>>),
    sent("none", Control, <<>>),
    sent("without version", Control, <<106>>),
    sent("a version only", Control, <<131>>),
    sent("with more behind", Control, <<131, 106, 106, 106>>),
    sent("an unknown tag", Control, <<131, 1>>),
    sent("a long binary", Control, <<131, 109, 16#ffff_ffff:32, "abc">>),
    sent("a long list", Control, <<131, 108, 16#ffff_ffff:32, 106>>),
    sent("a long tuple", Control, <<131, 105, 16#ffff_ffff:32, 106>>),
    sent("a long map", Control, <<131, 116, 16#ffff_ffff:32, 106, 106>>),
    sent("a map with a key twice", Control, <<131, 116, 2:32, 97, 1, 97, 1, 97, 1, 97, 2>>),
    sent("a cache entry without cache", Control, <<131, 82, 0>>),
    sent("an atom in no encoding", Control, <<131, 119, 2, 16#c3, 16#28>>),
    sent("a long atom", Control, <<131, 118, 300:16, 0:2400>>),
    sent("badly compressed", Control, <<131, 80, 100:32, "abc">>),
    sent("compressed", Control, compressed(lists:duplicate(1000, $a))),
    sent("compressed within", Control, [131, 104, 1, compressed_bare("text")]),
    framed("compressed control", [112, compressed({6, self(), '', victim}), 131, 106]),
    framed("large compressed control", [112, compressed({6, <<0:(8 * 16_000_000)>>, '', victim}), 131, 106]),
    sent("large and compressed", Control, compressed(<<0:(8 * 16_000_000)>>)),
    sent("bits", Control, <<131, 77, 1:32, 9, 255>>),
    sent("a large integer", Control, <<131, 111, 16#ffff_ffff:32, 0, 1>>),
    sent("cut short", Control, <<131, 104, 3, 97, 1>>),
    sent("a float in words", Control, [131, 99, lists:duplicate(31, $x)]),
    sent("no number", Control, <<131, 70, 16#7ff0_0000_0000_0000:64>>),
    sent("nested", Control, [131, lists:duplicate(100_000, <<108, 1:32>>), 106, lists:duplicate(100_000, 106)]),
    framed("nested control", [112, 131, lists:duplicate(100_000, <<104, 1>>), 106]),
    sent("new atoms", Control,
        term_to_binary([list_to_atom("hostile_" ++ integer_to_list(N)) || N <- lists:seq(1, 1000)])),
    framed("to an alias that is none",
        [112, 131, tuple([small(33), hostile:pid(name(), 7, 1, 0), hostile:reference(get(b), 1, [1, 2, 3])]), 131, 1]),
    framed("damaged for nobody", [112, 131, tuple([small(6), hostile:pid(name(), 7, 1, 0), term(''), term(nobody)]),
        131, 1]).

%% With a cache of atoms.
headers() ->
    put(flags, hostile:flags()),
    Control = fun(Name) -> tuple([small(6), hostile:pid(name(), 7, 1, 0), term(''), Name]) end,
    framed("a header without atoms", [131, 68, 0, Control(term(victim)), 106]),
    framed("a new entry", [131, 68, 1, 8, 5, 6, "victim", Control(<<82, 0>>), 106]),
    framed("an entry that is not there", [131, 68, 1, 0, 5, Control(<<82, 0>>), 106]),
    framed("a place that is not listed", [131, 68, 1, 8, 5, 6, "victim", Control(<<82, 1>>), 106]),
    framed("a message with such a place", [131, 68, 1, 8, 5, 6, "victim", Control(<<82, 0>>), 82, 9]),
    framed("more atoms than there are", [131, 68, 200, 8, 5, 6, "victim"]),
    framed("an entry cut short", [131, 68, 1, 8, 5, 60, "victim"]),
    framed("an entry in no encoding", [131, 68, 1, 8, 5, 2, 16#c3, 16#28, Control(term(victim)), 106]),
    framed("without header", [112, 131, Control(term(victim)), 131, 106]),
    framed("compressed behind a header", [131, 68, 0, Control(term(victim)), compressed_bare("text")]),
    framed("compressed control behind a header", [131, 68, 0, compressed_bare({6, self(), '', victim}), 106]),
    framed("a version within", [131, 68, 0, 131, Control(term(victim)), 131, 106]),
    framed("another kind", [131, 71, 0]),
    framed("no kind", [131]).

fragments() ->
    Control = tuple([small(6), hostile:pid(name(), 7, 1, 0), term(''), term(victim)]),
    First = fun(Id, Number, Bytes) -> hostile:frame([131, 69, <<Id:64, Number:64>>, 0, Bytes]) end,
    Later = fun(Id, Number, Bytes) -> hostile:frame([131, 70, <<Id:64, Number:64>>, Bytes]) end,
    raw("one fragment", First(1, 1, [Control, 106])),
    raw("two", [First(1, 2, [Control, <<109, 4:32, "ab">>]), Later(1, 1, "cd")]),
    raw("between each other", [First(1, 2, [Control, <<109, 4:32, "ab">>]), First(2, 2, [Control, <<109, 4:32, "AB">>]),
        Later(1, 1, "cd"), Later(2, 1, "CD")]),
    raw("the last too soon", [First(1, 3, [Control, <<109, 4:32, "ab">>]), Later(1, 1, "cd")]),
    raw("again", [First(1, 3, [Control, <<109, 4:32, "ab">>]), Later(1, 2, "c"), Later(1, 2, "d")]),
    raw("the first twice", [First(1, 3, [Control, <<109, 4:32, "ab">>]), First(1, 3, [Control, <<109, 4:32, "ab">>])]),
    raw("none before", Later(1, 1, "cd")),
    raw("cut short", hostile:frame(<<131, 70, 1:64, 0:8>>)),
    raw("unended", [First(1, 1000, [Control, <<109, 16#7fff_ffff:32>>]),
        [Later(1, 1000 - N, <<0:8192>>) || N <- lists:seq(1, 200)]]),
    raw("many unended", [First(Id, 1000, [Control, <<109, 16#7fff_ffff:32, 0:4096>>]) || Id <- lists:seq(1, 1000)]).

%% Fragments without a cache of atoms: packets have a header all the same, with atoms spelled out. The node answers in
%% that form.
without_cache() ->
    Cached = put(flags, hostile:without(hostile:flags(), [13])),
    Control = tuple([small(6), hostile:pid(name(), 7, 1, 0), term(''), term(victim)]),
    framed("no atom", [131, 68, 0, Control, 106]),
    framed("without a header", [112, 131, Control, 131, 106]),
    raw("fragments", [hostile:frame([131, 69, <<1:64, 2:64>>, 0, Control, <<109, 4:32, "ab">>]),
        hostile:frame([131, 70, <<1:64, 1:64>>, "cd"])]),
    put(flags, Cached),
    [see:value({answer, Without}, answer(hostile:without(hostile:flags(), Without)))
        || Without <- [[13], [23], [13, 23]]].

%% How the node tells that a process that is monitored is not there: the packet without its length, and without the
%% reference.
answer(Flags) ->
    B = get(b),
    Name = name(),
    put(peers, get(peers) + 1),
    {ok, Socket} = hostile:connect(B, Name, #{flags => Flags}),
    Control = tuple([small(19), hostile:pid(Name, 7, 1, 0), term(nobody), hostile:reference(Name, 7, [1, 2, 3])]),
    Bytes = case Flags band (1 bsl 13 bor 1 bsl 23) of
                0 -> [112, 131, Control];
                _ -> [131, 68, 0, Control]
            end,
    ok = gen_tcp:send(Socket, hostile:frame(Bytes)),
    Packets = [Packet || Packet <- frames_of(hostile:drain(Socket)), binary:match(Packet, <<"nobody">>) =/= nomatch],
    hostile:close(Socket),
    [{binary:part(Packet, 0, 3), binary:match(Packet, <<"noproc">>) =/= nomatch} || Packet <- Packets].

frames_of(<<Size:32, Packet:Size/binary, Rest/binary>>) -> [Packet | frames_of(Rest)];
frames_of(_) -> [].

%% Peers that are slow, or go away in the middle.
slow() ->
    Frame = iolist_to_binary(hostile:frame([131, 68, 1, 8, 5, 6, "victim",
        tuple([small(6), hostile:pid(name(), 7, 1, 0), term(''), <<82, 0>>]), <<109, 3:32, "abc">>])),
    with_peer("byte by byte", fun(Socket) -> [ok = gen_tcp:send(Socket, <<Byte>>) || <<Byte>> <= Frame] end),
    with_peer("closed for writing", fun(Socket) ->
        ok = gen_tcp:send(Socket, [Frame, binary:part(Frame, 0, 20)]),
        ok = gen_tcp:shutdown(Socket, write)
    end),
    with_peer("gone in the middle", fun(Socket) ->
        ok = gen_tcp:send(Socket, [Frame, binary:part(Frame, 0, 20)]),
        gen_tcp:close(Socket)
    end),
    with_peer("reset in the middle", fun(Socket) ->
        ok = gen_tcp:send(Socket, binary:part(Frame, 0, 20)),
        ok = inet:setopts(Socket, [{linger, {true, 0}}]),
        gen_tcp:close(Socket)
    end).

%% Peers that are not let in. Nothing of them stays.
refused() ->
    B = get(b),
    Before = atoms(B),
    see:value("a wrong cookie", hostile:connect(B, name(), #{cookie => "wrong"})),
    see:value("no cookie", hostile:connect(B, name(), #{cookie => ""})),
    see:value("no flags", hostile:connect(B, name(), #{flags => 0})),
    see:value("few flags", element(1, hostile:connect(B, name(), #{flags => hostile:without(hostile:flags(), [18])}))),
    see:value("its own name", hostile:connect(B, B)),
    %% The handshake ends before any cookie is shown.
    [see:value({named, Name}, hostile:connect(B, Name))
     || Name <- ['h y@localhost', 'h\n@localhost', '../../etc@localhost', '~p~s@localhost', list_to_atom([233 | "@localhost"])]],
    see:value("nodes", lists:sort(cluster:on(B, fun() -> nodes(connected) end))),
    %% The names of peers, and no more.
    see:value("atoms", atoms(B) - Before < 20).

%% A peer whose name is that of nodes without a name.
named_as_none() ->
    B = get(b),
    put(flags, hostile:without(hostile:flags(), [13, 23])),
    {ok, Socket} = hostile:connect(B, nonode@nohost, #{flags => get(flags)}),
    see:value("is connected", cluster:on(B, fun() ->
        cluster:wait(fun() -> lists:member(nonode@nohost, nodes(connected)) end, true)
    end)),
    Pid = hostile:pid(nonode@nohost, 7, 1, 0),
    ok = gen_tcp:send(Socket, hostile:frame([112, 131, tuple([small(6), Pid, term(''), term(victim)]), 131, Pid])),
    true = cluster:wait(fun() -> put(had, victim_has()), get_had() =/= [] end),
    see:value("its pid", [node(From) || From <- get_had()]),
    put(had, []),
    hostile:close(Socket),
    see:value("is gone", cluster:on(B, fun() ->
        cluster:wait(fun() -> lists:member(nonode@nohost, nodes(connected)) end, false)
    end)).

atoms(B) -> cluster:on(B, fun() -> erlang:system_info(atom_count) end).

%% In any case, and without the version.
compressed(Term) -> [131, compressed_bare(Term)].

compressed_bare(Term) ->
    Bytes = term(Term),
    [<<80, (byte_size(Bytes)):32>>, zlib:compress(Bytes)].

control(Label, Bytes) -> framed(Label, [112, 131, Bytes, 131, 106]).

sent(Label, Control, Payload) -> framed({message, Label}, [Control, Payload]).

framed(Label, Bytes) -> raw(Label, hostile:frame(Bytes)).

raw(Label, Bytes) -> with_peer(Label, fun(Socket) -> ok = gen_tcp:send(Socket, Bytes) end).

%% Connects, does something, and asks for a sign of life by a sound message. Shows what has become of it.
with_peer(Label, Attack) ->
    B = get(b),
    {ok, Socket} = hostile:connect(B, name(), #{flags => get(flags)}),
    Attack(Socket),
    Name = name(),
    Sign = tuple([small(6), hostile:pid(Name, 7, 9, 0), term(''), term(victim)]),
    Fragments = get(flags) band (1 bsl 23),
    Bytes = case get(flags) band (1 bsl 13) of
                0 when Fragments =:= 0 -> [112, 131, Sign, 131, term(alive)];
                _ -> [131, 68, 0, Sign, term(alive)]
            end,
    _ = gen_tcp:send(Socket, hostile:frame(Bytes)),
    End = ended(Socket, B, Name, 400),
    _ = hostile:close(Socket),
    put(peers, get(peers) + 1),
    false = cluster:on(B, fun() -> cluster:wait(fun() -> lists:member(Name, nodes(connected)) end, false) end),
    %% A message that was damaged may be found out before or after the sign of life is in.
    Got = case End of
              ends -> lists:usort(victim_has()) -- [alive];
              _ -> lists:usort(victim_has())
          end,
    see:value(Label, plain({End, [shortened(M) || M <- Got]})).

%% Whether the connection ends, or its sign of life arrives.
ended(_, _, _, 0) -> neither;
ended(Socket, B, Name, Times) ->
    case gen_tcp:recv(Socket, 0, 10) of
        {ok, _} -> ended(Socket, B, Name, Times);
        {error, timeout} ->
            Has = victim_has(),
            put(had, get_had() ++ Has),
            case lists:member(alive, Has) of
                true -> cluster:on(B, fun() -> still_open(Name) end);
                false -> ended(Socket, B, Name, Times - 1)
            end;
        {error, _} -> ends
    end.

%% The sign of life may arrive although the victim has found the message before it damaged: then the port has been told
%% to close, and does before it replies.
still_open(Name) ->
    case lists:keyfind(Name, 1, erlang:system_info(dist_ctrl)) of
        {_, Port} -> case erlang:port_info(Port, connected) of undefined -> ends; _ -> lives end;
        false -> ends
    end.

victim_has() ->
    get(victim) ! {all, self()},
    New = receive {all, All} -> All end,
    Had = get_had(),
    put(had, []),
    Had ++ New.

get_had() ->
    case get(had) of
        undefined -> [];
        Had -> Had
    end.

shortened(List) when is_list(List), length(List) > 20 -> {a_list, length(List)};
shortened([List]) when is_list(List) -> {nested, depth(List, 1)};
%% Numbers of nodes are the machine's own.
shortened({'EXIT', Pid, Reason}) -> {'EXIT', node(Pid), Reason};
shortened(Other) -> Other.

depth([List], Depth) when is_list(List) -> depth(List, Depth + 1);
depth(_, Depth) -> Depth.

%% Names of peers are counted.
plain(Term) ->
    Text = lists:flatten(io_lib:format("~0tp", [Term])),
    re:replace(Text, "h[0-9]+@localhost", "the peer", [global, {return, list}]).

%% The next peer's.
name() -> list_to_atom("h" ++ integer_to_list(get(peers)) ++ "@localhost").

creation(Pid) ->
    Skipped = byte_size(Pid) - 4,
    <<_:Skipped/binary, Creation:32>> = Pid,
    Creation.

small(Number) when Number < 256 -> <<97, Number>>.

term(Term) ->
    <<131, Bytes/binary>> = term_to_binary(Term, [{minor_version, 2}]),
    Bytes.

tuple(Parts) -> iolist_to_binary([104, length(Parts) | Parts]).
