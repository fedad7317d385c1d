%% Many processes that end with their parent, and many that call one gen_server.
-module(crowds).
-export([torn_down/1, clients/1]).

-define(CALLS, 10).

%% A parent starts N children with spawn_link and ends; the second time is that until all of them are gone.
torn_down([Count]) ->
    N = lives:number(Count),
    Others = erlang:system_info(process_count),
    Before = lives:collected(),
    {Parent, Monitor} = spawn_monitor(fun() -> parent(N) end),
    receive {'DOWN', Monitor, process, Parent, Reason} -> {over, Ended, Started} = Reason end,
    lives:print("started_bytes", Started - Before),
    all_gone(Others),
    lives:print("gone", erlang:convert_time_unit(erlang:monotonic_time() - Ended, native, microsecond)).

parent(N) ->
    lives:step("start", fun() -> start(N) end),
    Started = lives:collected(),
    exit({over, erlang:monotonic_time(), Started}).

start(0) -> ok;
start(N) ->
    _ = spawn_link(fun() -> receive stop -> ok end end),
    start(N - 1).

%% The exit signals arrive in no particular order, so this waits until there are as few processes as before.
all_gone(Others) ->
    case erlang:system_info(process_count) of
        Now when Now =< Others -> ok;
        _ -> receive after 1 -> all_gone(Others) end
    end.

%% N clients call one gen_server at the same time, ten times each.
clients([Count]) ->
    N = lives:number(Count),
    lives:alone(fun() ->
        Server = live_server:start(N),
        Self = self(),
        Clients = [spawn_link(fun() -> client(Self, Server, N) end) || _ <- lists:seq(1, N)],
        garbage_collect(),
        lives:step("calls", fun() ->
            [Client ! start || Client <- Clients],
            [receive {Client, done} -> ok end || Client <- Clients]
        end)
    end).

client(Parent, Server, Key) ->
    receive start -> ok end,
    [ok = live_server:call(Key, Server) || _ <- lists:seq(1, ?CALLS)],
    Parent ! {self(), done}.
