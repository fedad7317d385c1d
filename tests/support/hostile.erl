%% A node that is none: it knows the cookie, does the handshake by hand, and then sends what its program wants.
%% The protocol: https://www.erlang.org/doc/apps/erts/erl_dist_protocol.html
-module(hostile).
-export([connect/2, connect/3, flags/0, without/2, frame/1, is_closed/1, drain/1, close/1]).
-export([pid/4, reference/3]).

-define(PATIENCE, 10_000).

%% What this release offers, without the bits that change how it encodes.
flags() -> element(2, erts_internal:get_dflags()).

%% By bit number.
without(Flags, Bits) -> lists:foldl(fun(Bit, Left) -> Left band bnot (1 bsl Bit) end, Flags, Bits).

%% Connects under a name, with the flags given or with those of this release.
connect(Node, Name) -> connect(Node, Name, #{}).

connect(Node, Name, Options) ->
    [Alive, Host] = string:lexemes(atom_to_list(Node), "@"),
    {port, Port, _} = erl_epmd:port_please(Alive, Host),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {active, false}, {packet, 2}, {nodelay, true}]),
    Flags = maps:get(flags, Options, flags()),
    Text = atom_to_binary(Name),
    Creation = maps:get(creation, Options, 7),
    ok = gen_tcp:send(Socket, <<$N, Flags:64, Creation:32, (byte_size(Text)):16, Text/binary>>),
    case gen_tcp:recv(Socket, 0, ?PATIENCE) of
        {ok, <<"sok", _/binary>>} -> challenged(Socket, Options);
        {ok, <<"s", Status/binary>>} -> {refused, Status};
        {error, Reason} -> {refused, Reason}
    end.

challenged(Socket, Options) ->
    {ok, <<$N, _:64, Challenge:32, _/binary>>} = gen_tcp:recv(Socket, 0, ?PATIENCE),
    Cookie = maps:get(cookie, Options, atom_to_list(erlang:get_cookie())),
    Digest = erlang:md5([Cookie, integer_to_list(Challenge)]),
    ok = gen_tcp:send(Socket, <<$r, 4711:32, Digest/binary>>),
    case gen_tcp:recv(Socket, 0, ?PATIENCE) of
        {ok, <<$a, _/binary>>} ->
            ok = inet:setopts(Socket, [{packet, raw}]),
            {ok, Socket};
        {error, Reason} -> {refused, Reason}
    end.

frame(Bytes) -> [<<(iolist_size(Bytes)):32>>, Bytes].

%% Whether the other side ends the connection within a time.
is_closed({Socket, Timeout}) ->
    case gen_tcp:recv(Socket, 0, Timeout) of
        {ok, _} -> is_closed({Socket, Timeout});
        {error, timeout} -> false;
        {error, _} -> true
    end;
is_closed(Socket) -> is_closed({Socket, ?PATIENCE}).

%% What has come in.
drain(Socket) ->
    case gen_tcp:recv(Socket, 0, 100) of
        {ok, Bytes} -> <<Bytes/binary, (drain(Socket))/binary>>;
        {error, _} -> <<>>
    end.

close(Socket) -> gen_tcp:close(Socket).

%% Identifiers of any node, as bytes without the version.
pid(Node, Creation, Id, Serial) ->
    Name = atom_to_binary(Node),
    <<88, 119, (byte_size(Name)), Name/binary, Id:32, Serial:32, Creation:32>>.

reference(Node, Creation, Words) ->
    Name = atom_to_binary(Node),
    <<90, (length(Words)):16, 119, (byte_size(Name)), Name/binary, Creation:32,
        << <<Word:32>> || Word <- Words>>/binary>>.
