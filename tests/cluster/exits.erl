%% exit/2 to processes of the other node: kill, normal and others, to who traps and who does not, to the dead; payloads;
%% order.
%% timeout: 15
-module(exits).
-export([main/1]).

main([B]) ->
    Reasons = [normal, kill, killed, bad, shutdown, {shutdown, x}, {error, lists:seq(1, 10)},
        binary:copy(<<7>>, 300_000)],
    [see:value({dies_by, short(Reason)}, dies_by(B, Reason)) || Reason <- Reasons],
    [see:value({traps, short(Reason)}, traps(B, Reason)) || Reason <- Reasons],
    see:value("to the dead", exit(dead(B), bad)),
    see:value("from there", from_there(B)),
    see:value("order", order(B)),
    see:value("while it links", while_linking(B)),
    see:fails([fun() -> exit(waits, bad) end, fun() -> exit({cluster, B}, bad) end]).

short(Binary) when is_binary(Binary) -> {binary, byte_size(Binary)};
short(Other) -> Other.

%% A process that does not trap ends with the reason, unless that is normal.
dies_by(B, Reason) ->
    Pid = cluster:on(B, fun() -> spawn(fun() -> receive stop -> exit(stopped) end end) end),
    Monitor = monitor(process, Pid),
    true = exit(Pid, Reason),
    Pid ! stop,
    receive {'DOWN', Monitor, process, Pid, How} -> short(How) end.

%% A process that traps gets a message, unless the reason is kill.
traps(B, Reason) ->
    Self = self(),
    Pid = cluster:on(B, fun() ->
              Trapper = spawn(fun() ->
                  process_flag(trap_exit, true),
                  receive go -> ok end,
                  receive {'EXIT', From, Why} -> exit({trapped, From =:= Self, Why}) end
              end),
              Trapper ! go,
              cluster:wait(fun() -> process_info(Trapper, message_queue_len) end, {message_queue_len, 0}),
              Trapper
          end),
    Monitor = monitor(process, Pid),
    exit(Pid, Reason),
    receive
        {'DOWN', Monitor, process, Pid, {trapped, Mine, Why}} -> {trapped, Mine, short(Why)};
        {'DOWN', Monitor, process, Pid, How} -> short(How)
    end.

dead(B) ->
    Pid = cluster:on(B, fun() -> spawn(fun() -> ok end) end),
    _ = cluster:gone(Pid),
    Pid.

%% The other node ends a process here.
from_there(B) ->
    [begin
        {Pid, Monitor} = spawn_monitor(fun() -> receive stop -> exit(stopped) end end),
        cluster:on(B, fun() -> exit(Pid, Reason), Pid ! stop end),
        receive {'DOWN', Monitor, process, Pid, How} -> How end
     end || Reason <- [normal, kill, bad, {shutdown, 1}]].

%% Messages before the exit are received, those after it are not.
order(B) ->
    Self = self(),
    lists:usort([begin
        Pid = cluster:on(B, fun() -> spawn(fun() ->
                  process_flag(trap_exit, true),
                  Self ! {got, self(), [cluster:next() || _ <- lists:seq(1, 5)]}
              end) end),
        %% It has to trap before the exit comes.
        cluster:on(B, fun() -> apart:blocked(Pid) end),
        Pid ! 1, exit(Pid, 2), Pid ! 3, exit(Pid, binary:copy(<<4>>, 200_000)), Pid ! 5,
        receive {got, Pid, [1, {'EXIT', Self, 2}, 3, {'EXIT', Self, <<4, _/binary>>}, 5]} -> in_order;
                {got, Pid, Other} -> Other end
    end || _ <- lists:seq(1, 30)]).

%% A link, then an exit: only one end is told, whichever comes first.
while_linking(B) ->
    process_flag(trap_exit, true),
    Result = lists:usort([begin
        Pid = cluster:on(B, fun() -> spawn(fun() -> receive after infinity -> ok end end) end),
        link(Pid),
        exit(Pid, bad),
        {'EXIT', Pid, Reason} = cluster:next(),
        {Reason, cluster:rest()}
    end || _ <- lists:seq(1, 50)]),
    process_flag(trap_exit, false),
    Result.
