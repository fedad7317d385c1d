%% What `erlang:system_info(procs)` and `process_info(backtrace)` tell of processes: one that waits, one that was
%% switched out in the midst of its work, one that hibernates, and the first ones of the node. No addresses and no
%% sizes. (Stock tells of a queue of messages that it is empty, whatever is in it.)
-module(told_in_text).
-export([main/0, waits/1, works/3, wakes/1]).

main() ->
    Me = self(),
    Waiting = spawn(fun() -> put(some, {"word", 1.5}), Me ! ready, waits(a_value) end),
    Queue = spawn(fun() -> Me ! ready, receive never -> ok end end),
    [Queue ! M || M <- [first, {"second", <<1, 2>>}]],
    Sleeping = spawn(fun() -> Me ! ready, erlang:hibernate(?MODULE, wakes, [later]) end),
    [receive ready -> ok end || _ <- [Waiting, Queue, Sleeping]],
    Working = spawn(?MODULE, works, [1, kept, "text"]),
    [true = wait(fun() -> process_info(P, status) =:= {status, waiting} end) || P <- [Waiting, Queue, Sleeping]],
    true = wait(fun() -> process_info(Working, current_function) =:= {current_function, {?MODULE, works, 3}} end),
    erlang:suspend_process(Working),
    Text = binary_to_list(erlang:system_info(procs)),
    Told = [{hd(Lines), tl(Lines)} || Part <- string:split(hd(string:split(Text, "=port:")), "=proc:", all),
        Lines <- [string:split(Part, "\n", all)], Lines =/= []],
    [see:value({told, Name}, shown(proplists:get_value(pid_to_list(Pid), Told)))
     || {Name, Pid} <- [{waiting, Waiting}, {queue, Queue}, {sleeping, Sleeping}, {working, Working}]],
    [see:value({backtrace, Name}, shown(string:split(binary_to_list(element(2, process_info(Pid, backtrace))), "\n",
        all)))
     || {Name, Pid} <- [{waiting, Waiting}, {queue, Queue}, {sleeping, Sleeping}, {working, Working}]],
    First = list_to_pid("<0.0.0>"),
    [see:value({parent, element(2, process_info(P, initial_call))},
        case process_info(P, parent) of {parent, First} -> first; {parent, P2} -> P2 end)
     || P <- lists:sublist(processes(), 8)],
    [exit(P, kill) || P <- [Waiting, Queue, Sleeping, Working]].

waits(Value) -> receive stop -> Value end, [Value].

works(N, Kept, Text) when N > 0 -> works(N rem 1000 + 1, Kept, Text).

wakes(_) -> ok.

%% Those lines that say what the process does; without addresses, and names without where in the function it is.
shown(Lines) ->
    Titles = ["State", "Name", "Spawned as", "Current call", "Message queue length", "Dictionary", "Program counter"],
    [plain(L) || L <- Lines, L =/= "", hd(L) =:= $\s orelse lists:prefix("y(", L) orelse lists:prefix("arity", L)
        orelse lists:prefix("0x", L)
                 orelse lists:any(fun(T) -> lists:prefix(T ++ ":", L) end, Titles)].

plain(Line) ->
    lists:foldl(fun({From, To}, L) -> re:replace(L, From, To, [global, {return, list}]) end, Line,
                [{"0x[0-9a-fA-F]+", "ADDRESS"}, {" \\+ [0-9]+\\)", ")"}, {"^   [0-9]+$", "   NUMBER"}]).

wait(See) -> apart:wait(See, true, 400).
