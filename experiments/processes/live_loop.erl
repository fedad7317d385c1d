%% A process of proc_lib with a loop of its own, whose state is a map of three keys.
-module(live_loop).
-export([start/1, call/2, init/2]).

start(Key) ->
    {ok, Pid} = proc_lib:start_link(?MODULE, init, [self(), Key]),
    Pid.

call(Key, Pid) ->
    Ref = make_ref(),
    Pid ! {add, self(), Ref, Key},
    receive {Ref, Key, _} -> ok end.

init(Parent, Key) ->
    proc_lib:init_ack(Parent, {ok, self()}),
    loop(#{key => Key, sum => 0, last => none}).

loop(#{key := Key, sum := Sum} = State) ->
    receive
        {add, From, Ref, More} ->
            From ! {Ref, Key, Sum},
            loop(State#{sum := Sum + More, last := From})
    end.
