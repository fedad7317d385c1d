%% A gen_statem whose data is a map of three keys.
-module(live_machine).
-behaviour(gen_statem).
-export([start/1, call/2]).
-export([init/1, callback_mode/0, closed/3, open/3]).

start(Key) ->
    {ok, Pid} = gen_statem:start_link(?MODULE, Key, []),
    Pid.

call(Key, Pid) ->
    {Key, _} = gen_statem:call(Pid, {add, Key}),
    ok.

callback_mode() -> state_functions.

init(Key) -> {ok, closed, #{key => Key, sum => 0, last => none}}.

closed({call, From}, {add, More}, Data) -> add(From, More, open, Data).

open({call, From}, {add, More}, Data) -> add(From, More, closed, Data).

add(From, More, Next, #{key := Key, sum := Sum} = Data) ->
    {next_state, Next, Data#{sum := Sum + More, last := From}, [{reply, From, {Key, Sum}}]}.
