%% Signals from one process to another arrive in order, whatever their kind and size, also when many processes send at
%% once, and
%% timeout: 20
%% large messages are among small ones.
-module(order_of_messages).
-export([main/1]).

main([B]) ->
    see:value("one to one", in_order(B, 1, fun small/1, 20_000)),
    see:value("ten senders", in_order(B, 10, fun small/1, 2_000)),
    see:value("hundred senders", in_order(B, 100, fun small/1, 100)),
    see:value("mixed sizes", in_order(B, 4, fun mixed/1, 60)),
    see:value("large ones", in_order(B, 2, fun large/1, 4)),
    see:value("both ways", both_ways(B)),
    see:value("kinds", kinds(B)),
    see:value("name and pid", names(B)).

small(N) -> N.

%% A large message now and then, also larger than one fragment.
mixed(N) when N rem 7 =:= 0 -> {N, binary:copy(<<N:16>>, 100_000)};
mixed(N) when N rem 11 =:= 0 -> {N, lists:seq(N, N + 20_000)};
mixed(N) -> {N, binary:copy(<<N:16>>, N)}.

large(N) when N rem 2 =:= 0 -> {N, binary:copy(<<N>>, 8_000_000)};
large(N) -> {N, small}.

%% Each sender's messages are checked by a receiver of all senders.
in_order(B, Senders, Message, Count) ->
    Self = self(),
    Pids = [cluster:on(B, fun() ->
                spawn(fun() ->
                    receive go -> [Self ! {message, self(), Message(N)} || N <- lists:seq(1, Count)] end
                end)
            end) || _ <- lists:seq(1, Senders)],
    [Pid ! go || Pid <- Pids],
    received(maps:from_list([{Pid, 1} || Pid <- Pids]), Message, Count, Senders * Count).

received(_, _, _, 0) -> {all, cluster:rest()};
received(Next, Message, Count, Left) ->
    receive
        {message, Pid, What} ->
            #{Pid := N} = Next,
            case Message(N) of
                What -> received(Next#{Pid := N + 1}, Message, Count, Left - 1);
                _ -> {wrong, N}
            end
    after 30_000 -> {missing, Left}
    end.

both_ways(B) ->
    Self = self(),
    Pid = cluster:on(B, fun() -> spawn(fun() -> talk(cluster:next(), 1) end) end),
    Pid ! Self,
    talk(Pid, 1).

talk(_, 3_000) -> done;
talk(Pid, N) ->
    Pid ! {talk, N},
    receive {talk, M} when M =:= N -> talk(Pid, N + 1) after 30_000 -> {missing, N} end.

%% Messages, links, monitors and exits between two processes keep their order too.
kinds(B) ->
    process_flag(trap_exit, true),
    Self = self(),
    Results = [begin
        Pid = cluster:on(B, fun() -> spawn(fun() ->
                  Monitor = monitor(process, Self),
                  Self ! {1, N},
                  link(Self),
                  Self ! {2, binary:copy(<<0>>, N * 3_000)},
                  Self ! {3, N},
                  demonitor(Monitor),
                  exit({4, N})
              end) end),
        _ = Pid,
        [kind(cluster:next()) || _ <- lists:seq(1, 4)]
    end || N <- lists:seq(1, 50)],
    {lists:usort(Results), cluster:rest()}.

kind({'EXIT', _, {4, _}}) -> 4;
kind({Number, _}) -> Number.

%% To one process by its pid, its name and its alias in turn.
names(B) ->
    register(by_name, self()),
    Self = self(),
    Here = node(),
    Alias = alias(),
    cluster:on(B, fun() ->
        [case N rem 4 of
             0 -> Self ! N;
             1 -> {by_name, Here} ! N;
             2 -> Alias ! N;
             3 -> erlang:send(Self, N, [nosuspend])
         end || N <- lists:seq(1, 4_000)]
    end),
    [cluster:next() || _ <- lists:seq(1, 4_000)] =:= lists:seq(1, 4_000).
