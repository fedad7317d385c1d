%% A native library that starts programs itself, beside those of ports: each has the status of its own, and the signal
%% of the library's children is told.
%% needs: erl_nif.h
-module(children).
-behaviour(gen_event).
-export([main/0, init/0, status_of/1, start/1, wait_for/1]).
-export([init/1, handle_event/2, handle_call/2]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    ok = gen_event:add_handler(erl_signal_server, ?MODULE, self()),
    %% If the signal were ignored, stock's system would take the statuses itself.
    ok = os:set_signal(sigchld, handle),
    see:value(alone, [status_of("exit " ++ integer_to_list(N)) || N <- [0, 1, 77]]),
    %% A program that runs all the time, and many that end.
    Port = open_port({spawn, "cat"}, [binary]),
    Ends = spawn_monitor(fun() -> exit([port_status(N) || N <- lists:seq(1, 50)]) end),
    see:value(beside_ports, [N || N <- lists:seq(1, 50), status_of("exit " ++ integer_to_list(N)) =/= N]),
    see:value(of_ports, ended(Ends) =:= lists:seq(1, 50)),
    quiet(),
    see:value(of_ports_alone, {[port_status(N) || N <- [6, 7]], told(100)}),
    %% One that nobody waits for yet keeps nobody from ending.
    Late = start(42),
    see:value(told, told(20000)),
    see:value(ports_beside_late, [port_status(N) || N <- [3, 4, 5]]),
    Later = start(43),
    see:value(told_again, told(20000)),
    see:value(statuses, [wait_for(Child) || Child <- [Late, Later, Late]]),
    see:value(nothing_more, told(100)),
    port_close(Port),
    ok = os:set_signal(sigchld, default).

%% What was told of programs before.
quiet() ->
    case told(200) of
        nothing -> ok;
        sigchld -> quiet()
    end.

port_status(N) ->
    Port = open_port({spawn, "sh -c 'exit " ++ integer_to_list(N) ++ "'"}, [exit_status]),
    receive {Port, {exit_status, Status}} -> Status end.

ended({Pid, Monitor}) -> receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end.

told(Within) -> receive {told, Signal} -> Signal after Within -> nothing end.

init(Pid) -> {ok, Pid}.
handle_event(Signal, Pid) -> Pid ! {told, Signal}, {ok, Pid}.
handle_call(_, Pid) -> {ok, ok, Pid}.

status_of(_) -> erlang:nif_error(not_loaded).
start(_) -> erlang:nif_error(not_loaded).
wait_for(_) -> erlang:nif_error(not_loaded).
