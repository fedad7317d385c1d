%% What a native library sends, from calls and from its own threads, and what it is told about processes, ports, time
%% and the system.
%% needs: erl_nif.h
%% releases: 25
-module(messages).
-export([main/0, init/0, send/2, send_own/2, thread/2, thread_dirty/2, locks/0, who/1, who_dirty/1, alive/1, command/2,
    times/0, system/0,
         memory/0, print/1, dynamic/1, reference/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    Terms = [a, 1.5, "list", {tuple, <<"bytes">>}, binary:copy(<<"x">>, 200), #{a => 1}, 1 bsl 100, self(),
        fun lists:map/2],
    see:value("sent", [{send(self(), Term), next() =:= Term} || Term <- Terms]),
    see:value("own", [{send_own(self(), Term), [next() =:= {N, Term} || N <- [0, 1, 2]]} || Term <- Terms]),
    Gone = gone(),
    see:value("to the dead", {send(Gone, hello), send_own(Gone, hello)}),
    see:that("to a name", fun() -> send(name, hello) end),
    see:value("thread", {thread(self(), 1000), in_order(1000)}),
    see:value("dirty", {thread_dirty(self(), 1000), in_order(1000)}),
    Self = self(),
    Pids = [spawn(fun() -> thread_dirty(Self, 200), Self ! {self(), done} end) || _ <- [1, 2, 3, 4]],
    [receive {Pid, done} -> ok end || Pid <- Pids],
    see:value("four threads", length([1 || _ <- lists:seq(1, 800), {thread, _, _} <- [next()]])),
    senders(),
    see:value("locks", locks()),
    register(a_name, Self),
    [{Self, Self, no, yes, yes, 1} = who(a_name), {Self, none, no, yes, yes, 1} = who(no_name)],
    see:value("dirty self", begin {Self, Self, no, yes, yes, Type} = who_dirty(a_name), Type end),
    Port = open_port({spawn, "cat"}, [binary]),
    register(a_port, Port),
    see:value("port", element(3, who(a_port))),
    see:value("alive", [alive(Id) || Id <- [Self, Gone, Port, a, make_ref()]]),
    see:value("command", {command(Port, <<"hello">>), receive {Port, {data, Data}} -> Data after 5000 -> none end}),
    see:value("list as command", {command(Port, [<<"a">>, "b" | <<"c">>]),
        receive {Port, {data, More}} -> More after 5000 -> none end}),
    true = port_close(Port),
    see:value("closed", alive(Port)),
    times_and_numbers(),
    true = os:putenv("A_NAME_OF_THIS", "value"),
    {Driver, 2, 16, yes, yes, Release, Schedulers, Environment} = system(),
    see:value("system", {Driver, Release, Schedulers =:= erlang:system_info(schedulers), Environment}),
    see:value("memory", memory()),
    see:value("print", [print(Term) || Term <- [a, {1, "two"}, <<"three">>, [four | 4.0]]]),
    see:value("dynamic", dynamic(filename:rootname(code:which(?MODULE)))),
    {One, Two} = reference(),
    see:value("references", {is_reference(One), One =:= Two, node(Two) =:= node()}).

%% Who a match specification for 'receive' hears has sent it.
senders() ->
    Tracer = tracelog:start(),
    1 = erlang:trace_pattern('receive', [{['$1', '$2', '_'], [], [{message, {{'$1', '$2'}}}]}], []),
    1 = erlang:trace(self(), true, ['receive', {tracer, Tracer}]),
    Sent = [{send(self(), message), next()}, {send_own(self(), message), [next() || _ <- [1, 2, 3]]},
        {thread(self(), 1), next()},
            {thread_dirty(self(), 1), next()}],
    1 = erlang:trace(self(), false, ['receive']),
    1 = erlang:trace_pattern('receive', true, []),
    see:value("senders", [Sender || {trace, _, 'receive', _, Sender} <- tracelog:events(Tracer, [self()],
        #{self() => itself})]),
    see:value("sent", length(Sent)).

next() -> receive Message -> Message after 5000 -> nothing end.

in_order(Count) ->
    lists:all(fun(N) -> next() =:= {thread, [N, "from afar"], binary:copy(<<N>>, 100)} end, lists:seq(0, Count - 1)).

gone() ->
    {Pid, Monitor} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', Monitor, process, Pid, _} -> Pid end.

times_and_numbers() ->
    {Ordered, Seconds, {Mega, Second, Micro}, {0, CpuSeconds, CpuMicro}, Converted, Negative, IsError, Numbers} =
        times(),
    [One, Positive, First, Second1] = Numbers,
    see:value("times", {Ordered, abs(Seconds - erlang:system_time(second)) < 3,
        abs(Mega * 1000000 + Second - Seconds) < 3,
                        is_integer(Micro), is_integer(CpuSeconds), is_integer(CpuMicro), Converted, Negative, IsError}),
    see:value("numbers", {is_integer(One), Positive > 0, First < Second1,
        Second1 < erlang:unique_integer([monotonic])}).

send(_, _) -> erlang:nif_error(not_loaded).
send_own(_, _) -> erlang:nif_error(not_loaded).
thread(_, _) -> erlang:nif_error(not_loaded).
thread_dirty(_, _) -> erlang:nif_error(not_loaded).
locks() -> erlang:nif_error(not_loaded).
who(_) -> erlang:nif_error(not_loaded).
who_dirty(_) -> erlang:nif_error(not_loaded).
alive(_) -> erlang:nif_error(not_loaded).
command(_, _) -> erlang:nif_error(not_loaded).
times() -> erlang:nif_error(not_loaded).
system() -> erlang:nif_error(not_loaded).
memory() -> erlang:nif_error(not_loaded).
print(_) -> erlang:nif_error(not_loaded).
dynamic(_) -> erlang:nif_error(not_loaded).
reference() -> erlang:nif_error(not_loaded).
