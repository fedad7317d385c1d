%% The reason with which a process ends, for each way of failing.
-module(exit_reasons).
-export([main/0, boom/1]).

main() ->
    Ways = [{returns, fun() -> ok end}, {exit_normal, fun() -> exit(normal) end},
        {exit_other, fun() -> exit({a, [b]}) end},
            {error, fun() -> error(broken) end}, {error_args, fun() -> error(broken, [1, 2]) end},
            {throw, fun() -> throw(ball) end},
            {badmatch, fun() -> 1 = see:id(2) end}, {badarith, fun() -> see:id(a) + 1, ok end},
            {undef, fun() -> no_mod:no_fun(1) end},
            {function_clause, fun() -> boom(see:id(2)) end}, {killed, fun() -> exit(self(), kill) end},
            {kill_reason, fun() -> exit(kill) end},
            {shutdown, fun() -> exit(self(), shutdown), receive after infinity -> ok end end},
            {self_normal, fun() -> exit(self(), normal), receive after infinity -> ok end end},
            {raise, fun() -> erlang:raise(exit, raised, []) end},
            {raise_error, fun() -> erlang:raise(error, raised, []) end},
            {linked, fun() -> spawn_link(fun() -> exit(from_child) end), receive after infinity -> ok end end},
            {linked_normal, fun() -> Pid = spawn_link(fun() -> ok end), wait(Pid), exit(still_here) end},
            {bad_timeout, fun() -> receive after see:id(x) -> ok end end}],
    [see:value(Name, down(F)) || {Name, F} <- Ways],
    see:value(mfa, down_of(spawn_monitor(?MODULE, boom, [1]))),
    see:value(mfa_clause, down_of(spawn_monitor(?MODULE, boom, [2]))),
    see:value(mfa_undef, down_of(spawn_monitor(?MODULE, nothing, [2]))).

down(F) -> down_of(spawn_monitor(F)).

down_of({Pid, Ref}) ->
    receive {'DOWN', Ref, process, Pid, Reason} -> plain(Reason) after 5000 -> timeout end.

plain({Reason, [{_, _, _, _} | _] = Stack}) -> {Reason, see:frames(Stack)};
plain({Reason, []}) -> {Reason, []};
plain(Reason) -> Reason.

wait(Pid) -> Ref = monitor(process, Pid), receive {'DOWN', Ref, _, _, _} -> ok end.

boom(1) -> exit(boom).
