%% A gen_server like one behind a connection: it monitors its owner, and has a row in a public ETS table.
-module(live_watcher).
-behaviour(gen_server).
-export([start/1, call/2]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2]).

start(Key) ->
    ets:whereis(?MODULE) =/= undefined orelse
        ets:new(?MODULE, [named_table, public, {read_concurrency, true}, {write_concurrency, true}]),
    {ok, Pid} = gen_server:start_link(?MODULE, {Key, self()}, []),
    Pid.

call(Key, Pid) ->
    [{Key, Pid, _}] = ets:lookup(?MODULE, Key),
    {Key, _} = gen_server:call(Pid, {add, Key}),
    ok.

init({Key, Owner}) ->
    Monitor = monitor(process, Owner),
    true = ets:insert(?MODULE, {Key, self(), 0}),
    {ok, #{key => Key, sum => 0, owner => Monitor}}.

handle_call({add, More}, _From, #{key := Key, sum := Sum} = State) ->
    _ = ets:update_counter(?MODULE, Key, {3, 1}),
    {reply, {Key, Sum}, State#{sum := Sum + More}}.

handle_cast(_, State) -> {noreply, State}.

handle_info({'DOWN', Monitor, process, _, _}, #{owner := Monitor} = State) -> {stop, normal, State}.
