%% Sequential trace within a node: what the system tracer is told when a process with a token sends, receives, spawns,
%% prints and ends, who gets the token, and what changes it.
-module(sequences).
-export([main/0, ends_when_told/0]).

main() ->
    process_flag(trap_exit, true),
    register(main_process, self()),
    Tracer = spawn_link(fun() -> collect([]) end),
    system_tracer(Tracer),
    lists:foreach(fun({Label, Steps}) -> traced(Tracer, Label, Steps) end, events()),
    lists:foreach(fun(Kind) -> stamped(Tracer, Kind) end,
                  [timestamp, monotonic_timestamp, strict_monotonic_timestamp]),
    false = seq_trace:set_system_tracer(false) =/= Tracer,
    kept_and_lost(),
    components(),
    in_specifications(),
    see:value("none", {seq_trace:get_system_tracer(), erlang:system_info(sequential_tracer)}),
    gone_tracer().

system_tracer(Tracer) ->
    see:fails([fun() -> seq_trace:set_system_tracer(foo) end,
               fun() -> seq_trace:set_system_tracer(1) end,
               fun() -> erlang:system_flag(sequential_tracer, make_ref()) end,
               fun() -> erlang:system_flag(reset_seq_trace, false) end]),
    see:value("first", seq_trace:set_system_tracer(Tracer)),
    see:value("set", seq_trace:get_system_tracer() =:= Tracer).

events() ->
    [{"print", fun() -> seq_trace:print(a), seq_trace:print(17, b), seq_trace:print(18, c) end},
     {"to itself", fun() -> self() ! x, receive x -> ok end end},
     {"by name", fun() -> main_process ! x, {main_process, node()} ! y,
                          receive x -> ok end, receive y -> ok end end},
     {"by alias", fun() -> Alias = alias(), Alias ! x, receive x -> ok end end},
     {"call and reply", fun() -> Other = spawn(fun() -> receive {From, Term} -> From ! {back, Term} end end),
                                 Other ! {self(), <<"more than an immediate">>},
                                 receive {back, _} -> ok end end},
     {"to one that is gone", fun() -> Gone = spawn(fun() -> ok end), wait_for(Gone), Gone ! x end},
     {"exit/2", fun() -> Other = spawn(fun exits_trapped/0), receive go -> ok end,
                         exit(Other, why), receive {got, why} -> ok end end},
     {"end of a link", fun() -> Other = spawn_link(fun() -> receive x -> exit({by, x}) end end), Other ! x,
                                receive {'EXIT', Other, _} -> ok end end},
     {"spawn_monitor", fun() -> {Other, Monitor} = spawn_monitor(fun() -> exit(seq_trace:get_token(label)) end),
                                receive {'DOWN', Monitor, process, Other, {label, 17}} -> ok end end},
     {"spawn_request", fun() -> Request = spawn_request(?MODULE, ends_when_told, [], [link]),
                                Other = receive {spawn_reply, Request, ok, Pid} -> Pid end,
                                Other ! go,
                                receive {'EXIT', Other, normal} -> ok end end},
     {"reply tag", fun() -> Request = spawn_request(erlang, now, [], [{reply_tag, tag}]),
                            receive {tag, Request, ok, _} -> ok end end},
     {"port", fun() -> Port = open_port({spawn, "cat"}, []), Port ! {self(), {command, "x"}},
                       receive {Port, {data, "x"}} -> ok end, port_command(Port, "y"),
                       receive {Port, {data, "y"}} -> ok end,
                       Port ! {self(), close}, receive {Port, closed} -> ok end end},
     {"sensitive", fun() -> process_flag(sensitive, true), self() ! x, receive x -> ok end, seq_trace:print(a),
                            process_flag(sensitive, false) end}].

exits_trapped() ->
    process_flag(trap_exit, true),
    main_process ! go,
    receive {'EXIT', _, Reason} -> main_process ! {got, Reason} end.

ends_when_told() -> receive go -> ok end.

wait_for(Pid) ->
    Monitor = monitor(process, Pid),
    receive {'DOWN', Monitor, _, _, _} -> ok end.

%% Each event begins with the same numbers.
traced(Tracer, Label, Steps) ->
    io:format("~s~n", [Label]),
    seq_trace:set_token(label, 17),
    seq_trace:set_token(serial, {0, 0}),
    [seq_trace:set_token(Flag, true) || Flag <- [send, 'receive', print]],
    Steps(),
    seq_trace:set_token([]),
    [io:format("  ~0tp~n", [named(Message)]) || Message <- told(Tracer)].

stamped(Tracer, Kind) ->
    seq_trace:set_token(Kind, true),
    seq_trace:set_token(print, true),
    seq_trace:print(text),
    seq_trace:set_token([]),
    [{seq_trace, 0, {print, _, _, [], text}, Stamp}] = told(Tracer),
    see:value(Kind, form(Stamp)).

form(Stamp) when is_integer(Stamp) -> integer;
form(Stamp) when is_tuple(Stamp) -> [form(Part) || Part <- tuple_to_list(Stamp)].

told(Tracer) ->
    Tracer ! {told, self()},
    receive {told, Messages} -> Messages end.

collect(Messages) ->
    receive
        {told, From} -> From ! {told, lists:reverse(Messages)}, collect([]);
        {'EXIT', _, _} -> ok;
        Message -> collect([Message | Messages])
    end.

named(Tuple) when is_tuple(Tuple) -> list_to_tuple(named(tuple_to_list(Tuple)));
named([Head | Tail]) -> [named(Head) | named(Tail)];
named(Pid) when is_pid(Pid) ->
    case whereis(main_process) of
        Pid -> main;
        _ -> other
    end;
named(Reference) when is_reference(Reference) -> reference;
named(Port) when is_port(Port) -> port;
named(Fun) when is_function(Fun) -> 'fun';
named(Term) -> Term.

%% What a process receives may leave its token, or take it away.
kept_and_lost() ->
    Waits = fun() -> spawn(fun() -> receive Reason -> exit(Reason) end end) end,
    Main = self(),
    see:all([{Label, fun() -> seq_trace:set_token(label, 17), Steps(), seq_trace:set_token([]) =/= [] end}
             || {Label, Steps} <- [
        {"send_after", fun() -> erlang:send_after(1, self(), x), receive x -> ok end end},
        {"start_timer", fun() -> Timer = erlang:start_timer(1, self(), x), receive {timeout, Timer, x} -> ok end end},
        {"timeout", fun() -> receive after 1 -> ok end end},
        {"atom of a monitor", fun() -> Pid = Waits(), Monitor = monitor(process, Pid), Pid ! x,
                                       receive {'DOWN', Monitor, _, _, x} -> ok end end},
        {"term of a monitor", fun() -> Pid = Waits(), Monitor = monitor(process, Pid), Pid ! {x},
                                       receive {'DOWN', Monitor, _, _, {x}} -> ok end end},
        {"no process", fun() -> Monitor = monitor(process, no_such_process),
                                receive {'DOWN', Monitor, _, _, noproc} -> ok end end},
        {"exit/2 to itself", fun() -> exit(self(), x), receive {'EXIT', _, x} -> ok end end},
        {"a message without", fun() -> spawn(fun() -> seq_trace:set_token([]), Main ! x end), receive x -> ok end end},
        {"port", fun() -> Port = open_port({spawn, "true"}, [exit_status]), receive {Port, {exit_status, 0}} -> ok end
            end},
        {"collection", fun() -> erlang:garbage_collect(self(), [{async, x}]),
                                receive {garbage_collect, x, true} -> ok end end}]]).

components() ->
    Given = [{send, true}, {send, foo}, {'receive', true}, {print, true}, {timestamp, true},
        {monotonic_timestamp, true},
             {strict_monotonic_timestamp, true}, {label, {a, "b", <<0:1000>>}}, {label, 1}, {label, 1 bsl 80},
             {serial, {3, 4}},
             {serial, foo}, {serial, {a, b}}, {serial, {1, 1 bsl 70}}, {foo, 1}, {send, false}],
    lists:foreach(fun({Component, Value}) ->
        see:that({Component, Value}, fun() -> seq_trace:set_token(Component, Value) end),
        see:that(Component, fun() -> seq_trace:get_token(Component) end)
    end, Given),
    Token = {Flags, Label, Serial, From, Last} = seq_trace:get_token(),
    see:value("token", {Flags, Label, Serial, From =:= self(), Last}),
    see:value("seen", {sequential_trace_token, Token} =:= process_info(self(), sequential_trace_token)),
    erlang:garbage_collect(),
    see:value("after a collection", seq_trace:set_token([]) =:= Token),
    see:value("none", {seq_trace:get_token(), seq_trace:get_token(label), seq_trace:get_token(serial),
                       process_info(self(), sequential_trace_token)}),
    seq_trace:set_token(Token),
    see:value("set", seq_trace:get_token() =:= Token),
    see:value("reset", {seq_trace:reset_trace(), seq_trace:get_token()}),
    see:value("new", begin seq_trace:set_token(label, 1), setelement(4, seq_trace:set_token([]), self) end),
    see:fails([fun() -> erlang:seq_trace(1, 2) end,
               fun() -> erlang:seq_trace(send, 1) end,
               fun() -> erlang:seq_trace(sequential_trace_token, foo) end,
               fun() -> erlang:seq_trace_info(foo) end,
               fun() -> erlang:seq_trace_info(1) end]),
    see:value("without a token", {[erlang:seq_trace_info(Item) || Item <- [send, spawn, 'receive', label, serial]],
                                  seq_trace:print(a), seq_trace:print(1, a),
                                  erlang:seq_trace(sequential_trace_token, [])}).

%% Match specifications of traced calls read and change the token.
in_specifications() ->
    Main = self(),
    {Tracee, Monitor} = spawn_monitor(fun() -> receive go -> ok end, lists:seq(1, 2), Main ! seq_trace:get_token() end),
    erlang:trace(Tracee, true, [call, {tracer, self()}]),
    Actions = [{message, {{{is_seq_trace}, {get_seq_token}}}}, {set_seq_token, label, 5}],
    erlang:trace_pattern({lists, seq, 2}, [{'_', [], Actions}], [local]),
    Tracee ! go,
    receive {trace, Tracee, call, _, Seen} -> see:value("in a specification", Seen) end,
    receive {0, Label, _, Tracee, _} -> see:value("set by one", Label) end,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    erlang:trace_pattern({lists, seq, 2}, false, [local]),
    seq_trace:set_token([]).

gone_tracer() ->
    {Tracer, Monitor} = spawn_monitor(fun() -> receive stop -> ok end end),
    seq_trace:set_system_tracer(Tracer),
    Tracer ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    see:value("gone", seq_trace:get_system_tracer()).
