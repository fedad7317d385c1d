%% Aliases of the monitors that go with requests to spawn: on this node the reference is one at once, on another node
%% when the process has been spawned, and never if it has not. What is sent before is lost; unalias/1 works before, too.
-module(spawn_aliases).
-export([main/1]).

main([Other]) ->
    [see:value({Where, Kind, Options, Undone}, asked(Node, Kind, Options, Undone))
        || {Where, Node} <- [{own, node()}, {other, Other}], Kind <- [explicit_unalias, demonitor, reply_demonitor],
           Options <- [[], [invalid]], Undone <- [false, true]].

asked(Node, Kind, Options, Undone) ->
    Alias = spawn_request(Node, timer, sleep, [infinity], [{monitor, [{alias, Kind}]} | Options]),
    Alias ! early,
    Removed = Undone andalso unalias(Alias),
    {Result, Pid} = receive {spawn_reply, Alias, R, P} -> {R, P} end,
    Alias ! late,
    Down = is_pid(Pid) andalso stopped(Alias, Pid),
    Alias ! after_end,
    Again = unalias(Alias),
    {Result, Removed, Down, Again, received()}.

%% An alias that a message ends ends the monitor too.
stopped(Alias, Pid) ->
    Monitor = monitor(process, Pid),
    exit(Pid, kill),
    receive {'DOWN', Monitor, _, _, killed} -> ok end,
    receive {'DOWN', Alias, _, _, killed} -> true after 200 -> false end.

received() ->
    receive Message -> [Message | received()] after 0 -> [] end.
