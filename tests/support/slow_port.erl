%% One slow port and many senders: at which marks they are suspended and go on, and in which order it comes out. Ports
%% are parallel as asked, or, with `default`, as the node has it (`+spp`).
-module(slow_port).
-export([main/1]).

main(Parallels) ->
    process_flag(trap_exit, true),
    see:value(default, erlang:system_info(port_parallelism)),
    [marks(Parallel, Limits) || Parallel <- Parallels, Limits <- [default, {3000, 20000}, {9000, 9000}, {1, 1}]],
    never_busy(),
    [many_senders(Parallel) || Parallel <- Parallels].

parallelism(default) -> [];
parallelism(Parallel) -> [{parallelism, Parallel}].

is_parallel(default) -> erlang:system_info(port_parallelism);
is_parallel(Parallel) -> Parallel.

%% A program that reads a page of its input whenever a line comes through a named pipe, and says so.
-define(READER, "exec 3<>\"$1\"; echo here; while read -r line <&3; do dd bs=4096 count=1 >/dev/null 2>&1; echo page; done").

reader(Options) ->
    Fifo = filename:absname("port_marks_fifo"),
    _ = file:delete(Fifo),
    [] = os:cmd("mkfifo '" ++ Fifo ++ "'"),
    Port = open_port({spawn_executable, "/bin/sh"},
                     [{args, ["-c", ?READER, "sh", Fifo]}, {line, 100} | Options]),
    said(Port, "here"),
    {Port, Fifo}.

said(Port, Text) ->
    receive {Port, {data, {eol, Text}}} -> ok after 10000 -> see:value(silent, Text) end.

read_page({Port, Fifo}) ->
    [] = os:cmd("echo go > '" ++ Fifo ++ "'"),
    said(Port, "page"),
    settled(Port, queue(Port), 20).

%% The size of the queue when it has not changed for a while.
settled(Port, Size, Times) ->
    receive after 10 -> ok end,
    case queue(Port) of
        Size when Times =:= 0 -> Size;
        Size -> settled(Port, Size, Times - 1);
        Other -> settled(Port, Other, 20)
    end.

queue(Port) ->
    {queue_size, Size} = erlang:port_info(Port, queue_size),
    Size.

done({Port, Fifo}) ->
    {os_pid, Pid} = erlang:port_info(Port, os_pid),
    Program = integer_to_list(Pid),
    os:cmd("kill " ++ Program),
    %% Both pipes close when the program ends. The port learns first of the one or of the other: that there is no more
    %% output, or that nobody reads what still waits.
    Reason = receive {'EXIT', Port, R} -> R after 10000 -> none end,
    see:value('end', lists:member(Reason, [normal, epipe]) orelse Reason),
    flush(),
    ok = file:delete(Fifo).

flush() -> receive _ -> flush() after 0 -> ok end.

marks(Parallel, Limits) ->
    Me = self(),
    Set = case Limits of default -> []; _ -> [{busy_limits_port, Limits}] end,
    {Port, _} = Reader = reader(parallelism(Parallel) ++ Set),
    Piece = binary:copy(<<"x">>, 1000),
    {Taken, Queued} = fill(Port, Piece, 0),
    see:value({busy, Parallel, Limits}, {Taken, Queued}),
    erlang:system_monitor(Me, [busy_port]),
    Sender = spawn_link(fun() -> port_command(Port, Piece), Me ! {self(), went_on} end),
    see:value(told, receive {monitor, Sender, busy_port, Port} -> busy_port after 5000 -> none end),
    erlang:system_monitor(undefined),
    see:value(goes_on, pages(Reader, Sender, [], 40)),
    unlink(Sender),
    done(Reader).

%% Sends pieces until one is refused: how many were taken, and what waits then.
fill(Port, Piece, Taken) when Taken < 1000 ->
    case port_command(Port, Piece, [nosuspend]) of
        true -> _ = queue(Port), fill(Port, Piece, Taken + 1);
        false -> {Taken, queue(Port)}
    end;
fill(_, _, Taken) -> {Taken, never}.

%% Reads page by page until the sender goes on: what waited before and after each.
pages(_, _, Sizes, 0) -> {never, Sizes};
pages({Port, _} = Reader, Sender, Sizes, Left) ->
    Size = read_page(Reader),
    receive {Sender, went_on} -> {length(Sizes), Size, queue(Port) >= Size}
    after 0 -> pages(Reader, Sender, [Size | Sizes], Left - 1)
    end.

%% Without marks nobody is suspended.
never_busy() ->
    {Port, _} = Reader = reader([{busy_limits_port, disabled}]),
    {Taken, never} = fill(Port, binary:copy(<<"x">>, 1000), 0),
    see:value(never_busy, {Taken, queue(Port) > 900000}),
    done(Reader).

%% More than the marks allow: all are suspended, nothing is lost, and each one's messages stay in order.
many_senders(Parallel) ->
    Me = self(),
    Fifo = filename:absname("port_marks_start"),
    [] = os:cmd("mkfifo '" ++ Fifo ++ "'"),
    Port = open_port({spawn_executable, "/bin/sh"},
                     [{args, ["-c", "read -r line <\"$1\"; exec cat", "sh", Fifo]},
                      binary, {packet, 4} | parallelism(Parallel)]),
    erlang:system_monitor(Me, [busy_port]),
    Fill = binary:copy(<<0>>, 5000),
    Senders = [spawn_link(fun() ->
        receive go -> ok end,
        [case N rem 3 of
             0 -> port_command(Port, [<<S:16, N:16>>, Fill]);
             1 -> Port ! {Me, {command, [<<S:16, N:16>>, Fill]}};
             2 -> erlang:port_command(Port, <<S:16, N:16, Fill/binary>>, [])
         end || N <- lists:seq(1, 30)],
        Me ! {done, self()}
    end) || S <- lists:seq(1, 20)],
    [Pid ! go || Pid <- Senders],
    %% At a parallel port stock may have one sender wait for the answer of its port_command/3 instead.
    Still = [{status, suspended} | [{status, waiting} || is_parallel(Parallel)]],
    All = fun Wait(0) -> false;
              Wait(Times) ->
                  Suspended = [P || P <- Senders, lists:member(process_info(P, status), Still)],
                  case length(Suspended) of
                      20 -> true;
                      _ -> receive after 20 -> Wait(Times - 1) end
                  end
          end,
    see:value({all_suspended, Parallel}, All(1000)),
    Told = fun Count(Set) -> receive {monitor, P, busy_port, Port} -> Count(Set#{P => []}) after 0 -> map_size(Set) end
        end,
    Suspensions = Told(#{}),
    see:value({told, Parallel}, Suspensions =:= 20 orelse is_parallel(Parallel) andalso Suspensions > 10),
    erlang:system_monitor(undefined),
    see:value({waiting, Parallel}, queue(Port) < 20 * 2 * 5008 + 8192),
    [] = os:cmd("echo go > '" ++ Fifo ++ "'"),
    ok = file:delete(Fifo),
    Data = [receive {Port, {data, <<S:16, N:16, _:5000/binary>>}} -> {S, N} after 10000 -> none
        end || _ <- lists:seq(1, 600)],
    see:value({in_order, Parallel},
              [S || S <- lists:seq(1, 20), [N || {S1, N} <- Data, S1 =:= S] =/= lists:seq(1, 30)]),
    see:value({done, Parallel}, length([receive {done, P} -> ok after 5000 -> throw(suspended) end || P <- Senders])),
    port_close(Port),
    flush().
