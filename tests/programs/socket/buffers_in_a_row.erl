%% Several buffers are read in a row, as many as rcvbuf says, also when the last read found nothing behind a full one.
-module(buffers_in_a_row).
-export([main/0]).

main() ->
    {ok, L} = socket:open(inet, stream, tcp),
    ok = socket:bind(L, #{family => inet, addr => loopback, port => 0}),
    ok = socket:listen(L),
    {ok, Address} = socket:sockname(L),
    {ok, C} = socket:open(inet, stream, tcp),
    ok = socket:connect(C, Address),
    {ok, S} = socket:accept(L),
    [see:value({N, Buffers}, read(C, S, N, Buffers))
     || N <- [6144, 6143, 6145, 1024, 10240, 1],
        Buffers <- [8192, {8, 1024}, {5, 2048}, {3, 2048}, {2, 2048}, {6, 1024}, {7, 1024}, {1, 6144}, {5, 2048},
            {2, 6144}]],
    see:value(timeouts, [timed(C, S, Buffers) || Buffers <- [{8, 1024}, {5, 2048}, {3, 2048}, {2, 2048}]]).

%% The sizes in which the bytes come that are there.
read(C, S, Bytes, Buffers) ->
    sent(C, S, Bytes, Buffers),
    all(S, Bytes).

all(_, 0) -> [];
all(S, Left) ->
    {ok, Bin} = socket:recv(S),
    [byte_size(Bin) | all(S, Left - byte_size(Bin))].

%% The same for a reader that does not wait, and finds nothing in the end.
timed(C, S, Buffers) ->
    sent(C, S, 6144, Buffers),
    at_once(S).

at_once(S) ->
    case socket:recv(S, 0, 0) of
        {ok, Bin} -> [byte_size(Bin) | at_once(S)];
        Other -> [Other]
    end.

%% All bytes are there to be read.
sent(C, S, Bytes, Buffers) ->
    ok = socket:setopt(S, {otp, rcvbuf}, Buffers),
    ok = socket:send(C, binary:copy(<<1>>, Bytes)),
    {ok, Peeked} = peeked(S, Bytes),
    Bytes = byte_size(Peeked).

peeked(S, Bytes) ->
    case socket:recv(S, Bytes, [peek]) of
        {ok, Bin} when byte_size(Bin) < Bytes -> receive after 5 -> peeked(S, Bytes) end;
        Other -> Other
    end.
