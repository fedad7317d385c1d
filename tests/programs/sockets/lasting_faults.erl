%% Faults that last, all at once: peers that half-close, reset, never read or lie about lengths, children that are
%% stopped, read nothing or close their ends. While nothing happens, nobody is busy.
%% timeout: 60
-module(lasting_faults).
-export([main/0]).

-define(LO, {127, 0, 0, 1}).

main() ->
    ok = logger:set_primary_config(level, none),
    Me = self(),
    Holders = [begin
        {Pid, Monitor} = spawn_monitor(fun() ->
            process_flag(trap_exit, true),
            State = Make(),
            Me ! {ready, self()},
            receive stop -> State end
        end),
        receive
            {ready, Pid} -> see:value(Name, stands);
            {'DOWN', Monitor, process, Pid, Why} -> see:value(Name, Why)
        after 20000 -> see:value(Name, hangs)
        end,
        Pid
    end || {Name, Make} <- states()],
    %% Several looks, since what was sent may still be under way.
    see:value({states, length(Holders)}, apart:wait(fun() -> busy_ms(1000) > 200 end, false, 10)),
    %% The node waits at its end for what is still to be written to programs.
    Children = [integer_to_list(Id) || P <- erlang:ports(), {os_pid, Id} <- [erlang:port_info(P, os_pid)],
        {name, Name} <- [erlang:port_info(P, name)],
                                       Name =:= "cat" orelse lists:prefix("sh -c", Name)],
    %% Of one only a grandchild is left.
    [] = os:cmd("kill -KILL " ++ lists:append(lists:join(" ", Children)) ++ " 2>/dev/null"),
    see:value(children, length(Children)),
    [exit(Pid, kill) || Pid <- Holders].

states() ->
    [{{B, Fault, Active}, fun() -> active(B, Fault, Active) end}
     || B <- [inet, socket], Fault <- [half_closed, half_closed_and_open, reset, unread],
     Active <- [false, true, once]] ++
    [{{B, What}, fun() -> what(B, What) end}
     || B <- [inet, socket], What <- [never_reads, send_timeout, closing_unsent, packet_lies, http_without_end,
         nobody_accepts, udp_unread, udp_refused]] ++
    [{{port, What}, fun() -> port(What) end}
     || What <- [stopped, never_reads, stdout_closed, stdout_closed_eof, stdin_closed, grandchild, line_without_end,
         packet_without_end]].

b(inet) -> [];
b(socket) -> [{inet_backend, socket}].

connected(B, Options) ->
    {ok, L} = gen_tcp:listen(0, [binary, {active, false}, {ip, ?LO}]),
    {ok, N} = inet:port(L),
    {ok, C} = gen_tcp:connect(?LO, N, b(B) ++ [binary, {active, false} | Options]),
    {ok, A} = gen_tcp:accept(L),
    {C, A, L}.

much() -> binary:copy(<<"x">>, 5000000).

active(B, Fault, Active) ->
    {C, A, L} = connected(B, [{exit_on_close, false} || Fault =:= half_closed_and_open]),
    case Fault of
        reset -> ok = inet:setopts(A, [{linger, {true, 0}}]), gen_tcp:close(A);
        unread -> gen_tcp:send(A, "some");
        _ -> gen_tcp:shutdown(A, write)
    end,
    inet:setopts(C, [{active, Active}]),
    {C, A, L}.

what(B, never_reads) ->
    {C, A, L} = connected(B, []),
    {C, A, L, spawn_link(fun() -> [gen_tcp:send(C, much()) || _ <- [1, 2]] end)};
what(B, send_timeout) ->
    {C, A, L} = connected(B, [{send_timeout, 50}]),
    {C, A, L, [gen_tcp:send(C, much()) || _ <- [1, 2]]};
what(B, closing_unsent) ->
    {C, A, L} = connected(B, [{sndbuf, 10000}]),
    {C, A, L, spawn_link(fun() -> gen_tcp:send(C, much()) end), spawn_link(fun() -> gen_tcp:close(C) end)};
what(B, packet_lies) ->
    {C, A, L} = connected(B, [{packet, 4}, {active, true}]),
    {C, A, L, gen_tcp:send(A, <<100000000:32, "few">>)};
what(B, http_without_end) ->
    {C, A, L} = connected(B, [{packet, http}, {active, true}]),
    Lines = [["A: ", integer_to_list(N), "\r\n"] || N <- lists:seq(1, 1000)],
    {C, A, L, gen_tcp:send(A, [<<"GET / HTTP/1.1\r\n">>, Lines, "B: ", lists:duplicate(500, $x)])};
what(B, nobody_accepts) ->
    {ok, L} = gen_tcp:listen(0, b(B) ++ [{ip, ?LO}]),
    {ok, N} = inet:port(L),
    {L, gen_tcp:connect(?LO, N, [])};
what(B, udp_unread) ->
    {ok, U} = gen_udp:open(0, b(B) ++ [{active, false}]),
    {ok, N} = inet:port(U),
    {ok, V} = gen_udp:open(0),
    {U, V, [gen_udp:send(V, ?LO, N, "x") || _ <- lists:seq(1, 1000)]};
what(B, udp_refused) ->
    {ok, U} = gen_udp:open(0, b(B) ++ [{active, true}]),
    {U, gen_udp:connect(U, ?LO, 1), gen_udp:send(U, "x"), gen_udp:send(U, "x")}.

port(stopped) ->
    Port = open_port({spawn, "cat"}, []),
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    [] = os:cmd("kill -STOP " ++ integer_to_list(Pid)),
    {Port, spawn_link(fun() -> port_command(Port, much()) end)};
port(never_reads) ->
    Port = sleeper(""),
    {Port, spawn_link(fun() -> port_command(Port, much()) end)};
port(stdout_closed) -> sleeper("exec >&- 2>&-; ");
port(stdout_closed_eof) -> open_port({spawn, "sh -c 'exec >&- 2>&-; exec sleep 20'"}, [eof]);
port(stdin_closed) -> open_port({spawn, "sh -c 'exec <&-; exec sleep 20'"}, [in, exit_status]);
port(grandchild) -> open_port({spawn, "sh -c 'sleep 20 & exit 0'"}, [exit_status]);
port(line_without_end) -> open_port({spawn, "sh -c 'head -c 1000000 /dev/zero; exec sleep 20'"}, [{line, 100000}]);
port(packet_without_end) -> open_port({spawn, "sh -c 'printf \"\\177\\377\\377\\377abc\"; exec sleep 20'"},
    [{packet, 4}]).

sleeper(Before) -> open_port({spawn, "sh -c '" ++ Before ++ "exec sleep 20'"}, [exit_status]).

%% Milliseconds of processors that this node takes while it has nothing to do for so long.
busy_ms(Time) ->
    {Before, _} = statistics(runtime),
    receive after Time -> ok end,
    {After, _} = statistics(runtime),
    After - Before.
