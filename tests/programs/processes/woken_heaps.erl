%% A process that hibernates holds no more than it needs; when it wakes, it has the least heap that it was started with.
-module(woken_heaps).
-export([main/0, sleep/1, woken/1]).

main() ->
    [try_size(Words) || Words <- [1000, 15000, 100000]].

try_size(Words) ->
    Pid = spawn_opt(?MODULE, sleep, [self()], [{min_heap_size, Words}, link]),
    apart:wait(fun() -> {heap_size, Size} = process_info(Pid, heap_size), Size < 100 end, true, 400),
    {min_heap_size, Least} = process_info(Pid, min_heap_size),
    Pid ! wake,
    %% ferl that collects at every safepoint gives each heap only what it needs.
    IsTight = os:getenv("FERL_COLLECT_ALWAYS") =/= false,
    receive {Pid, Size} -> see:value(Words, {Least >= Words, IsTight orelse Size >= Least}) end.

sleep(Parent) ->
    erlang:hibernate(?MODULE, woken, [Parent]).

woken(Parent) ->
    receive
        wake ->
            {heap_size, Size} = process_info(self(), heap_size),
            Parent ! {self(), Size}
    end.
