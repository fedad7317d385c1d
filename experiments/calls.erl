%% Calls to a gen_server: N calls from one client, or N calls altogether from a hundred clients.
-module(calls).
-behaviour(gen_server).
-export([one/1, crowd/1]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(CLIENTS, 100).

one(N) when is_integer(N), N > 0 ->
    {ok, Server} = gen_server:start_link(?MODULE, 0, []),
    call(N, Server),
    N = gen_server:call(Server, count),
    ok = gen_server:stop(Server).

crowd(N) when is_integer(N), N >= ?CLIENTS ->
    {ok, Server} = gen_server:start_link(?MODULE, 0, []),
    Each = N div ?CLIENTS,
    Clients = [spawn_monitor(fun() -> call(Each, Server) end) || _ <- lists:seq(1, ?CLIENTS)],
    [receive {'DOWN', Monitor, process, Pid, normal} -> ok end || {Pid, Monitor} <- Clients],
    Total = Each * ?CLIENTS,
    Total = gen_server:call(Server, count),
    ok = gen_server:stop(Server).

call(0, _) -> ok;
call(N, Server) ->
    {ok, _} = gen_server:call(Server, {add, 1}),
    call(N - 1, Server).

init(Count) -> {ok, Count}.

handle_call({add, More}, _From, Count) -> {reply, {ok, Count}, Count + More};
handle_call(count, _From, Count) -> {reply, Count, Count}.

handle_cast(_, Count) -> {noreply, Count}.
