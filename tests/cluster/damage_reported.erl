%% What a node reports of messages that make no sense, and how much of them it shows: they may be of any size. The peer
%% is a program that does the handshake by hand.
%% args: -connect_all false
-module(damage_reported).
-export([main/1, log/2]).

main([B]) ->
    cluster:quiet(),
    Self = self(),
    ok = cluster:on(B, fun() ->
        ok = logger:add_handler(?MODULE, ?MODULE, #{config => Self}),
        _ = logger:set_handler_config(default, level, none),
        logger:set_primary_config(level, all)
    end),
    Flags = hostile:without(hostile:flags(), [13, 23]),
    Messages = messages(),
    [see:value(Label, reported(B, Number, Flags, Bytes))
     || {Number, {Label, Bytes}} <- lists:zip(lists:seq(1, length(Messages)), Messages)],
    ok.

messages() ->
    Ones = lists:duplicate(300, 1),
    [{Label, [112, term_to_binary(Control), 131, 106]} || {Label, Control} <- [
        {"no control message", {99, something}},
        {"an atom", 'no control'},
        {"a long tuple", list_to_tuple(Ones)},
        {"a long list", {99, Ones}},
        {"lists", {99, [Ones, Ones]}},
        {"text", {99, lists:duplicate(300, $a)}},
        {"a long text", {99, lists:duplicate(1_000_000, $a)}},
        {"a text of 199 characters", {99, lists:duplicate(194, $a)}},
        {"a text that ends otherwise", {99, lists:duplicate(300, $a) ++ [0]}},
        {"a binary", {99, binary:copy(<<"b">>, 300)}},
        {"a large binary", {99, binary:copy(<<"b">>, 20_000_000)}},
        {"a large binary of zeros", {99, <<0:(8 * 20_000_000)>>}},
        {"bits", {99, <<1:3>>}},
        {"integers", {99, [1 bsl 70, -(1 bsl 200)]}},
        {"floats", {99, 1.5, -0.0}},
        {"a map", {99, #{a => 1}}},
        {"nested", {99, lists:foldl(fun(_, Inner) -> {Inner} end, [], Ones)}},
        {"a fun", {99, fun lists:map/2}}]]
    ++ [{"compressed control", [112, 131, 80, <<4:32>>, zlib:compress(<<104, 1, 97, 99>>), 131, 106]},
        {"large compressed control", [112, 131, 80, <<16_000_005:32>>,
            zlib:compress(<<109, 16_000_000:32, 0:(8 * 16_000_000)>>), 131, 106]}].

%% What the node reports of a message, before it ends the connection: the beginning, since ferl shows no more than that
%% of the bytes of a term that cannot be decoded.
reported(B, Number, Flags, Bytes) ->
    Peer = list_to_atom("r" ++ integer_to_list(Number) ++ "@localhost"),
    {ok, Socket} = hostile:connect(B, Peer, #{flags => Flags}),
    ok = gen_tcp:send(Socket, hostile:frame(Bytes)),
    true = hostile:is_closed(Socket),
    hostile:close(Socket),
    receive
        {?MODULE, Text} ->
            Named = string:replace(Text, atom_to_list(Peer), "the peer"),
            lists:sublist(re:replace(Named, "channel [0-9]+", "a channel", [{return, list}]), 1000)
    after 20_000 -> nothing
    end.

%% A handler of the logger: passes on what is about messages from other nodes.
log(#{msg := {Format, Arguments}}, #{config := Listener}) when is_list(Format) ->
    Text = lists:flatten(io_lib:format(Format, Arguments)),
    case string:find(Text, "istribution") of
        nomatch -> ok;
        _ -> Listener ! {?MODULE, Text}
    end;
log(_, _) -> ok.
