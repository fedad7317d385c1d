%% What a match specification for 'receive' gets of the sender: of messages of processes, through names and aliases,
%% with a token of sequential trace, of timers, links, monitors, spawns, ports, tables and of the machine itself.
-module(receive_senders).
-export([main/0]).

main() ->
    true = register(receive_senders_main, self()),
    [{module, Module} = code:ensure_loaded(Module) || Module <- [gen_tcp, inet_tcp, erl_ddll, seq_trace, file, tracelog,
        timer]],
    lists:foreach(fun({Label, Fun}) -> show(Label, Fun) end, cases()),
    of_one_sender(),
    of_many(),
    before_and_after().

%% What a process receives while it does Fun, which waits for what is to be seen.
show(Label, Fun) ->
    Tracer = tracelog:start(),
    {Pid, Monitor} = spawn_monitor(fun() -> receive begin_now -> Fun() end end),
    1 = erlang:trace_pattern('receive', [{['$1', '$2', '_'], [], [{message, {{'$1', '$2'}}}]}], []),
    1 = erlang:trace(Pid, true, ['receive', {tracer, Tracer}]),
    Pid ! begin_now,
    receive {'DOWN', Monitor, process, Pid, normal} -> ok end,
    [_BeginNow | Events] = tracelog:events(Tracer, [Pid]),
    1 = erlang:trace_pattern('receive', true, []),
    tracelog:stop(Tracer),
    see:value(Label, [{name(Sender, Pid), name(Message, Pid)} || {trace, _, 'receive', Message, Sender} <- Events,
        not is_answer_of_port(Message)]).

%% How a call of a port waits for its answer is the machine's own affair.
is_answer_of_port({Reference, Port}) -> is_reference(Reference) andalso is_port(Port);
is_answer_of_port(_) -> false.

%% A pattern for one sender. Its condition looks at the sender's node, too.
of_one_sender() ->
    Tracer = tracelog:start(),
    Self = self(),
    Receiver = spawn_link(fun Loop() -> receive over -> Self ! over; _ -> Loop() end end),
    Senders = [spawn_link(fun() -> receive go -> ok end, [Receiver ! {Nth, N} || N <- [1, 2]], Self ! {sent, Nth} end)
        || Nth <- [1, 2, 3]],
    1 = erlang:trace(Receiver, true, ['receive', {tracer, Tracer}]),
    Second = lists:nth(2, Senders),
    1 = erlang:trace_pattern('receive', [{['$1', Second, {'$2', '$3'}], [{'=:=', '$1', node()}, {'=:=', '$3', 2}], []}],
        []),
    [begin Sender ! go, receive {sent, _} -> ok end end || Sender <- Senders],
    1 = erlang:trace_pattern('receive', [{['_', '$1', over], [{is_pid, '$1'}], [{message, is_pid}]}], []),
    Receiver ! over,
    receive over -> ok end,
    tracelog:show(of_one_sender, tracelog:events(Tracer, [Receiver]), #{Receiver => receiver}),
    1 = erlang:trace_pattern('receive', true, []),
    tracelog:stop(Tracer).

%% Every message of several processes that send to one, some of them through aliases, says rightly who has sent it,
%% while other processes are spawned and end.
of_many() ->
    Tracer = spawn_link(fun() -> check(0) end),
    Self = self(),
    Receiver = spawn_link(fun() -> many(Self, 0) end),
    1 = erlang:trace(Receiver, true, ['receive', {tracer, Tracer}]),
    1 = erlang:trace_pattern('receive', [{['$1', '$2', {'_', '_'}], [], [{message, {{'$1', '$2'}}}]}], []),
    Senders = [spawn_link(fun() -> send_many(Receiver, 500) end) || _ <- lists:seq(1, 8)],
    [receive {done, Sender} -> ok end || Sender <- Senders, begin monitor(process, Sender), true end,
        receive {'DOWN', _, _, Sender, _} -> self() ! {done, Sender}, true end],
    Receiver ! {how_many, Self},
    receive {count, Count} -> see:value("received", Count) end,
    Delivered = erlang:trace_delivered(Receiver),
    receive {trace_delivered, Receiver, Delivered} -> ok end,
    1 = erlang:trace_pattern('receive', true, []),
    Tracer ! {checked, Self},
    receive {right, Right} -> see:value("right", Right) end.

send_many(_, 0) -> ok;
send_many(Receiver, N) ->
    Receiver ! {self(), N},
    _ = N rem 50 =:= 0 andalso spawn_link(fun() -> Receiver ! {self(), new} end),
    send_many(Receiver, N - 1).

many(Main, Count) ->
    receive
        {how_many, Main} when Count < 8 * 500 + 8 * 10 -> self() ! {how_many, Main}, many(Main, Count);
        {how_many, Main} -> Main ! {count, Count}, receive after infinity -> ok end;
        {_, _} -> many(Main, Count + 1)
    end.

check(Right) ->
    receive
        {trace, _, 'receive', {how_many, _}, _} -> check(Right);
        {trace, _, 'receive', {Sender, _}, {Node, Sender}} when Node =:= node() -> check(Right + 1);
        {checked, From} -> From ! {right, Right};
        Wrong -> exit({wrong, Wrong})
    end.

%% Patterns that ask for no sender, before and after one that does.
before_and_after() ->
    Tracer = tracelog:start(),
    Self = self(),
    Receiver = spawn_link(fun Loop() -> receive over -> ok; Message -> Self ! {got, Message}, Loop() end end),
    1 = erlang:trace(Receiver, true, ['receive', {tracer, Tracer}]),
    Say = fun(Message) -> Receiver ! Message, receive {got, Message} -> ok end end,
    Say(before),
    [begin
         1 = erlang:trace_pattern('receive', Pattern, []),
         Say({under, Nth})
     end || {Nth, Pattern} <- [{1, [{['_', '$1', '_'], [], [{message, '$1'}]}]}, {2, false},
     {3, [{['_', '$1', '_'], [{'=:=', '$1', nobody}], []}]},
                               {4, true}, {5, [{'_', [], [{message, false}]}]}, {6, [{'_', [], []}]}, {7, []}]],
    1 = erlang:trace_pattern('receive', true, []),
    Say(afterwards),
    tracelog:show(before_and_after, tracelog:events(Tracer, [Receiver]), #{Receiver => receiver, Self => main}),
    tracelog:stop(Tracer).

name(Term, Pid) when is_pid(Term) ->
    case {Term, whereis(receive_senders_main)} of
        {Pid, _} -> itself;
        {Main, Main} -> main;
        _ -> registered(process_info(Term, registered_name))
    end;
name(Term, _) when is_port(Term) -> a_port;
name(Term, _) when is_reference(Term) -> a_reference;
name(Term, Pid) when is_tuple(Term) -> list_to_tuple(name(tuple_to_list(Term), Pid));
name(Term, _) when is_integer(Term) -> a_number;
name([Head | Tail], Pid) -> [name(Head, Pid) | name(Tail, Pid)];
name(Term, _) -> Term.

registered({registered_name, Name}) -> Name;
registered(_) -> a_process.

other(Fun) -> spawn(Fun).

cases() ->
    [
        {"a process", fun() -> Self = self(), other(fun() -> Self ! hello end), receive hello -> ok end end},
        {"itself", fun() -> self() ! hello, receive hello -> ok end end},
        {"by name", fun() ->
            Name = receive_senders_name,
            register(Name, self()),
            other(fun() -> Name ! hello, {Name, node()} ! again end),
            receive again -> ok end
        end},
        {"send/2, send/3, send_nosuspend", fun() ->
            Self = self(),
            other(fun() ->
                erlang:send(Self, one),
                erlang:send(Self, two, [nosuspend]),
                erlang:send_nosuspend(Self, three),
                apply(erlang, send, [Self, four])
            end),
            receive four -> ok end
        end},
        {"an alias", fun() ->
            Alias = alias(),
            other(fun() -> Alias ! hello end),
            receive hello -> ok end
        end},
        {"an alias of a monitor", fun() ->
            {Pid, Monitor} = spawn_monitor(fun() -> receive {From, Alias} -> Alias ! {From, hello} end end),
            _ = Monitor,
            Alias = monitor(process, Pid, [{alias, reply_demonitor}]),
            Pid ! {self(), Alias},
            receive {_, hello} -> ok end,
            receive {'DOWN', Monitor, _, _, _} -> ok end
        end},
        {"a token", fun() ->
            Self = self(),
            other(fun() -> seq_trace:set_token(label, 17), Self ! hello end),
            receive hello -> ok end,
            seq_trace:set_token([])
        end},
        {"a token and an alias", fun() ->
            Alias = alias(),
            other(fun() -> seq_trace:set_token(label, 17), Alias ! hello end),
            receive hello -> ok end,
            seq_trace:set_token([])
        end},
        {"a timeout", fun() -> receive nothing -> ok after 1 -> ok end end},
        {"timers", fun() ->
            erlang:send_after(1, self(), sent),
            receive sent -> ok end,
            erlang:start_timer(1, self(), started),
            receive {timeout, _, started} -> ok end,
            erlang:send_after(0, self(), at_once),
            receive at_once -> ok end
        end},
        {"a timer of another process", fun() ->
            Self = self(),
            other(fun() -> erlang:send_after(1, Self, sent), timer:sleep(100) end),
            receive sent -> ok end
        end},
        {"a timer that ends", fun() ->
            Timer = erlang:start_timer(100000, self(), started),
            erlang:read_timer(Timer, [{async, true}]),
            receive {read_timer, Timer, _} -> ok end,
            erlang:cancel_timer(Timer, [{async, true}]),
            receive {cancel_timer, Timer, _} -> ok end,
            erlang:read_timer(Timer, [{async, true}]),
            receive {read_timer, Timer, false} -> ok end
        end},
        {"a link", fun() ->
            process_flag(trap_exit, true),
            spawn_link(fun() -> exit(over) end),
            receive {'EXIT', _, over} -> ok end
        end},
        {"a link to nobody", fun() ->
            process_flag(trap_exit, true),
            {Gone, Monitor} = spawn_monitor(fun() -> ok end),
            receive {'DOWN', Monitor, _, _, _} -> ok end,
            link(Gone),
            receive {'EXIT', _, noproc} -> ok end
        end},
        {"a link with a token", fun() ->
            process_flag(trap_exit, true),
            spawn_link(fun() -> seq_trace:set_token(label, 17), exit(over) end),
            receive {'EXIT', _, over} -> ok end,
            seq_trace:set_token([])
        end},
        {"exit/2", fun() ->
            process_flag(trap_exit, true),
            Self = self(),
            other(fun() -> exit(Self, because) end),
            receive {'EXIT', _, because} -> ok end,
            exit(self(), own),
            receive {'EXIT', _, own} -> ok end
        end},
        {"monitors", fun() ->
            Pid = spawn(fun() -> receive go -> ok end end),
            Monitor = monitor(process, Pid),
            Pid ! go,
            receive {'DOWN', Monitor, _, _, _} -> ok end,
            Again = monitor(process, Pid),
            receive {'DOWN', Again, _, _, noproc} -> ok end,
            Name = monitor(process, no_such_name),
            receive {'DOWN', Name, _, _, noproc} -> ok end,
            register(receive_senders_named, Named = spawn(fun() -> receive go -> ok end end)),
            ByName = monitor(process, receive_senders_named),
            Named ! go,
            receive {'DOWN', ByName, _, _, normal} -> ok end,
            Tagged = monitor(process, Pid, [{tag, tagged}]),
            receive {tagged, Tagged, _, _, _} -> ok end
        end},
        {"monitors of ports", fun() ->
            Port = open_port({spawn_driver, "ram_file_drv"}, []),
            Monitor = monitor(port, Port),
            port_close(Port),
            receive {'DOWN', Monitor, _, _, _} -> ok end,
            Again = monitor(port, Port),
            receive {'DOWN', Again, _, _, _} -> ok end,
            Name = monitor(port, no_such_name),
            receive {'DOWN', Name, _, _, _} -> ok end
        end},
        {"spawn_request", fun() ->
            Request = spawn_request(fun() -> ok end),
            receive {spawn_reply, Request, ok, _} -> ok end,
            Monitored = spawn_request(fun() -> ok end, [monitor]),
            receive {spawn_reply, Monitored, ok, _} -> ok end,
            receive {'DOWN', Monitored, _, _, _} -> ok end,
            Bad = spawn_request(node(), erlang, no, [], [bad_option]),
            receive {spawn_reply, Bad, error, _} -> ok end
        end},
        {"spawn_request of a process with a token", fun() ->
            seq_trace:set_token(label, 17),
            Request = spawn_request(fun() -> ok end),
            receive {spawn_reply, Request, ok, _} -> ok end,
            seq_trace:set_token([])
        end},
        {"a program's output", fun() ->
            Port = open_port({spawn, "echo hello"}, [exit_status]),
            receive {Port, {data, _}} -> ok end,
            receive {Port, {exit_status, 0}} -> ok end
        end},
        {"a port's answers", fun() ->
            process_flag(trap_exit, true),
            Port = open_port({spawn, "cat"}, []),
            Port ! {self(), {connect, self()}},
            receive {Port, connected} -> ok end,
            Port ! {self(), {command, "hello"}},
            receive {Port, {data, _}} -> ok end,
            Port ! {self(), close},
            receive {Port, closed} -> ok end,
            receive {'EXIT', Port, _} -> ok end
        end},
        {"sockets", fun() ->
            {ok, Listen} = gen_tcp:listen(0, [{active, false}, {ip, {127, 0, 0, 1}}]),
            {ok, Number} = inet:port(Listen),
            other(fun() ->
                {ok, Other} = gen_tcp:connect({127, 0, 0, 1}, Number, [{active, false}]),
                gen_tcp:send(Other, "hello"),
                gen_tcp:close(Other)
            end),
            {ok, Socket} = gen_tcp:accept(Listen),
            inet:setopts(Socket, [{active, true}]),
            receive {tcp, Socket, _} -> ok end,
            receive {tcp_closed, Socket} -> ok end,
            ok
        end},
        {"system tasks", fun() ->
            true = garbage_collect(whereis(init)),
            async = garbage_collect(whereis(init), [{async, gc}]),
            receive {garbage_collect, gc, _} -> ok end,
            async = garbage_collect(self(), [{async, own}]),
            receive {garbage_collect, own, _} -> ok end,
            false = check_process_code(whereis(init), no_such_module),
            async = check_process_code(whereis(init), no_such_module, [{async, code}]),
            receive {check_process_code, code, _} -> ok end
        end},
        {"ets", fun() ->
            Self = self(),
            other(fun() -> ets:give_away(ets:new(table, [public]), Self, given) end),
            receive {'ETS-TRANSFER', _, _, given} -> ok end,
            other(fun() -> ets:new(table, [public, {heir, Self, inherited}]) end),
            receive {'ETS-TRANSFER', _, _, inherited} -> ok end,
            ets:give_away(ets:new(table, [public]), whereis(receive_senders_main), to_main)
        end},
        {"trace_delivered", fun() ->
            Own = erlang:trace_delivered(self()),
            receive {trace_delivered, _, Own} -> ok end,
            Other = erlang:trace_delivered(whereis(init)),
            receive {trace_delivered, _, Other} -> ok end
        end},
        {"a request", fun() -> {error, enoent} = file:list_dir("/no/such/folder"), _ = global:whereis_name(nobody) end},
        {"a driver's monitor", fun() ->
            Reference = erl_ddll:monitor(driver, {no_such_driver, loaded}),
            receive {'DOWN', Reference, _, _, _} -> ok end
        end}
    ].
