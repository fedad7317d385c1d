%% Calls of erts_debug that keep a dirty scheduler busy until their process is told to end, which OTP's suites count on.
%% releases: 27 29
-module(dirty_tests_27).
-export([main/0]).

main() ->
    [see:value(Function, ended(Function)) || Function <- [dirty_cpu, dirty_io]].

%% The test is alive, is seen to be at it, and ends for the reason that it is told.
ended(Function) ->
    Self = self(),
    {Pid, Watch} = spawn_monitor(fun() -> erts_debug:Function(alive_waitexitingonly, Self) end),
    receive {alive, Pid} -> ok end,
    At = process_info(Pid, [current_function, status]),
    true = is_process_alive(Pid),
    exit(Pid, enough),
    receive {'DOWN', Watch, process, Pid, Why} -> {At, Why} end.
