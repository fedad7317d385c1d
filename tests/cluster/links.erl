%% Links between nodes: made, taken back, broken by exits of every kind and size; links to the dead; links that cross;
%% timeout: 15
%% noconnection when the other node goes.
%% args: -connect_all false
-module(links).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    [see:value(Label, exit_of(B, Reason)) || {Label, Reason} <- reasons()],
    see:value("ends by itself", linked_to(B, fun() -> ok end)),
    see:value("error", linked_to(B, fun() -> error(some) end)),
    see:value("throw", linked_to(B, fun() -> throw(some) end)),
    unlinking(B),
    dead(B),
    crossing(B),
    not_trapping(B),
    many(B),
    gone(B).

reasons() ->
    [{normal, normal}, {atom, bad}, {shutdown, {shutdown, 1}}, {kill, kill}, {killed, killed},
        {tuple, {a, [b], #{c => 1.5}}},
     {binary_1000, binary:copy(<<1>>, 1_000)}, {binary_1000000, binary:copy(<<2>>, 1_000_000)},
     {list_100000, lists:seq(1, 100_000)}, {pid, self()}].

%% What the exit signal of a linked process there looks like here.
exit_of(_, Reason) when is_pid(Reason) -> skipped;
exit_of(B, Reason) -> linked_to(B, fun() -> exit(Reason) end).

linked_to(B, Fun) ->
    Pid = waiting(B, Fun),
    true = link(Pid),
    Pid ! go,
    case cluster:next() of
        {'EXIT', Pid, Reason} -> short(Reason);
        Other -> {unexpected, Other}
    end.

%% A process there that waits before it calls the fun.
waiting(B, Fun) -> cluster:on(B, fun() -> spawn(fun() -> receive go -> Fun() end end) end).

short({Reason, [{_, _, _, _} | _]}) -> {Reason, stack};
short(Binary) when byte_size(Binary) > 10 -> {binary, byte_size(Binary), erlang:crc32(Binary)};
short(List) when length(List) > 10 -> {list, length(List), lists:sum(List)};
short(Other) -> Other.

unlinking(B) ->
    Pid = waiting(B, fun() -> exit(unseen) end),
    see:value("link twice", [link(Pid), link(Pid)]),
    see:value("unlink", [unlink(Pid), unlink(Pid)]),
    Pid ! go,
    _ = cluster:gone(Pid),
    see:value("nothing", cluster:rest(B)),
    Again = waiting(B, fun() -> exit(seen) end),
    [begin link(Again), unlink(Again) end || _ <- lists:seq(1, 100)],
    link(Again),
    Again ! go,
    see:value("last link counts", [element(3, Exit) || Exit <- cluster:take(1)]),
    see:value("unlink what never was linked", unlink(waiting(B, fun() -> ok end))),
    %% Unlinked there.
    Self = self(),
    There = cluster:on(B, fun() -> spawn(fun() ->
                receive go -> link(Self), unlink(Self), exit(unseen) end
            end) end),
    There ! go,
    _ = cluster:gone(There),
    see:value("unlinked there", cluster:rest(B)).

dead(B) ->
    Pid = cluster:on(B, fun() -> spawn(fun() -> ok end) end),
    _ = cluster:gone(Pid),
    see:value("link to the dead", link(Pid)),
    see:value("told", element(3, cluster:next())),
    process_flag(trap_exit, false),
    {Victim, Monitor} = spawn_monitor(fun() -> link(Pid), receive after infinity -> ok end end),
    process_flag(trap_exit, true),
    see:value("who does not trap", receive {'DOWN', Monitor, process, Victim, Reason} -> Reason end),
    see:value("unlink the dead", unlink(Pid)).

%% Both link and unlink at the same time; in the end the link is as the last of both operations of one side left it.
crossing(B) ->
    Self = self(),
    Results = [begin
        There = cluster:on(B, fun() -> spawn(fun() ->
                    [begin link(Self), unlink(Self) end || _ <- lists:seq(1, 200)],
                    Self ! ready,
                    receive {exit, Reason} -> exit(Reason) end
                end) end),
        [begin link(There), unlink(There) end || _ <- lists:seq(1, 200)],
        receive ready -> ok end,
        case N rem 2 of
            0 -> link(There);
            1 -> ok
        end,
        There ! {exit, {number, N}},
        _ = cluster:gone(There),
        {N rem 2, [Reason || {'EXIT', Pid, {number, M}} = {_, _, Reason} <- cluster:rest(B), Pid =:= There,
            M =:= N] =:= []}
    end || N <- lists:seq(1, 20)],
    see:value("crossing", lists:usort(Results)).

not_trapping(B) ->
    Outcomes = [begin
        There = waiting(B, fun() -> exit(Reason) end),
        {Pid, Monitor} = spawn_monitor(fun() -> link(There), There ! go, receive after 100 -> exit(lives) end end),
        receive {'DOWN', Monitor, process, Pid, Outcome} -> Outcome end
    end || Reason <- [normal, bad, kill, {some, tuple}]],
    see:value("without trap_exit", Outcomes).

%% One process with many links, each of which breaks once.
many(B) ->
    Pids = [waiting(B, fun() -> exit(N) end) || N <- lists:seq(1, 500)],
    [link(Pid) || Pid <- Pids],
    see:value("links there", lists:usort([cluster:on(B, fun() -> process_info(Pid, links) end) =:= {links, [self()]}
                                          || Pid <- lists:sublist(Pids, 5)])),
    [Pid ! go || Pid <- Pids],
    Exits = cluster:take(500),
    see:value("many", [N || {'EXIT', Pid, N} <- lists:sort(fun by_reason/2, Exits), lists:nth(N, Pids) =:= Pid]
                      =:= lists:seq(1, 500)).

by_reason({_, _, A}, {_, _, B}) -> A =< B.

%% The connection ends: every link breaks on both sides.
gone(B) ->
    Pids = [waiting(B, fun() -> ok end) || _ <- lists:seq(1, 100)],
    There = cluster:on(B, fun() -> spawn(fun() -> process_flag(trap_exit, true), Told = cluster:next(), Told end) end),
    [link(Pid) || Pid <- [There | Pids]],
    cluster:disconnect(B),
    Exits = cluster:take(101),
    see:value("noconnection", {length(Exits), lists:usort([Reason || {'EXIT', _, Reason} <- Exits])}),
    see:value("there", cluster:on(B, fun() ->
                  cluster:wait(fun() -> [Pid || Pid <- [There | Pids], is_process_alive(Pid)] end, [])
              end)),
    %% Linked to a process of a node that cannot be reached.
    Nowhere = binary_to_term(iolist_to_binary([131, 88, 119, 16, "nobody@localhost", <<50:32, 0:32, 1:32>>])),
    see:value("nobody", {node(Nowhere), link(Nowhere), cluster:next()} =:= {'nobody@localhost', true,
        {'EXIT', Nowhere, noconnection}}),
    see:value("dropped", [unlink(Nowhere), exit(Nowhere, bad), Nowhere ! lost]).
