%% A process is preempted where it calls a traced function, and goes on when the function is no longer traced and has
%% been loaded anew twice: it must run the new code.
-module(traced_at_the_call).
-export([main/0, loop/1]).

-define(CALLED, traced_at_the_call_target).
-define(ROUNDS, 600).

main() ->
    Beam = target(),
    load(Beam),
    Caller = spawn_link(?MODULE, loop, [0]),
    [round(Caller, Beam) || _ <- lists:seq(1, ?ROUNDS)],
    Caller ! {calls, self()},
    receive {calls, Calls} -> io:format("~p~n", [Calls > 0]) end,
    unlink(Caller),
    exit(Caller, kill).

round(Caller, Beam) ->
    erlang:trace_pattern({?CALLED, f, 1}, true, [global]),
    erlang:yield(),
    true = erlang:suspend_process(Caller),
    erlang:trace_pattern({?CALLED, f, 1}, false, [global]),
    load(Beam),
    load(Beam),
    true = erlang:resume_process(Caller).

%% Unless the caller is within the old code.
load(Beam) ->
    case code:soft_purge(?CALLED) of
        true -> {module, ?CALLED} = code:load_binary(?CALLED, "", Beam);
        false -> busy
    end.

loop(Calls) ->
    receive
        {calls, From} -> From ! {calls, Calls}
    after 0 ->
        1 = ?CALLED:f(0),
        loop(Calls + 1)
    end.

target() ->
    Forms = [{attribute, 1, module, ?CALLED}, {attribute, 1, export, [{f, 1}]},
             {function, 1, f, 1, [{clause, 1, [{var, 1, 'X'}], [], [{op, 1, '+', {var, 1, 'X'}, {integer, 1, 1}}]}]}],
    {ok, ?CALLED, Beam} = compile:forms(Forms),
    Beam.
