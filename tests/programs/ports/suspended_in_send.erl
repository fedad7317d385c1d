%% Where a process is that a busy port suspends while it sends to it with `!`, and that it goes on behind that.
-module(suspended_in_send).
-export([main/0]).

main() ->
    Port = open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", "read -r line; exec cat >/dev/null"]}]),
    Me = self(),
    % Not linked: the port may end because of its output, which would end the sender, too.
    Sender = spawn(fun() -> receive go -> unlink(Port) end, Me ! {went_on, sends(Port, 0)}, receive stop -> ok end end),
    true = erlang:port_connect(Port, Sender),
    true = unlink(Port),
    erlang:system_monitor(Me, [busy_port]),
    Sender ! go,
    see:value(told, receive {monitor, Sender, busy_port, Port} -> busy_port after 10000 -> none end),
    erlang:system_monitor(undefined),
    See = fun() -> process_info(Sender, [status, current_function, current_location]) end,
    Wanted = [{status, suspended}, {current_function, {erlang, send, 2}}, {current_location, {erlang, send, 2, []}}],
    see:value(where, apart:wait(See, Wanted, 400)),
    {current_stacktrace, Frames} = process_info(Sender, current_stacktrace),
    see:value(frames, [{Module, Function, Arity} || {Module, Function, Arity, _} <- Frames, Module =:= ?MODULE]),
    {os_pid, Program} = erlang:port_info(Port, os_pid),
    os:cmd("kill " ++ integer_to_list(Program)),
    see:value(went_on, receive {went_on, What} -> What after 10000 -> none end),
    see:value(then, apart:wait(fun() -> process_info(Sender, status) end, {status, waiting}, 400)),
    Sender ! stop.

%% Sends until the port has gone.
sends(Port, Sent) ->
    Message = {self(), {command, binary:copy(<<"x">>, 1000)}},
    Message = Port ! Message,
    case erlang:port_info(Port, id) of
        undefined -> gone;
        _ -> sends(Port, Sent + 1)
    end.
