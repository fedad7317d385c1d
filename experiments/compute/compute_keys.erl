%% Keys as brokers and chat servers have them: names of resources, sessions and pids, looked up in tables, maps and the
%% process dictionary, hashed, and kept in order.
-module(compute_keys).
-export([run/0]).

run() ->
    Names = [integer_to_binary(N * 7919 rem 5000) || N <- lists:seq(1, 5000)],
    Queues = [{resource, <<"/">>, queue, <<"orders.", Name/binary>>} || Name <- Names],
    Sessions = [{<<"user", Name/binary>>, <<"chat.example">>, <<"phone">>} || Name <- Names],
    Table = ets:new(keys, [set]),
    Index = ets:new(keys, [ordered_set]),
    ets:insert(Table, [{Queue, 1} || Queue <- Queues]),
    ets:insert(Index, [{Session, 1} || Session <- Sessions]),
    Map = lists:foldl(fun(Queue, Counts) -> Counts#{Queue => length(Queues)} end, #{}, Queues),
    Found = [{ets:lookup_element(Table, Queue, 2), map_get(Queue, Map)} || Queue <- Queues],
    Stored = [ets:lookup(Index, Session) || Session <- Sessions],
    Shards = [{erlang:phash2(Queue, 16), erlang:phash2(Session, 16), erlang:phash2({shard, {Session, 7}, "tag"}, 16)}
              || {Queue, Session} <- lists:zip(Queues, Sessions)],
    Ordered = lists:foldl(fun gb_sets:add_element/2, gb_sets:empty(), Queues),
    Credit = [credit({credit_to, self(), N rem 40}) || N <- lists:seq(1, 20000)],
    [erase({credit_to, self(), N}) || N <- lists:seq(0, 39)],
    true = ets:delete(Table),
    true = ets:delete(Index),
    {length(Found), length(Stored), Shards, gb_sets:size(Ordered), lists:sum(Credit)}.

%% As flow control by credit keeps its counts.
credit(Key) ->
    Left = case get(Key) of
               undefined -> 200;
               Credit -> Credit - 1
           end,
    put(Key, Left),
    Left.
