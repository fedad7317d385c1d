%% Processes that send to each other; selective receive; order.
-module(messages_shown).
-export([main/0, echo/0]).

main() ->
    Echo = spawn(?MODULE, echo, []),
    Echo ! {self(), hello},
    receive {Echo, Answer} -> erlang:display(Answer) end,
    self() ! one,
    self() ! two,
    self() ! three,
    receive three -> erlang:display(three) end,
    receive First -> erlang:display(First) end,
    receive Second -> erlang:display(Second) end,
    receive Other -> erlang:display(Other) after 0 -> erlang:display(empty) end,
    receive Late -> erlang:display(Late) after 20 -> erlang:display(timeout) end,
    Main = self(),
    spawn(fun() -> count(1, 1000, Main) end),
    erlang:display(add(1000, 0)),
    Echo ! stop,
    erlang:display(chain(100)).

echo() ->
    receive
        {From, Message} -> From ! {self(), {echo, Message}}, echo();
        stop -> ok
    end.

count(N, Max, _) when N > Max -> ok;
count(N, Max, To) -> To ! N, count(N + 1, Max, To).

add(0, Sum) -> Sum;
add(N, Sum) -> receive I when is_integer(I) -> add(N - 1, Sum + I) end.

chain(N) ->
    First = self(),
    Last = link_up(N, First),
    Last ! 0,
    receive {hops, Hops} -> Hops end.

link_up(0, Next) -> Next;
link_up(N, Next) ->
    Main = N =:= 100,
    Pid = spawn(fun() -> receive H -> forward(Next, H + 1, Main) end end),
    link_up(N - 1, Pid).

forward(Next, Hops, true) -> Next ! {hops, Hops};
forward(Next, Hops, false) -> Next ! Hops.
