%% Peers that reset and half-close in every state of a connection, over ports and over the module socket: what each call
%% is told, and that nothing is left behind: descriptors, ports, processes.
%% timeout: 240
-module(tcp_faults).
-export([main/0]).

-define(LO, {127, 0, 0, 1}).

main() ->
    Before = apart:counts(),
    [begin
         see:value({Backend, Fault, State}, isolated(fun() -> state(State, Fault, Backend) end))
     end || Backend <- [inet, socket], State <- states(), Fault <- faults()],
    [see:value({Backend, What}, isolated(fun() -> other(What, Backend) end)) || Backend <- [inet, socket],
        What <- others()],
    see:value(left, apart:settle(Before, 200)).

faults() -> [reset, close, half_close].
states() -> [queued, passive_idle, passive_waiting, passive_length, active, active_once, sending, sending_waiting,
    sending_timeout, sendfile, packet, after_half_close, no_exit_on_close, shown].
others() -> [refused, connect_timeout, accept_timeout, close_while_accepting, close_while_receiving,
    close_while_sending, owner_dies, two_receivers].

%% In a process of its own, so that nothing of one is seen by another.
isolated(Fun) -> apart:run(Fun, 60000).

b(inet) -> [];
b(socket) -> [{inet_backend, socket}].

%% The peer is always a plain one, in a process of its own that does what it is told and says when it is done.
peer(Listening) ->
    spawn_link(fun() -> {ok, S} = gen_tcp:accept(Listening, 20000), peer_loop(S) end).

peer_loop(S) ->
    receive
        {From, Ref, What} -> From ! {Ref, done(What, S)}, peer_loop(S)
    end.

done(reset, S) -> [inet:setopts(S, [{linger, {true, 0}}]), gen_tcp:close(S)];
done(close, S) -> gen_tcp:close(S);
done(half_close, S) -> gen_tcp:shutdown(S, write);
done({send, Data}, S) -> gen_tcp:send(S, Data);
done(all, S) -> all(S, 0);
done({recv, N}, S) -> gen_tcp:recv(S, N, 20000).

all(S, N) ->
    case gen_tcp:recv(S, 0, 20000) of
        {ok, D} -> all(S, N + byte_size(D));
        Other -> {N, Other}
    end.

tell(Peer, What) ->
    Ref = make_ref(),
    Peer ! {self(), Ref, What},
    receive {Ref, Answer} -> Answer end.

connected(Backend, Opts) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}, {recbuf, 4096}]),
    {ok, P} = inet:port(L),
    Peer = peer(L),
    {ok, S} = gen_tcp:connect(?LO, P, b(Backend) ++ [binary, {active, false}, {sndbuf, 4096} | Opts]),
    {S, Peer, L}.

%% The fault is seen when the system has it: a reset by the error that waits, an end by the poll.
fault(Peer, Fault) -> see_it(tell(Peer, Fault)).
see_it(_) -> ok.

after_all(S) ->
    R1 = gen_tcp:recv(S, 0, 20000), R2 = gen_tcp:recv(S, 0, 20000),
    {recv, R1, R2, names(S)}.

names(S) -> [case R of {ok, _} -> ok; E -> E end || R <- [inet:peername(S), inet:sockname(S)]].

drain(Ms) -> drain(Ms, []).
drain(Ms, Acc) ->
    receive M -> drain(Ms, [plain(M) | Acc]) after Ms -> lists:reverse(Acc) end.

plain(M) when is_tuple(M) -> list_to_tuple([plain(X) || X <- tuple_to_list(M)]);
plain(P) when is_port(P) -> socket;
plain(R) when is_reference(R) -> ref;
plain(P) when is_pid(P) -> pid;
plain(X) -> X.

state(queued, Fault, B) ->
    %% The peer connects and has its fault before anybody accepts.
    {ok, L} = gen_tcp:listen(0, b(B) ++ [binary, {active, false}, {ip, ?LO}]),
    {ok, P} = inet:port(L),
    {ok, C} = gen_tcp:connect(?LO, P, [binary, {active, false}]),
    ok = gen_tcp:send(C, <<"early">>),
    _ = done(Fault, C),
    case gen_tcp:accept(L, 20000) of
        {ok, S} -> {accepted, gen_tcp:recv(S, 0, 20000), gen_tcp:recv(S, 0, 20000)};
        E -> E
    end;
state(passive_idle, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    fault(Peer, Fault),
    after_all(S);
state(passive_waiting, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    Me = self(),
    Reader = spawn_link(fun() -> Me ! reading, Me ! {read, gen_tcp:recv(S, 0, 20000)} end),
    receive reading -> ok end,
    wait_until(fun() -> process_info(Reader, status) =:= {status, waiting} end),
    fault(Peer, Fault),
    R = receive {read, Read} -> Read end,
    {R, after_all(S)};
state(passive_length, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    ok = tell(Peer, {send, <<"half of it">>}),
    fault(Peer, Fault),
    {gen_tcp:recv(S, 20, 20000), after_all(S)};
state(active, Fault, B) ->
    {S, Peer, _} = connected(B, [{active, true}]),
    ok = tell(Peer, {send, <<"data">>}),
    First = receive {tcp, S, D} -> D after 20000 -> none end,
    fault(Peer, Fault),
    Then = receive M -> plain(M) after 20000 -> none end,
    More = drain(50),
    {First, Then, More, names(S)};
state(active_once, Fault, B) ->
    {S, Peer, _} = connected(B, [{active, once}]),
    ok = tell(Peer, {send, <<"data">>}),
    First = receive {tcp, S, D} -> D after 20000 -> none end,
    fault(Peer, Fault),
    Nothing = drain(50),
    R = inet:setopts(S, [{active, once}]),
    Then = receive M -> plain(M) after 1000 -> none end,
    {First, Nothing, R, Then, drain(50)};
state(sending, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    fault(Peer, Fault),
    R = send_until_error(S, 20),
    {R, case R of ok -> tell(Peer, {recv, 10}) =/= x; _ -> after_all(S) end};
state(sending_waiting, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    Me = self(),
    Sender = spawn_link(fun() -> Me ! {sent, [gen_tcp:send(S, binary:copy(<<"x">>, 8000000)) || _ <- [1, 2]]} end),
    wait_until(fun() -> stands_still(Sender) end),
    fault(Peer, Fault),
    case Fault of
        half_close -> no_end_expected(), {A, E} = {x, x}, _ = {A, E}, tell_all(Peer, S);
        _ -> {receive {sent, R} -> R after 20000 -> none end, after_all(S)}
    end;
state(sending_timeout, Fault, B) ->
    {S, Peer, _} = connected(B, [{send_timeout, 300}, {send_timeout_close, true}]),
    R1 = catch [gen_tcp:send(S, binary:copy(<<"x">>, 8000000)) || _ <- [1, 2]],
    fault(Peer, Fault),
    {R1, gen_tcp:recv(S, 0, 20000)};
state(sendfile, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    Name = "faults.data",
    ok = file:write_file(Name, binary:copy(<<"y">>, 8000000)),
    Me = self(),
    Sender = spawn_link(fun() -> Me ! {sent, file:sendfile(Name, S)} end),
    wait_until(fun() -> stands_still(Sender) end),
    fault(Peer, Fault),
    R = case Fault of
            half_close -> P2 = Peer, P2 ! {self(), x, all}, receive {sent, Q} -> gen_tcp:shutdown(S, write),
                {Q, receive {x, Z} -> Z after 20000 -> none end} after 20000 -> none end;
            _ -> receive {sent, Q} -> Q after 20000 -> none end
        end,
    file:delete(Name),
    {R, after_all(S)};
state(packet, Fault, B) ->
    [begin
         {S, Peer, _} = connected(B, [{packet, P}]),
         ok = tell(Peer, {send, Part}),
         fault(Peer, Fault),
         {P, gen_tcp:recv(S, 0, 20000), gen_tcp:recv(S, 0, 20000)}
     end || {P, Part} <- [{4, <<0, 0, 0, 9, "abc">>}, {line, <<"no end">>}, {http, <<"GET / HTTP/1.1\r\nHost">>},
     {line, <<"one\ntwo">>}]];
state(after_half_close, Fault, B) ->
    {S, Peer, _} = connected(B, []),
    ok = gen_tcp:shutdown(S, write),
    ok = tell(Peer, {send, <<"last words">>}),
    fault(Peer, Fault),
    {gen_tcp:recv(S, 0, 20000), gen_tcp:recv(S, 0, 20000), gen_tcp:send(S, <<"x">>)};
state(no_exit_on_close, Fault, B) ->
    {S, Peer, _} = connected(B, [{exit_on_close, false}]),
    fault(Peer, Fault),
    Told = {gen_tcp:recv(S, 0, 20000), gen_tcp:recv(S, 0, 20000)},
    %% Once more when it becomes active.
    Active = [{inet:setopts(S, [{active, true}]), drain(200), inet:setopts(S, [{active, false}])} || B =:= inet,
        _ <- [1, 2]],
    {Told, Active, send_until_error(S, 20)};
state(shown, Fault, B) ->
    {S, Peer, _} = connected(B, [{show_econnreset, true}]),
    fault(Peer, Fault),
    {gen_tcp:recv(S, 0, 20000), gen_tcp:recv(S, 0, 20000), send_until_error(S, 20)}.

no_end_expected() -> ok.

tell_all(Peer, S) ->
    Peer ! {self(), x, all},
    R = receive {sent, Q} -> Q after 20000 -> none end,
    gen_tcp:shutdown(S, write),
    {R, receive {x, Z} -> Z after 20000 -> none end, after_all(S)}.

send_until_error(_, 0) -> ok;
send_until_error(S, N) ->
    case gen_tcp:send(S, <<"x">>) of
        ok -> receive after 1 -> ok end, send_until_error(S, N - 1);
        E -> E
    end.

stands_still(P) -> lists:member(process_info(P, status), [{status, waiting}, {status, suspended}, undefined]).

wait_until(Fun) ->
    case Fun() of
        true -> ok;
        false -> receive after 1 -> ok end, wait_until(Fun)
    end.

other(refused, B) ->
    {ok, L} = gen_tcp:listen(0, [{ip, ?LO}]), {ok, P} = inet:port(L), ok = gen_tcp:close(L),
    [gen_tcp:connect(?LO, P, b(B)), gen_tcp:connect(?LO, P, b(B), 1000), gen_tcp:connect({local, "/nonexistent/x"}, 0,
        b(B) ++ [local])];
other(connect_timeout, B) ->
    %% A queue that is full lets nobody in.
    {ok, L} = gen_tcp:listen(0, [{ip, ?LO}, {backlog, 1}]), {ok, P} = inet:port(L),
    _ = [gen_tcp:connect(?LO, P, [], 100) || _ <- [1, 2, 3]],
    {gen_tcp:connect(?LO, P, b(B), 200), length([L])};
other(accept_timeout, B) ->
    {ok, L} = gen_tcp:listen(0, b(B) ++ [{ip, ?LO}]),
    [gen_tcp:accept(L, 0), gen_tcp:accept(L, 50)];
other(close_while_accepting, B) ->
    {ok, L} = gen_tcp:listen(0, b(B) ++ [{ip, ?LO}]),
    Me = self(),
    As = [spawn_link(fun() -> Me ! {a, gen_tcp:accept(L)} end) || _ <- [1, 2, 3]],
    [wait_until(fun() -> process_info(A, status) =:= {status, waiting} end) || A <- As],
    ok = gen_tcp:close(L),
    {[receive {a, R} -> R after 20000 -> none end || _ <- As], gen_tcp:accept(L, 100)};
other(close_while_receiving, B) ->
    {S, _, _} = connected(B, []),
    Me = self(),
    A = spawn_link(fun() -> Me ! {a, gen_tcp:recv(S, 0)} end),
    wait_until(fun() -> process_info(A, status) =:= {status, waiting} end),
    {gen_tcp:close(S), receive {a, R} -> R after 20000 -> none end, gen_tcp:recv(S, 0, 10), gen_tcp:send(S, "x"),
        gen_tcp:close(S)};
other(close_while_sending, B) ->
    {S, _, _} = connected(B, [{linger, {true, 0}}]),
    Me = self(),
    A = spawn_link(fun() -> Me ! {a, [gen_tcp:send(S, binary:copy(<<"x">>, 8000000)) || _ <- [1, 2]]} end),
    wait_until(fun() -> stands_still(A) end),
    {gen_tcp:close(S), receive {a, R} -> R after 20000 -> none end};
other(owner_dies, B) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}]), {ok, P} = inet:port(L),
    {Pid, M} = spawn_monitor(fun() -> {ok, _} = gen_tcp:connect(?LO, P, b(B)), exit(bye) end),
    {ok, S} = gen_tcp:accept(L, 20000),
    receive {'DOWN', M, _, Pid, R} -> ok end,
    {R, gen_tcp:recv(S, 0, 20000)};
other(two_receivers, B) ->
    {S, Peer, _} = connected(B, []),
    Me = self(),
    A = spawn_link(fun() -> Me ! {a, gen_tcp:recv(S, 0)} end),
    wait_until(fun() -> process_info(A, status) =:= {status, waiting} end),
    C = spawn_link(fun() -> Me ! {c, gen_tcp:recv(S, 0, 20000)} end),
    R0 = case B of
             inet -> receive {c, Q} -> Q after 20000 -> none end;
             socket -> wait_until(fun() -> process_info(C, status) =:= {status, waiting} end)
         end,
    ok = tell(Peer, {send, <<"one">>}),
    R1 = receive {a, R} -> R after 20000 -> none end,
    {R0, R1}.
