%% What trace_info(_, all) shows of calls that are counted in two ways is of one moment, while processes go on calling.
%% releases: 27 29
-module(all_of_one_moment).
-export([main/0, called/0, calls/0]).

main() ->
    S = trace:session_create(one, self(), []),
    Function = {?MODULE, called, 0},
    1 = trace:function(S, Function, true, [call_time, call_memory]),
    Callers = [spawn(fun() -> receive go -> calls() end end) || _ <- lists:seq(1, 4)],
    [1 = trace:process(S, P, true, [call]) || P <- Callers],
    [P ! go || P <- Callers],
    have_called(S, Function, length(Callers), 2000),
    Looks = [both(S, Function) || _ <- lists:seq(1, 1000)],
    [exit(P, kill) || P <- Callers],
    see:value(callers, lists:usort([length(ByTime) || {ByTime, _} <- Looks])),
    see:value(differ, [Look || {ByTime, ByMemory} = Look <- Looks, ByTime =/= ByMemory]).

%% How often each process has called, by the time and by the memory of its calls.
both(S, Function) ->
    {all, All} = trace:info(S, Function, all),
    {lists:sort([{P, Calls} || {P, Calls, _, _} <- proplists:get_value(call_time, All)]),
     lists:sort([{P, Calls} || {P, Calls, _} <- proplists:get_value(call_memory, All)])}.

have_called(S, Function, Count, Times) ->
    case both(S, Function) of
        {Calls, _} when length(Calls) =:= Count; Times =:= 0 -> ok;
        _ -> receive after 10 -> have_called(S, Function, Count, Times - 1) end
    end.

called() -> ok.

calls() -> called(), calls().
