%% A gen_server whose state is a map of three keys.
-module(live_server).
-behaviour(gen_server).
-export([start/1, call/2, start_link/2]).
-export([init/1, handle_call/3, handle_cast/2]).

start(Key) ->
    {ok, Pid} = gen_server:start_link(?MODULE, Key, []),
    Pid.

call(Key, Pid) ->
    {Key, _} = gen_server:call(Pid, {add, Key}),
    ok.

%% Under a supervisor. It adds one to the counter when it has started.
start_link(Counter, Key) -> gen_server:start_link(?MODULE, {Counter, Key}, []).

init({Counter, Key}) ->
    counters:add(Counter, 1, 1),
    init(Key);
init(Key) ->
    {ok, #{key => Key, sum => 0, last => none}}.

handle_call({add, More}, From, #{key := Key, sum := Sum} = State) ->
    {reply, {Key, Sum}, State#{sum := Sum + More, last := From}}.

handle_cast(_, State) -> {noreply, State}.
