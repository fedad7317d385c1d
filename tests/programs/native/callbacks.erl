%% Callbacks of a library and of a driver that take a lock, while others call the machine under that lock: whoever is
%% killed, sends, monitors, gives up objects, and wherever (schedulers, dirty ones, a thread of the library, the
%% driver), nobody waits for ever.
%% needs: erl_nif.h
-module(callbacks).
-export([main/0, init/0, work/3, work_cpu/3, work_io/3, hold/2, threads/1, counts/0, object/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

work(_, _, _) -> erlang:nif_error(not_loaded).
work_cpu(_, _, _) -> erlang:nif_error(not_loaded).
work_io(_, _, _) -> erlang:nif_error(not_loaded).
hold(_, _) -> erlang:nif_error(not_loaded).
threads(_) -> erlang:nif_error(not_loaded).
counts() -> erlang:nif_error(not_loaded).
object() -> erlang:nif_error(not_loaded).

main() ->
    ok = erl_ddll:load_driver(filename:dirname(code:which(?MODULE)), "callbacks"),
    Sink = spawn_link(fun sink/0),
    %% A process that is lent for all of it.
    Lent = spawn(fun() -> hold(1, Sink), work_io(0, Sink, 3000) end),
    threads(Lent),
    Rounds = 60,
    see:value(rounds, lists:usort([round(N, Sink) || N <- lists:seq(1, Rounds)])),
    threads(stop),
    exit(Lent, kill),
    unlink(Sink), exit(Sink, kill),
    %% What was monitored has ended, and every object has been destroyed that is not kept.
    Wanted = {0, 0, true, 2 * Rounds, true, true},
    see:value(counts, apart:wait(fun() -> erlang:garbage_collect(), counts() end, Wanted, 400)).

%% A client that has objects, monitors and a port, and is killed in a call that holds the lock, or waits for it.
round(N, Sink) ->
    Me = self(),
    {Client, Monitor} = spawn_monitor(fun() ->
        _ = [object() || _ <- lists:seq(1, 10)],
        %% What watches the port is linked to nothing.
        Port = open_port({spawn, "callbacks"}, []),
        Other = open_port({spawn, "callbacks"}, []),
        unlink(Other), port_connect(Other, Sink),
        Other ! {Sink, {command, "watch"}},
        Me ! {ready, Other},
        work(6, self(), 2),
        hold(N rem 4, Sink),
        Port ! {self(), {command, "x"}},
        hold(N rem 3, Sink),
        work_cpu(3, Sink, 10),
        receive never -> ok end
    end),
    Other = receive {ready, Port} -> Port end,
    Workers = [spawn_monitor(fun() -> Work(What, Client, 20) end)
        || What <- lists:seq(0, 6), Work <- [fun work/3, fun work_cpu/3, fun work_io/3]],
    _ = [object() || _ <- lists:seq(1, 10)],
    busy(N rem 7),
    exit(Client, kill),
    Ends = [receive {'DOWN', M, process, P, _} -> ended after 20000 -> hung end || {P, M} <- [{Client,
        Monitor} | Workers]],
    Sink ! {close, Other, Me},
    receive closed -> ok end,
    lists:usort(Ends).

%% So many milliseconds pass.
busy(Ms) -> receive after Ms -> ok end.

sink() ->
    receive
        {close, Port, From} -> catch port_close(Port), From ! closed;
        _ -> ok
    end,
    sink().
