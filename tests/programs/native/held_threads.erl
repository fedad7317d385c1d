%% While functions of a library hold every dirty CPU scheduler, what the machine has to do for others is done all the
%% same: it tells of a process with very many relations that has ended, handles very many signals, closes the port of a
%% process that was killed, collects a large heap, and runs long BIFs. (What is not done in time would be done after the
%% release, which comes only at the end.)
%% needs: erl_nif.h
-module(held_threads).
-export([main/0, init/0, hold/0, held/0, release/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

hold() -> erlang:nif_error(not_loaded).
held() -> erlang:nif_error(not_loaded).
release() -> erlang:nif_error(not_loaded).

main() ->
    Large = start_large(),
    Count = erlang:system_info(dirty_cpu_schedulers_online),
    [spawn_link(fun hold/0) || _ <- lists:seq(1, Count)],
    true = apart:wait(fun() -> held() =:= Count end, true, 1000),
    [see:value(Label, apart:run(Fun, 60000))
     || {Label, Fun} <- [{ends, fun ends/0}, {signals, fun signals/0}, {ports, fun ports/0},
                         {collects, fun() -> collects(Large) end},
                         {bifs, fun bifs/0}]],
    see:value(held, held() =:= Count),
    release().

%% A process that is monitored 20,000 times ends.
ends() ->
    Pid = spawn(fun() -> receive stop -> ok end end),
    Me = self(),
    Watch = fun() ->
        Monitors = [monitor(process, Pid) || _ <- lists:seq(1, 1000)],
        Me ! ready,
        exit(length([receive {'DOWN', _, process, _, normal} -> told end || _ <- Monitors]))
    end,
    Watching = [spawn_monitor(Watch) || _ <- lists:seq(1, 20)],
    [receive ready -> ok end || _ <- Watching],
    Pid ! stop,
    lists:sum([receive {'DOWN', Monitor, process, _, Count} -> Count end || {_, Monitor} <- Watching]).

%% A process that gets 40,000 signals while it is busy answers.
signals() ->
    Me = self(),
    Pid = spawn(fun() -> Me ! started, until(go), receive {ask, From} -> From ! answer end end),
    receive started -> ok end,
    Senders = [spawn_monitor(fun() -> many(Pid) end) || _ <- lists:seq(1, 20)],
    [receive {'DOWN', Monitor, _, _, many} -> ok end || {_, Monitor} <- Senders],
    Pid ! go,
    Pid ! {ask, self()},
    receive answer -> answered end.

many(Pid) ->
    [monitor(process, Pid) || _ <- lists:seq(1, 2000)],
    exit(many).

%% Looks for a message without waiting for it.
until(Message) -> receive Message -> ok after 0 -> until(Message) end.

%% The address of a process that was killed, and that very many monitored, is free.
ports() ->
    Me = self(),
    Pid = spawn(fun() ->
        {ok, Socket} = gen_tcp:listen(0, [{reuseaddr, true}]),
        {ok, Number} = inet:port(Socket),
        Me ! {number, Number},
        receive after infinity -> ok end
    end),
    Number = receive {number, It} -> It end,
    Watch = fun() -> monitor(process, Pid), Me ! ready, receive after infinity -> ok end end,
    [spawn(Watch) || _ <- lists:seq(1, 20000)],
    [receive ready -> ok end || _ <- lists:seq(1, 20000)],
    exit(Pid, kill),
    see:value(dead, apart:wait(fun() -> is_process_alive(Pid) end, false, 1000)),
    {ok, Socket} = gen_tcp:listen(Number, [{reuseaddr, true}]),
    gen_tcp:close(Socket).

%% A process that needs a large collection can be asked, and ends when it is killed.
start_large() ->
    Me = self(),
    Pid = spawn(fun() ->
        Large = lists:seq(1, 1500000),
        Me ! made,
        receive go -> again(Large, []) end
    end),
    receive made -> Pid end.

collects(Pid) ->
    Pid ! go,
    timer:sleep(100),
    {priority, normal} = process_info(Pid, priority),
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Monitor, _, _, Reason} -> Reason end.

again(Large, Lists) when length(Lists) > 1000 -> again(Large, []);
again(Large, Lists) -> again(Large, [lists:seq(1, 1000) | Lists]).

%% (On terms that make no heap large: stock collects large ones on dirty CPU schedulers.)
bifs() ->
    Binary = binary:copy(<<"abcdefgh">>, 400000),
    Subject = <<(binary:copy(<<"a">>, 40))/binary, "c">>,
    Compressed = term_to_binary(Binary, [compressed]),
    [
        binary_to_term(Compressed) =:= Binary,
        re:run(Subject, "^(a|aa|a)+$"),
        re:run(Binary, "x"),
        binary:longest_common_prefix([Binary, <<Binary/binary, "i">>]),
        length(binary:matches(binary:part(Binary, 0, 16000), <<"h">>)),
        erlang:phash2(Binary) =:= erlang:phash2(binary:copy(Binary))
    ].
