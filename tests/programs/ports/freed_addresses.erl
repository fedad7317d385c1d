%% When it is known that a process has ended, the address of its socket is free: whoever restarts the process opens it
%% again.
%% differs: on stock the end of a port is a task of its own, so an address may still be taken when it is known that its
%% owner has ended
-module(freed_addresses).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    [see:value({Kind, How}, reopened(Kind, How)) || Kind <- [udp, tcp], How <- [linked, monitored, asked]].

reopened(Kind, How) -> lists:usort([once(Kind, How) || _ <- lists:seq(1, 100)]).

once(Kind, How) ->
    Self = self(),
    Owner = fun() ->
        %% Those who are told first have longer to ask for the address.
        [spawn_link(fun() -> receive stop -> ok end end) || _ <- lists:seq(1, 20)],
        {ok, Socket} = open(Kind, 0),
        Self ! {self(), inet:port(Socket)},
        receive stop -> Self ! {self(), stops}, exit(shutdown) end
    end,
    {Pid, Monitor} = case How of
        monitored -> spawn_monitor(Owner);
        linked -> {spawn_link(Owner), none};
        asked -> {spawn(Owner), none}
    end,
    {ok, Number} = receive {Pid, Told} -> Told end,
    Flood = flood(Kind, Number),
    Pid ! stop,
    receive {Pid, stops} -> ok end,
    ended(How, Pid, Monitor),
    Flood ! stop,
    case open(Kind, Number) of
        {ok, Again} -> close(Kind, Again);
        Error -> Error
    end.

ended(linked, Pid, _) -> receive {'EXIT', Pid, shutdown} -> ok end;
ended(monitored, _, Monitor) -> receive {'DOWN', Monitor, process, _, shutdown} -> ok end;
ended(asked, Pid, _) ->
    case is_process_alive(Pid) of
        true -> ended(asked, Pid, none);
        false -> ok
    end.

%% Input keeps the port at work when its owner ends.
flood(tcp, _) -> self();
flood(udp, Number) ->
    Self = self(),
    Flood = spawn_link(fun() ->
        {ok, Socket} = gen_udp:open(0, [{ip, address()}]),
        Self ! {self(), floods},
        flood_until_stopped(Socket, Number)
    end),
    receive {Flood, floods} -> Flood end.

flood_until_stopped(Socket, Number) ->
    _ = gen_udp:send(Socket, address(), Number, <<"a datagram">>),
    receive stop -> gen_udp:close(Socket) after 0 -> flood_until_stopped(Socket, Number) end.

open(udp, Number) -> gen_udp:open(Number, [{ip, address()}]);
open(tcp, Number) -> gen_tcp:listen(Number, [{ip, address()}]).

%% One of this program's own: another program could take the number in between.
address() ->
    Program = list_to_integer(os:getpid()),
    {127, 1 + Program bsr 16 band 127, Program bsr 8 band 255, Program band 255}.

close(udp, Socket) -> gen_udp:close(Socket);
close(tcp, Socket) -> gen_tcp:close(Socket).
