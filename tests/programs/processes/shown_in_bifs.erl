%% What a process is shown to do that waits in a BIF, or goes on with one in its next slice.
-module(shown_in_bifs).
-export([main/0, long/1]).

main() ->
    see:all([{busy_port, fun busy_port/0}, {applied, fun applied/0}, {itself, fun itself/0},
        {hibernated, fun hibernated/0}, {preempted, fun preempted/0},
             {late_errors, fun late_errors/0}]).

%% A sender that a busy port has suspended.
busy_port() ->
    [waiting(fun(Port) -> port_command(Port, "abc") end), waiting(fun(Port) -> Port ! {owner(), {command, "abc"}} end),
     waiting(fun(Port) -> erlang:port_command(Port, "abc", []) end),
         waiting(fun(Port) -> apply(erlang, port_command, [Port, "abc"]) end)].

waiting(Fun) ->
    Port = open_port({spawn_executable, "/bin/sleep"}, [{args, ["50"]}]),
    Owner = self(),
    fill(Port),
    Pid = spawn(fun() -> put(owner, Owner), Fun(Port) end),
    {status, suspended} = apart:wait(fun() -> process_info(Pid, status) end, {status, suspended}, 400),
    Shown = shown(Pid),
    exit(Pid, kill),
    {os_pid, Program} = erlang:port_info(Port, os_pid),
    port_close(Port),
    os:cmd("kill " ++ integer_to_list(Program)),
    Shown.

owner() -> get(owner).

fill(Port) ->
    try port_command(Port, binary:copy(<<"x">>, 100_000), [nosuspend]) of
        true -> fill(Port);
        false -> ok
    catch
        error:_ -> ok
    end.

shown(Pid) ->
    [{current_function, F}, {current_location, {M, N, A, _}}, {current_stacktrace, Stack}] =
        process_info(Pid, [current_function, current_location, current_stacktrace]),
    {F, {M, N, A}, [{Mo, Na, Ar} || {Mo, Na, Ar, _} <- Stack]}.

%% Whoever asks about itself sees the caller of the function that it asks with.
itself() ->
    [process_info(self(), current_function), apply(erlang, process_info, [self(), current_function]),
     [F || {F, {shown_in_bifs, _, _}} <- apply(erlang, process_info, [self(), [current_function]])]].

%% Whoever hibernates.
hibernated() ->
    Hows = [fun() -> erlang:hibernate(?MODULE, long, [a]) end | [fun() -> {erlang:hibernate(), done} end
        || erlang:system_info(otp_release) >= "28"]],
    [begin
         Pid = spawn(How),
         {status, waiting} = apart:wait(fun() -> process_info(Pid, status) end, {status, waiting}, 400),
         Shown = shown(Pid),
         exit(Pid, kill),
         Shown
     end || How <- Hows].

applied() -> tail_applied(process_info).

tail_applied(Name) -> erlang:Name(self(), current_function).

%% Where a process that works for long is put away. The time to which it works there differs; so what counts is whether
%% it is met.
preempted() ->
    Long = lists:seq(1, 300_000),
    [{Name, met(fun() -> apply(M, Name, Args) end, {M, Name, length(Args)})}
     || {M, Name, Args} <- [{lists, reverse, [Long, []]}, {lists, member, [x, Long]}, {lists, keyfind, [x, 1, Long]}]].

met(Fun, Wanted) ->
    Self = self(),
    Pid = spawn(fun() -> receive go -> ok end, long(Fun) end),
    erlang:trace(Pid, true, [running]),
    Pid ! go,
    Met = meet(Pid, Wanted),
    erlang:trace(Pid, false, [running]),
    exit(Pid, kill),
    Self ! done,
    rest(),
    Met.

long(Fun) ->
    Fun(),
    long(Fun).

meet(Pid, Wanted) ->
    receive {trace, Pid, out, Wanted} -> met after 10_000 -> not_met end.

rest() -> receive done -> ok; _ -> rest() end.

%% Arguments whose end is wrong. Which part of them is shown depends on the slice.
late_errors() ->
    Parts = lists:duplicate(100_000, [<<"abc">>, "de"]),
    Bad = [Parts, bad],
    {erlang, md5_trap, [Context, [_ | _]]} = failing(fun() -> erlang:md5(Bad) end),
    Joined = case erlang:system_info(otp_release) of
                 "25" -> left_open;
                 _ ->
                     {Module, Name, [Bad]} = failing(fun() -> erlang:iolist_to_iovec(Bad) end),
                     {Module, Name}
             end,
    {is_binary(Context), Joined, failing(fun() -> erlang:iolist_to_iovec(see:id([bad])) end)}.

%% The function that raises, and its arguments.
failing(Fun) ->
    try Fun()
    catch
        error:badarg:Stack ->
            [{Module, Name, Arguments, _} | _] = Stack,
            {Module, Name, Arguments}
    end.
