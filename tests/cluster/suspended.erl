%% What a process is doing whose signal to another node waits behind a busy connection: it is suspended in the call,
%% also if nothing follows that call, and gets the call's result when the other node reads again.
%% args: +zdbbl 4 -connect_all false
-module(suspended).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    cluster:connect(B),
    Sink = cluster:on(B, fun() -> spawn(fun sink/0) end),
    Os = cluster:on(B, fun os:getpid/0),
    Callers = [caller(Sink, Name) || Name <- [link, unlink, monitor, demonitor, exit, group_leader, send, send_name,
        '!']],
    Resting = [erlang:monitor_node(B, false) || _ <- Callers],
    see:value("before", lists:usort(Resting)),
    stop("STOP", Os),
    Filler = spawn(fun() -> fill(Sink, binary:copy(<<0>>, 100_000)) end),
    settled(Filler),
    [Pid ! go || {_, Pid, _} <- Callers],
    [shown(Caller) || Caller <- Callers],
    stop("CONT", Os),
    exit(Filler, kill),
    [ended(Caller) || Caller <- Callers].

%% A process that makes one call, the last thing it does, when it is told to.
caller(Sink, Name) ->
    Self = self(),
    {Pid, Monitor} = spawn_monitor(fun() -> prepared(Self, Name, prepare(Name, Sink)) end),
    receive {Pid, ready} -> {Name, Pid, Monitor} end.

prepared(Starter, Name, What) ->
    Starter ! {self(), ready},
    receive go -> call(Name, What) end.

prepare(unlink, Sink) -> link(Sink), Sink;
prepare(demonitor, Sink) -> monitor(process, Sink);
prepare(_, Sink) -> Sink.

call(link, Sink) -> link(Sink);
call(unlink, Sink) -> unlink(Sink);
call(monitor, Sink) -> monitor(process, Sink);
call(demonitor, Monitor) -> demonitor(Monitor);
call(exit, Sink) -> exit(Sink, ignored);
call(group_leader, Sink) -> group_leader(self(), Sink);
call(send, Sink) -> erlang:send(Sink, hello);
call(send_name, Sink) -> erlang:send({nobody, node(Sink)}, hello, [noconnect]);
call('!', Sink) -> Sink ! hello.

%% The function that a sender is in is not the same for all calls of stock, so it is only looked at where it is.
shown({Name, Pid, _}) when Name =:= send; Name =:= send_name; Name =:= '!' ->
    see:value(Name, suspended(Pid));
shown({Name, Pid, _}) ->
    see:value(Name, {suspended(Pid), function(Pid)}).

function(Pid) ->
    {current_function, {Module, Function, _}} = process_info(Pid, current_function),
    {Module, Function}.

suspended(Pid) -> cluster:wait(fun() -> process_info(Pid, status) =:= {status, suspended} end).

%% The filler is suspended and goes on until what is between the nodes is full.
settled(Filler) ->
    {reductions, Before} = process_info(Filler, reductions),
    timer:sleep(300),
    suspended(Filler),
    case process_info(Filler, reductions) of
        {reductions, Before} -> ok;
        _ -> settled(Filler)
    end.

ended({Name, Pid, Monitor}) ->
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value(Name, Reason) after 20_000 ->
        see:value(Name, still_there) end.

fill(To, Bytes) ->
    To ! Bytes,
    fill(To, Bytes).

sink() ->
    process_flag(trap_exit, true),
    receive _ -> sink() end.

stop(Signal, Os) -> "" = os:cmd("kill -" ++ Signal ++ " " ++ Os).
