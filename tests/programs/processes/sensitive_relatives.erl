%% Being sensitive is a process's own affair: its children are not. It saves no calls while it is, and passes tokens of
%% sequential trace on without being told of.
-module(sensitive_relatives).
-export([main/0]).

main() ->
    false = process_flag(sensitive, true),
    Child = spawn_link(fun() -> put(key, value), receive never -> ok end end),
    Child ! a,
    see:value(child, wait_for(fun() -> process_info(Child, [messages, dictionary]) end,
        [{messages, [a]}, {dictionary, [{key, value}]}])),
    true = process_flag(sensitive, false),
    see:value(calls, calls()),
    see:value(tokens, tokens()).

wait_for(Fun, Wanted) ->
    case Fun() of
        Wanted -> Wanted;
        _ -> receive after 1 -> wait_for(Fun, Wanted) end
    end.

%% The last calls of a process that becomes sensitive, and is no longer.
calls() ->
    Self = self(),
    Saver = spawn_link(fun() ->
                           process_flag(save_calls, 10),
                           false = process_flag(sensitive, true),
                           {last_calls, During} = process_info(self(), last_calls),
                           _ = lists:map(fun(N) -> N * 2 end, [1, 2, 3]),
                           {last_calls, Later} = process_info(self(), last_calls),
                           true = process_flag(sensitive, false),
                           _ = atom_to_list(see:id(a)),
                           {last_calls, After} = process_info(self(), last_calls),
                           Self ! {self(), During, Later, lists:member({erlang, atom_to_list, 1}, After)}
                       end),
    receive {Saver, During, Later, Member} -> {During, Later, Member} end.

%% What a tracer is told when a sensitive process begins a sequence.
tokens() ->
    Tracer = spawn_link(fun() -> collect([]) end),
    false = seq_trace:set_system_tracer(Tracer),
    Self = self(),
    Beginner = spawn_link(fun() ->
                   false = process_flag(sensitive, true),
                   Echo = spawn(fun() -> receive {From, Message} -> From ! {reply, Message} end end),
                   seq_trace:set_token(label, 17),
                   [seq_trace:set_token(Flag, true) || Flag <- ['receive', send, print]],
                   seq_trace:print(17, begun),
                   Echo ! {self(), hello},
                   receive {reply, hello} -> ok end,
                   seq_trace:set_token([]),
                   Self ! {self(), Echo}
               end),
    Echo = receive {Beginner, Pid} -> Pid end,
    Told = wait_for_two(Tracer),
    seq_trace:set_system_tracer(false),
    [named(Event, [{Beginner, beginner}, {Echo, echo}]) || Event <- Told].

wait_for_two(Tracer) ->
    Tracer ! {self(), told},
    case receive {Tracer, Told} -> Told end of
        [_, _ | _] = Told -> Told;
        _ -> receive after 1 -> wait_for_two(Tracer) end
    end.

collect(Told) ->
    receive
        {From, told} -> From ! {self(), lists:reverse(Told)}, collect(Told);
        Event -> collect([Event | Told])
    end.

named(Term, Names) when is_tuple(Term) -> list_to_tuple(named(tuple_to_list(Term), Names));
named([Head | Tail], Names) -> [named(Head, Names) | named(Tail, Names)];
named(Term, Names) -> proplists:get_value(Term, Names, Term).
