%% Many programs at once, much data, what is left over: descriptors, zombies, suspended senders.
%% timeout: 60
-module(port_programs).
-export([main/0]).

main() ->
    commands(),
    many(),
    much(),
    slow_reader(false),
    slow_reader(true),
    left_over(),
    names_of_hosts().

commands() ->
    see:value(output, os:cmd("echo a; echo b >&2; exit 3")),
    see:value(input, os:cmd("cat")),
    see:value(unicode, os:cmd("printf 'λ%s' ä")),
    see:value(latin1, os:cmd("printf '\\344'")),
    see:value(atom, os:cmd('echo atom')),
    see:value(max_size, os:cmd("yes", #{max_size => 7})),
    see:value(long, length(os:cmd("seq 1 20000"))),
    see:fails([fun() -> os:cmd(see:id(17)) end, fun() -> os:cmd([0]) end]),
    see:value(empty, os:cmd("")),
    see:value(background, os:cmd("sleep 0.1 & echo x")),
    os:putenv("PORT_PROGRAMS", "set"),
    see:value(env, os:cmd("echo $PORT_PROGRAMS")),
    see:value(pid, os:cmd("echo $PPID") =/= "\n"),
    see:value(parallel, lists:usort(pmap(fun(N) -> os:cmd("echo " ++ integer_to_list(N rem 3)) end, lists:seq(1, 30)))).

pmap(Fun, List) ->
    Me = self(),
    Refs = [begin R = make_ref(), spawn_link(fun() -> Me ! {R, Fun(X)} end), R end || X <- List],
    [receive {R, V} -> V end || R <- Refs].

many() ->
    Ports = [open_port({spawn, "cat"}, [{packet, 2}, binary, exit_status]) || _ <- lists:seq(1, 150)],
    [port_command(P, term_to_binary(N)) || {P, N} <- lists:zip(Ports, lists:seq(1, 150))],
    Answers = [receive {P, {data, D}} -> binary_to_term(D) after 10000 -> none end || P <- Ports],
    see:value(many, Answers =:= lists:seq(1, 150)),
    Pids = [element(2, erlang:port_info(P, os_pid)) || P <- Ports],
    see:value(distinct, length(lists:usort(Pids))),
    [port_close(P) || P <- Ports],
    see:value(gone, [P || P <- Pids, not gone(P, 200)]).

gone(_, 0) -> false;
gone(Pid, N) ->
    case filelib:is_dir("/proc/" ++ integer_to_list(Pid)) of
        false -> true;
        true -> timer:sleep(10), gone(Pid, N - 1)
    end.

%% 24 MB through a program, written by one process and read by another.
much() ->
    Port = open_port({spawn, "cat"}, [binary, stream]),
    Chunk = binary:copy(<<"0123456789abcdef">>, 4096),
    Me = self(),
    spawn_link(fun() -> [port_command(Port, [Chunk, Chunk]) || _ <- lists:seq(1, 192)], Me ! written end),
    Sum = gather(Port, 192 * 2 * byte_size(Chunk), erlang:md5_init()),
    receive written -> ok after 5000 -> see:value(written, no) end,
    Expected = lists:foldl(fun(_, C) -> erlang:md5_update(C, [Chunk, Chunk]) end, erlang:md5_init(), lists:seq(1, 192)),
    see:value(much, erlang:md5_final(Sum) =:= erlang:md5_final(Expected)),
    port_close(Port).

gather(_, 0, Sum) -> Sum;
gather(Port, N, Sum) ->
    receive {Port, {data, D}} -> gather(Port, N - byte_size(D), erlang:md5_update(Sum, D)) after 10000 -> Sum end.

%% Senders stand still while the program does not read, and what each of them sent arrives in its order.
slow_reader(Parallel) ->
    Me = self(),
    Port = open_port({spawn, "sh -c 'sleep 0.7; exec cat'"}, [binary, {packet, 4}, {parallelism, Parallel}]),
    Fill = binary:copy(<<0>>, 20000),
    Senders = [spawn_link(fun() ->
        [case N rem 2 of
             0 -> port_command(Port, <<S:16, N:16, Fill/binary>>);
             1 -> Port ! {Me, {command, <<S:16, N:16, Fill/binary>>}}
         end || N <- lists:seq(1, 10)],
        Me ! {done, self()}
    end) || S <- lists:seq(1, 8)],
    timer:sleep(400),
    see:value({suspended, Parallel}, lists:all(fun(P) -> process_info(P, status) =:= {status, suspended} end, Senders)),
    {queue_size, Queued} = erlang:port_info(Port, queue_size),
    see:value({bounded, Parallel}, Queued > 4096 andalso Queued < 80 * 20000),
    Data = [receive {Port, {data, <<S:16, N:16, _/binary>>}} -> {S, N} after 10000 -> none
        end || _ <- lists:seq(1, 80)],
    see:value({in_order, Parallel}, lists:all(fun(S) -> [N || {S1, N} <- Data, S1 =:= S] =:= lists:seq(1, 10) end,
        lists:seq(1, 8))),
    [receive {done, P} -> ok after 5000 -> see:value(not_done, P) end || P <- Senders],
    port_close(Port).

left_over() ->
    Before = descriptors(),
    [begin P = open_port({spawn, "true"}, [exit_status]), receive {P, {exit_status, 0}} -> ok end
        end || _ <- lists:seq(1, 40)],
    [begin P = open_port({spawn, "cat"}, [eof]), port_close(P) end || _ <- lists:seq(1, 40)],
    %% (Stock keeps a descriptor for each program that is missing, so that is not counted here.)
    timer:sleep(300),
    see:value(descriptors, max(0, descriptors() - Before)),
    see:value(ports, length([P || P <- erlang:ports(), erlang:port_info(P, name) =:= {name, "cat"}])),
    Self = list_to_integer(os:getpid()),
    see:value(zombies, [S || S <- children(Self), S =:= $Z]).

descriptors() ->
    {ok, Names} = file:list_dir("/proc/self/fd"),
    length(Names).

children(Parent) ->
    {ok, Names} = file:list_dir("/proc"),
    lists:append([state(N, Parent) || N <- Names, hd(N) >= $0, hd(N) =< $9]).

state(Name, Parent) ->
    case file:read_file(["/proc/", Name, "/stat"]) of
        {ok, Text} ->
            [_, Rest] = string:split(Text, <<") ">>, trailing),
            case binary:split(Rest, <<" ">>, [global]) of
                [<<State>>, P | _] -> [State || binary_to_integer(P) =:= Parent];
                _ -> []
            end;
        _ -> []
    end.

names_of_hosts() ->
    see:value(native, inet_gethost_native:gethostbyname("localhost", inet)),
    see:value(native_address, element(1, inet_gethost_native:gethostbyaddr({127, 0, 0, 1}))).
