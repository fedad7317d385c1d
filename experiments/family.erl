%% Links and monitors: N processes that end because a linked process ends, and N monitored processes.
-module(family).
-export([links/1, monitors/1]).

%% A parent starts N children with spawn_link and ends; all of them end with it.
links(N) when is_integer(N), N > 0 ->
    Before = erlang:system_info(process_count),
    {Parent, Monitor} =
        spawn_monitor(
          fun() ->
                  [spawn_link(fun wait/0) || _ <- lists:seq(1, N)],
                  exit(over)
          end),
    receive {'DOWN', Monitor, process, Parent, over} -> ok end,
    all_gone(Before).

%% One process monitors N others, which end when told to; each end causes a message.
monitors(N) when is_integer(N), N > 0 ->
    Watched = [spawn_monitor(fun wait/0) || _ <- lists:seq(1, N)],
    [Pid ! stop || {Pid, _} <- Watched],
    [receive {'DOWN', Monitor, process, Pid, normal} -> ok end || {Pid, Monitor} <- Watched],
    ok.

wait() ->
    receive stop -> ok end.

%% The exit signals arrive in no particular order, so this waits until there are as few processes as before.
all_gone(Before) ->
    case erlang:system_info(process_count) of
        Now when Now =< Before -> ok;
        _ -> receive after 1 -> all_gone(Before) end
    end.
