%% Whose child a process is that another node has spawned: through collections, and when the parent is gone.
-module(parents).
-export([main/1, sleep/0, born/1]).

main([B]) ->
    Self = self(),
    [begin
         {Child, Watch} = spawn_monitor(Node, fun() -> child(Self) end),
         see:value({Which, itself}, receive {Child, Parent} -> Parent =:= Self end),
         see:value({Which, asked}, parent(Child) =:= {parent, Self}),
         Child ! again,
         see:value({Which, after_collections}, receive {Child, Parents} -> lists:usort([P =:= Self || P <- Parents])
             end),
         [begin garbage_collected(Child), see:value({Which, collected}, parent(Child) =:= {parent, Self})
             end || _ <- "ab"],
         Child ! hibernate,
         cluster:wait(fun() -> function(Child) =:= {erlang, hibernate, 3} end),
         see:value({Which, hibernating}, parent(Child) =:= {parent, Self}),
         exit(Child, kill),
         receive {'DOWN', Watch, process, Child, Reason} -> see:value({Which, ended}, Reason) end
     end || {Which, Node} <- [{here, node()}, {there, B}]],
    see:value(mfa, orphan(spawn(B, ?MODULE, born, [Self]))),
    {Middle, Ref} = spawn_monitor(fun() -> Self ! {made, spawn(B, ?MODULE, born, [Self])} end),
    receive {made, Orphan} -> ok end,
    receive {'DOWN', Ref, process, Middle, normal} -> ok end,
    see:value(orphan, element(2, parent(Orphan)) =:= Middle),
    see:value(parent_of_init, cluster:on(B, fun() -> process_info(whereis(init), parent) end)),
    exit(Orphan, kill),
    ok.

child(To) ->
    {parent, Parent} = process_info(self(), parent),
    To ! {self(), Parent},
    receive again -> ok end,
    To ! {self(), [begin [_ | _] = lists:seq(1, 1000), garbage_collect(), {parent, P} = process_info(self(), parent), P
        end || _ <- lists:seq(1, 50)]},
    receive hibernate -> erlang:hibernate(?MODULE, sleep, []) end.

sleep() -> receive never -> ok end.

born(To) ->
    To ! {self(), process_info(self(), parent)},
    sleep().

orphan(Child) ->
    receive {Child, {parent, Parent}} -> exit(Child, kill), Parent =:= self() end.

parent(Child) when node(Child) =:= node() -> process_info(Child, parent);
parent(Child) -> cluster:on(node(Child), fun() -> process_info(Child, parent) end).

function(Child) -> element(2, cluster:on(node(Child), fun() -> process_info(Child, current_function) end)).

garbage_collected(Child) -> true = cluster:on(node(Child), fun() -> garbage_collect(Child) end).
