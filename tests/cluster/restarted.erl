%% A node that is started again under its name is another node: what its earlier life had is gone, and its identifiers
%% are strangers.
%% timeout: 20
%% args: -connect_all false
-module(restarted).
-export([main/1]).

main([_]) ->
    cluster:quiet(),
    {Peer, C} = cluster:start(c),
    Old = cluster:on(C, fun() ->
              Pid = spawn(fun Loop() -> receive {From, M} -> From ! {old, M} end, Loop() end),
              register(served, Pid),
              Pid
          end),
    OldRef = cluster:on(C, fun erlang:make_ref/0),
    Creation = creation(Old),
    OldText = pid_to_list(Old),
    Old ! {self(), 1},
    see:value("first life", cluster:next()),
    cluster:kill(Peer),
    false = cluster:wait(fun() -> lists:member(C, nodes()) end, false),
    {Peer2, C} = cluster:start(c),
    New = cluster:on(C, fun() ->
              Pid = spawn(fun Loop() -> receive {From, M} -> From ! {new, M} end, Loop() end),
              register(served, Pid),
              Pid
          end),
    see:value("creations", {creation(New) =:= creation(cluster:on(C, fun erlang:self/0)), creation(New) =:= Creation,
                            cluster:call(Peer2, fun() -> erlang:system_info(creation) end) =:= creation(New)}),
    Old ! {self(), 2},
    New ! {self(), 3},
    {served, C} ! {self(), 4},
    see:value("second life", [cluster:next(), cluster:next() | cluster:rest(C)]),
    Copy = same_numbers(Old, creation(New)),
    see:value("same numbers, other creation", {Copy =:= Old, Copy == Old, erlang:phash2(Copy) =:= erlang:phash2(Old),
                                               node(Copy) =:= node(Old), length(lists:usort([Old, Copy]))}),
    see:value("as text it is of the present", list_to_pid(OldText) =:= Copy orelse other),
    process_flag(trap_exit, true),
    Monitor = monitor(process, Old),
    see:value("monitor", [element(2, Message) =:= Monitor andalso element(5, Message) || Message <- cluster:take(1)]),
    link(Old),
    see:value("link", [Reason || {'EXIT', Pid, Reason} <- cluster:take(1), Pid =:= Old]),
    see:value("exit", {exit(Old, kill), cluster:on(C, fun() -> is_process_alive(New) end)}),
    see:value("there", cluster:on(C, fun() ->
                  {node(Old), is_process_alive(New), (catch is_process_alive(Old)), (catch process_info(Old, status)),
                   node(OldRef) =:= node(), Old < New orelse Old > New}
              end)),
    see:value("of itself there", cluster:on(C, fun() -> [Old ! lost, catch element(1, catch link(Old))] end)),
    _ = cluster:rest(C),
    ok = peer:stop(Peer2).

creation(Pid) -> <<Creation:32>> = binary:part(term_to_binary(Pid), byte_size(term_to_binary(Pid)), -4), Creation.

same_numbers(Pid, Creation) ->
    Bytes = term_to_binary(Pid),
    binary_to_term(<<(binary:part(Bytes, 0, byte_size(Bytes) - 4))/binary, Creation:32>>).
