%% A node that does almost nothing, as most do most of the time: N sleeping processes, and a hundred timers a second,
%% each of which wakes one of them.
-module(idle_node).
-export([run/1]).

-define(PERIOD_MS, 1000).
-define(AWAKE, 100).
-define(SECONDS, 8).

run([Count]) ->
    N = list_to_integer(atom_to_list(Count)),
    Asleep = [spawn_link(fun() -> receive stop -> ok end end) || _ <- lists:seq(?AWAKE + 1, N)],
    Awake = [spawn_link(fun() -> sleep(rand:uniform(?PERIOD_MS), #{}) end) || _ <- lists:seq(1, ?AWAKE)],
    timer:sleep(2 * ?PERIOD_MS),
    measured:work(fun() -> timer:sleep(?SECONDS * 1000), none end),
    {Asleep, Awake}.

sleep(Milliseconds, Kept) ->
    erlang:send_after(Milliseconds, self(), {wake, Milliseconds}),
    receive {wake, M} -> sleep(?PERIOD_MS, Kept#{M rem 7 => os:timestamp()}) end.
