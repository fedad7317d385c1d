%% What others learn of a process that has not begun to run, because urgent ones keep all schedulers busy.
%% args: +S 2:2
%% timeout: 120
-module(asked_before_it_runs).
-export([main/0, begins/1]).

main() ->
    process_flag(priority, max),
    Loops = [spawn_opt(fun() -> loop(0) end, [link, {priority, high}])
        || _ <- lists:seq(1, 2 * erlang:system_info(schedulers))],
    Answers = [{Name, asked(fun() -> Ask(started()) end)} || {Name, Ask} <- questions()],
    Shown = [{{shown, Fun, length(Args)}, shown(spawn_opt(Module, Fun, Args, [{priority, low}]))}
     || {Module, Fun, Args} <- [{?MODULE, begins, [1]}, {no_such_module, f, [1, 2]}, {lists, member, [1, []]},
         {erlang, apply, [fun loop/1, [0]]}]],
    [begin unlink(Loop), exit(Loop, kill) end || Loop <- Loops],
    process_flag(priority, normal),
    %% Only now does the code server get a turn.
    [see:value(Name, Answer) || {Name, Answer} <- Answers ++ Shown].

shown(Pid) ->
    process_info(Pid, [current_stacktrace, current_function, current_location, initial_call, reductions]).

started() ->
    Pid = spawn_opt(?MODULE, begins, [x], [{priority, low}]),
    Pid ! a,
    Pid.

begins(_) -> loop(0).

loop(N) -> loop(N + 1).

asked(Ask) ->
    {Asker, Monitor} = spawn_opt(fun() -> exit({answer, Ask()}) end, [monitor, {priority, max}]),
    receive {'DOWN', Monitor, _, _, Reason} -> Reason after 10000 -> exit(Asker, kill), nothing end.

questions() ->
    [{alive, fun is_process_alive/1},
     {alive_after_exit, fun(Pid) -> exit(Pid, kill), is_process_alive(Pid) end},
     {traced, fun(Pid) -> {erlang:trace(Pid, true, [send, garbage_collection]), erlang:trace_info(Pid, flags)} end},
     {delivered, fun(Pid) ->
         Reference = erlang:trace_delivered(Pid),
         receive {trace_delivered, Pid, Reference} -> delivered end
     end},
     {saved_calls, fun(Pid) -> [process_flag(Pid, save_calls, Count) || Count <- [10, 20]] end},
     {stack, fun(Pid) -> process_info(Pid, current_stacktrace) end},
     {messages, fun(Pid) -> process_info(Pid, messages) end},
     {dictionary, fun(Pid) -> process_info(Pid, dictionary) end},
     {suspended, fun(Pid) -> erlang:suspend_process(Pid), process_info(Pid, status) end},
     {collected, fun erlang:garbage_collect/1},
     {checked, fun(Pid) -> check_process_code(Pid, lists) end}].
