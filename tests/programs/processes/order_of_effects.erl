%% What arrives at a process takes effect in order, also what the process causes itself: the reports about what does not
%% exist come behind the messages that were there before, and a port's exit is judged by what the process was when the
%% port closed.
-module(order_of_effects).
-export([main/0]).

main() ->
    see:value(link_to_the_dead, in_trap(fun() -> P = dead(), between(fun() -> link(P) end) end)),
    see:value(monitor_of_a_name, between(fun() -> monitor(process, nobody) end)),
    see:value(spawn_request, between(fun() -> spawn_request(fun() -> ok end) end)),
    see:value(spawn_request_refused, between(fun() -> spawn_request(fun() -> ok end, [{bad, option}]) end)),
    see:value(cancel_timer,
        between(fun() -> erlang:cancel_timer(erlang:start_timer(100000, self(), x), [{async, true}]) end)),
    see:value(read_timer, between(fun() -> erlang:read_timer(make_ref(), [{async, true}]) end)),
    see:value(last_words, in_trap(fun() -> [last_words() || _ <- lists:seq(1, 200)], done end)),
    see:value(trapped_until_closed,
        ended(fun() -> process_flag(trap_exit, true), P = port(), port_close(P), process_flag(trap_exit, false),
        seen(P) end)),
    see:value(trapped_when_closed, ended(fun() -> P = port(), port_close(P), process_flag(trap_exit, true), seen(P)
        end)),
    see:value(no_step_after_the_end,
        ended(fun() -> erlang:exit_signal(self(), told), receive never -> ok after 0 -> ran_on end end)).

%% The order of three messages, of which the fun causes the second.
between(Fun) ->
    self() ! first,
    Fun(),
    self() ! last,
    [receive first -> first; last -> last; _ -> report end || _ <- [1, 2, 3]].

%% Messages of a process arrive before what link/1 says about its end.
last_words() ->
    Me = self(),
    P = spawn(fun() -> Me ! {words, self()} end),
    gone(P),
    link(P),
    receive
        {words, P} -> receive {'EXIT', P, noproc} -> ok end;
        {'EXIT', P, noproc} -> exit(report_before_words)
    end.

%% Looks without sending the process anything.
gone(P) ->
    case lists:member(P, processes()) of
        true -> gone(P);
        false -> ok
    end.

in_trap(Fun) -> process_flag(trap_exit, true), Result = Fun(), process_flag(trap_exit, false), Result.
dead() -> {P, R} = spawn_monitor(fun() -> ok end), receive {'DOWN', R, process, P, normal} -> P end.
port() -> open_port({spawn, "cat"}, []).
seen(Port) -> receive {'EXIT', Port, Reason} -> {message, Reason} after 0 -> nothing end.
ended(Fun) -> {P, R} = spawn_monitor(fun() -> exit({result, Fun()}) end),
    receive {'DOWN', R, process, P, Reason} -> Reason end.
