%% No descriptor is left: everything says so, nothing is lost or left behind, and all goes on when there are some again.
%% timeout: 60
-module(port_exhausted).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    {ok, Listening} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}, {active, false}]),
    {ok, Number} = inet:port(Listening),
    %% What is opened once and for all, and what could not be loaded later.
    {ok, Udp} = gen_udp:open(0),
    gen_udp:close(Udp),
    {ok, First} = gen_tcp:connect({127, 0, 0, 1}, Number, []),
    {ok, Accepted} = gen_tcp:accept(Listening, 5000),
    [gen_tcp:close(Socket) || Socket <- [First, Accepted]],
    [{module, _} = code:ensure_loaded(M) || M <- [see, string, erl_erts_errors]],
    [] = os:cmd("true"),
    Before = descriptors(),
    [round(Listening, Number) || _ <- [1, 2, 3]],
    see:value(left, wait(fun() -> descriptors() - Before end, 100)),
    see:value(ports, length([P || P <- erlang:ports(), erlang:port_info(P, name) =:= {name, "/bin/cat"}])),
    no_bytes().

%% Lowers the limit of this very node, which may raise it again.
limit(Soft) ->
    [] = os:cmd("prlimit --nofile=" ++ Soft ++ ": --pid " ++ os:getpid()).

round(Listening, Number) ->
    limit("200"),
    {Ports, Reason} = open([]),
    see:value(refused, Reason),
    see:value(many, length(Ports) > 40),
    Files = files([]),
    see:value(file, file:open("/dev/null", [raw, read])),
    see:value(directory, file:list_dir("/")),
    see:value(connect, gen_tcp:connect({127, 0, 0, 1}, Number, [])),
    see:value(listen, gen_tcp:listen(0, [])),
    see:value(udp, gen_udp:open(0)),
    see:value(executable, catch_reason(fun() -> open_port({spawn_executable, "/bin/true"}, [exit_status]) end)),
    see:value(missing, catch_reason(fun() -> open_port({spawn_executable, "/no/such"}, []) end)),
    %% Those that are open do not notice.
    [port_command(P, "still here\n") || P <- Ports],
    see:value(answers, lists:usort([receive {P, {data, {eol, Line}}} -> Line after 5000 -> none end || P <- Ports])),
    [file:close(F) || F <- Files],
    [port_close(P) || P <- Ports],
    [receive {'EXIT', P, normal} -> ok after 5000 -> throw(no_exit) end || P <- Ports],
    see:value(again, case open_port({spawn_executable, "/bin/true"}, [exit_status]) of
        Port -> receive {Port, {exit_status, N}} -> N after 5000 -> none end
    end),
    {ok, Socket} = gen_tcp:connect({127, 0, 0, 1}, Number, []),
    {ok, Other} = gen_tcp:accept(Listening, 5000),
    gen_tcp:close(Socket),
    gen_tcp:close(Other),
    flush().

open(Ports) when length(Ports) < 500 ->
    try open_port({spawn, "/bin/cat"}, [{line, 80}]) of
        Port -> open([Port | Ports])
    catch
        Class:Reason -> {Ports, {Class, Reason}}
    end;
open(Ports) -> {Ports, none}.

%% The few that are left.
files(Files) ->
    case file:open("/dev/null", [raw, read]) of
        {ok, File} when length(Files) < 500 -> files([File | Files]);
        _ -> Files
    end.

catch_reason(Fun) ->
    try Fun() of Port -> {opened, is_port(Port)} catch Class:Reason -> {Class, Reason} end.

descriptors() ->
    {ok, Names} = file:list_dir("/proc/self/fd"),
    length(Names).

wait(See, Times) ->
    case See() of
        Left when Left > 0, Times > 0 -> receive after 20 -> wait(See, Times - 1) end;
        Left -> max(0, Left)
    end.

flush() -> receive _ -> flush() after 0 -> ok end.

%% Data that is none, and bytes that begin within a byte. (What is no whole number of bytes is refused; stock drops the
%% bits at the end of short data and refuses long ones.)
no_bytes() ->
    Port = open_port({spawn, "/bin/cat"}, [binary]),
    [see:value({data, Data}, catch_value(fun() -> port_command(Port, Data) end))
     || Data <- [[256], [-1], a, {}, [[] | []], <<>>]],
    <<_:4, Odd:8/bitstring, _/bitstring>> = see:id(<<16#A412:16, 0:4>>),
    port_command(Port, [Odd, "\n"]),
    see:value(odd, receive {Port, {data, Bytes}} -> Bytes after 5000 -> none end),
    Port ! {self(), {command, [-1]}},
    see:value(sent, receive {'EXIT', Port, Why} -> Why after 5000 -> none end).

catch_value(Fun) ->
    try Fun() catch Class:Reason -> {Class, Reason} end.
