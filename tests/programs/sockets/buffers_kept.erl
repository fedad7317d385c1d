%% A receive that came to nothing leaves a buffer of its size behind, and what comes then has to fit into it: a receive
%% of a length, of whatever comes, with and without a time to wait, and a packet after that.
%% timeout: 60
-module(buffers_kept).
-export([main/0]).

main() ->
    Receives = [{0, 0}, {0, 10}, {5, 0}, {5, 10}, {3000, 10}],
    [see:value({First, Second, Packet, Active}, apart:run(fun() -> received([First, Second], Packet, Active) end,
        10000))
     || First <- Receives, Second <- [none | Receives], Packet <- [cdr, 4, raw], Active <- [false, true, once]].

received(Receives, Packet, Active) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, {127, 0, 0, 1}}]),
    {ok, P} = inet:port(L),
    {ok, A} = gen_tcp:connect({127, 0, 0, 1}, P, [binary, {active, false}, {nodelay, true}]),
    {ok, B} = gen_tcp:accept(L),
    [{error, timeout} = gen_tcp:recv(B, Length, Time) || {Length, Time} <- Receives],
    ok = inet:setopts(B, [{packet, Packet}]),
    Sent = [packet(Packet, Size) || Size <- [2000, 0, 2500]],
    ok = gen_tcp:send(A, Sent),
    ok = gen_tcp:shutdown(A, write),
    case Active of
        false -> passive(B, Packet);
        _ -> _ = inet:setopts(B, [{active, Active}]), active(B, Packet, Active)
    end.

packet(cdr, Size) -> <<"GIOP", 1, 0, 0, 0, Size:32, 0:Size/unit:8>>;
packet(4, Size) -> <<Size:32, 0:Size/unit:8>>;
packet(raw, Size) -> <<0:Size/unit:8>>.

%% Bytes as they come are told in one.
passive(B, Packet) -> together(Packet, passive(B)).

passive(B) ->
    case gen_tcp:recv(B, 0, 3000) of
        {ok, Data} -> [byte_size(Data) | passive(B)];
        {error, Why} -> [Why]
    end.

active(B, Packet, Active) -> together(Packet, active(B, Active)).

active(B, Active) ->
    receive
        {tcp, B, Data} -> _ = Active =:= once andalso inet:setopts(B, [{active, once}]),
        [byte_size(Data) | active(B, Active)];
        {tcp_error, B, Why} -> [Why | active(B, Active)];
        {tcp_closed, B} -> [closed]
    after 3000 -> [nothing]
    end.

together(raw, Told) ->
    {Sizes, End} = lists:splitwith(fun is_integer/1, Told),
    [lists:sum(Sizes) | End];
together(_, Told) -> Told.
