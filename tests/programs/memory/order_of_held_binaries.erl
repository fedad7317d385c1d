%% The order in which process_info tells of the shared binaries that a process holds: as they were made, whatever was
%% collected.
-module(order_of_held_binaries).
-export([main/0]).

main() ->
    [see:value(Name, alone(Fun)) || {Name, Fun} <- cases()].

cases() ->
    [{new, fun() -> Held = made(), told(Held) end},
     {collected, fun() -> Held = made(), [begin garbage_collect(), told(Held) end || _ <- "1234"] end},
     {minor, fun() -> Held = made(), [begin garbage_collect(self(), [{type, minor}]), told(Held) end || _ <- "1234"]
         end},
     {between, fun() ->
          Held = lists:foldl(fun(Size, All) -> garbage_collect(self(), [{type, minor}]), All ++ [binary(Size)] end, [],
              lists:seq(101, 112)),
          [told(Held), begin garbage_collect(), told(Held) end]
      end},
     {some_dropped, fun() ->
          Held = [binary(Size) || Size <- lists:seq(101, 120), begin _ = binary(Size + 100), true end],
          garbage_collect(),
          Kept = [Binary || Binary <- Held, byte_size(Binary) rem 3 =/= 0],
          [begin garbage_collect(self(), [{type, Type}]), told(Kept) end || Type <- [minor, major, major, minor]]
      end}].

made() -> [binary(Size) || Size <- lists:seq(101, 110)].

binary(Size) -> list_to_binary(lists:duplicate(Size, 1)).

told(Held) ->
    {binary, Told} = process_info(self(), binary),
    see:id(Held),
    Sizes = [Size || {_, Size, _} <- Told],
    Kept = [byte_size(Binary) || Binary <- Held],
    %% What is dead may still be told of.
    [Size || Size <- Sizes, lists:member(Size, Kept)].

alone(Fun) ->
    {_, Monitor} = spawn_monitor(fun() -> exit({shutdown, Fun()}) end),
    receive {'DOWN', Monitor, process, _, {shutdown, Result}} -> Result end.
