%% Messages so large that copying them takes long: by each way of sending, in order with small ones, to itself, to
%% receivers that do not exist, from processes that are traced or killed meanwhile.
-module(large_messages).
-export([main/0]).

main() ->
    Large = [{I, I * 1.5, [I]} || I <- lists:seq(1, 60000)],
    Hash = erlang:phash2(Large),
    [see:value(Way, in_order(Way, Large, Hash)) || Way <- [operator, send, options, name, alias, applied]],
    self() ! Large,
    see:value(itself, receive Large -> same end),
    see:value(dead, spawn(fun() -> ok end) ! Large =:= Large),
    see:value(unnamed, catch_reason(fun() -> nobody_has_this_name ! Large end)),
    see:value(unnamed_send, catch_reason(fun() -> erlang:send(nobody_has_this_name, Large) end)),
    see:value(several, several(Large, Hash)),
    see:value(traced, traced(Large)),
    see:value(killed, [killed(Large, After) || After <- [0, 1, 3, 10]]),
    see:value(registers, registers(Large, 1, {a, 2}, "three")).

catch_reason(Body) ->
    try Body() of _ -> returned catch Class:Reason -> {Class, Reason} end.

%% A small message, a large and a small one.
in_order(Way, Large, Hash) ->
    Parent = self(),
    Receiver = spawn_link(fun() ->
        Alias = alias(),
        register(receiver, self()),
        Parent ! {ready, Alias},
        Parent ! {got, [receive Any -> kind(Any, Hash) end || _ <- lists:seq(1, 3)]}
    end),
    Alias = receive {ready, A} -> A end,
    Results = [sent(Way, Receiver, Alias, Message) =:= Message || Message <- [first, Large, last]],
    receive {got, Got} -> {Results, Got} end.

kind(Large, Hash) when is_list(Large) -> {large, length(Large), erlang:phash2(Large) =:= Hash};
kind(Small, _) -> Small.

sent(operator, Pid, _, Message) -> Pid ! Message;
sent(send, Pid, _, Message) -> erlang:send(Pid, Message);
sent(options, Pid, _, Message) -> ok = erlang:send(Pid, Message, [noconnect]), Message;
sent(name, _, _, Message) -> receiver ! Message;
sent(alias, _, Alias, Message) -> Alias ! Message;
sent(applied, Pid, _, Message) -> apply(erlang, list_to_existing_atom("send"), [Pid, Message]).

several(Large, Hash) ->
    Parent = self(),
    [spawn_link(fun() -> [Parent ! {N, I, Large} || I <- lists:seq(1, 5)] end) || N <- lists:seq(1, 6)],
    lists:sort([receive {N, I, Got} when is_list(Got) -> {N, I, erlang:phash2(Got) =:= Hash} end
        || _ <- lists:seq(1, 30)]).

traced(Large) ->
    Receiver = spawn_link(fun() -> receive stop -> ok end end),
    Sender = spawn_link(fun() -> receive go -> Receiver ! {number, Large}, Receiver ! stop end end),
    1 = erlang:trace(Sender, true, [send]),
    Sender ! go,
    [receive {trace, Sender, send, {number, Got}, Receiver} -> Got =:= Large end,
     receive {trace, Sender, send, What, Receiver} -> What end].

%% Whatever the receiver gets is whole, and the sender ends.
killed(Large, After) ->
    Parent = self(),
    Sender = spawn(fun Send() -> Parent ! {Parent, Large}, Send() end),
    receive {Parent, First} -> First = Large end,
    timer:sleep(After),
    Ref = monitor(process, Sender),
    exit(Sender, kill),
    receive {'DOWN', Ref, process, Sender, Reason} -> Reason end,
    {Reason, lists:all(fun(Got) -> Got =:= Large end, flush(Parent))}.

flush(Parent) ->
    receive {Parent, Got} -> [Got | flush(Parent)] after 0 -> [] end.

%% What is on the stack and in registers is as before.
registers(Large, A, B, C) ->
    Before = {A, B, C, A + 1.5, [C | Large]},
    Float = float(A) * 2.5,
    self() ! Large,
    Got = receive Any -> Any end,
    {A, B, C, Float, element(5, Before) =:= [C | Got]}.
