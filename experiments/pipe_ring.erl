%% E3: rings of processes, each with a port on /bin/cat.
%%   erl +Bd -noshell +K true -smp disable -s pipe_ring start 10 100000 8
%% starts 8 rings of 10 processes. In each ring a number is passed around: every process
%% sends it through its program and back, subtracts one and passes it on. A process that
%% receives zero passes it on and closes its port.
-module(pipe_ring).
-export([start/1, member/2, ring/3]).

start([Size, Count, Rings]) ->
    run(number(Size), number(Count), number(Rings)),
    halt().

number(Atom) -> list_to_integer(atom_to_list(Atom)).

run(Size, Count, Rings) ->
    T0 = erlang:monotonic_time(microsecond),
    Pids = [spawn_link(?MODULE, ring, [self(), Size, Count]) || _ <- lists:seq(1, Rings)],
    [receive {Pid, ready} -> ok end || Pid <- Pids],
    T1 = erlang:monotonic_time(microsecond),
    [Pid ! go || Pid <- Pids],
    [receive {Pid, done} -> ok end || Pid <- Pids],
    T2 = erlang:monotonic_time(microsecond),
    Ports = Size * Rings,
    Messages = Count * Rings,
    io:format("~b ports opened, each in ~.1f us~n", [Ports, (T1 - T0) / Ports]),
    io:format("~b messages, ~.1f us each, ~b messages/s~n",
              [Messages, (T2 - T1) / Messages, Messages * 1_000_000 div max(1, T2 - T1)]).

%% Builds one ring, sends the number to its first member and waits until all members are done.
ring(Starter, Size, Count) ->
    Members = [spawn_link(?MODULE, member, [self(), Nth]) || Nth <- lists:seq(1, Size)],
    [First | Rest] = Members,
    lists:foreach(fun({Pid, Next}) -> Pid ! {next, Next} end,
                  lists:zip(Members, Rest ++ [First])),
    [receive {Pid, open} -> ok end || Pid <- Members],
    Starter ! {self(), ready},
    receive go -> First ! {number, Count} end,
    [receive {Pid, closed} -> ok end || Pid <- Members],
    Starter ! {self(), done}.

member(Keeper, _Nth) ->
    Next = receive {next, Pid} -> Pid end,
    Port = open_port({spawn, "/bin/cat"}, [in, out, {line, 128}]),
    Keeper ! {self(), open},
    pass(Keeper, Next, Port).

pass(Keeper, Next, Port) ->
    receive
        {number, 0} ->
            Next ! {number, 0},
            true = port_close(Port),
            Keeper ! {self(), closed};
        {number, N} ->
            true = port_command(Port, [integer_to_list(N), $\n]),
            receive
                {Port, {data, {eol, Line}}} ->
                    Next ! {number, list_to_integer(Line) - 1},
                    pass(Keeper, Next, Port)
            end
    end.
