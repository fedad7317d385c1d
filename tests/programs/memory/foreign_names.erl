%% External terms that name many nodes, creations and funs that this node does not know: reading them takes time in
%% proportion, also afterwards, and nothing stays of those that are gone.
%% timeout: 60
-module(foreign_names).
-export([main/0]).

-define(PIDS, 200000).

main() ->
    nodes_and_creations(),
    [see:value({Kind, Way}, apart:run(fun() -> funs(Kind, Way) end, 50000)) || Kind <- [plain, free],
        Way <- [once, sent, stored, both]].

%% As many pids, each of another incarnation of a node.
nodes_and_creations() ->
    List = <<131, $l, ?PIDS:32, (pids(?PIDS, []))/binary, $j>>,
    Pids = binary_to_term(List),
    see:value(pids, {length(Pids), length(lists:usort(Pids)), lists:usort([node(P) || P <- Pids])}),
    see:value(same, {term_to_binary(Pids) =:= List, binary_to_term(List) =:= Pids}),
    Map = maps:from_keys(Pids, x),
    see:value(in_map, {map_size(Map), lists:all(fun(P) -> is_map_key(P, Map) end, binary_to_term(List))}),
    One = hd(Pids),
    see:value(one, length(lists:usort([binary_to_term(term_to_binary(One)) || _ <- lists:seq(1, 10000)]))),
    [see:value(order, lists:sort([pid(N, C, I, S) || N <- ["b@b", "a@a"], C <- [2, 1, 16#ffffffff], I <- [2, 1],
        S <- [1, 0]])
        =:= [pid(N, C, I, S) || S <- [0, 1], I <- [1, 2], N <- ["a@a", "b@b"], C <- [1, 2, 16#ffffffff]])].

pids(0, Done) -> iolist_to_binary(Done);
pids(N, Done) -> pids(N - 1, [<<$X, $w, 3, "a@b", 1:32, 1:32, N:32>> | Done]).

pid(Node, Creation, Index, Serial) -> binary_to_term(<<131, $X, $w, 3, (list_to_binary(Node))/binary, Index:32,
    Serial:32, Creation:32>>).

%% Funs of as many modules, in every place where a term may be, and how much more is held when they are gone: a few MB
%% that the allocator keeps, where 200,000 entries would take some 30. (Stock 29 ends at the 524,288th that the node
%% meets.)
funs(Kind, Way) ->
    Fun = case Kind of plain -> fun() -> ok end; free -> X = see:id({free, "variable"}), fun() -> X end end,
    <<131, $p, Size:32, Arity, _:128, Rest/binary>> = term_to_binary(Fun),
    Named = fun(I) -> binary_to_term(<<131, $p, Size:32, Arity, I:128, Rest/binary>>, [safe]) end,
    Table = ets:new(t, []),
    Before = held(),
    [way(Way, Named, Table, I) || I <- lists:seq(1, count(Way))],
    ets:delete(Table),
    limit(Before).

count(once) -> 200000;
count(stored) -> 2000; % stock finds one of many living funs slowly
count(_) -> 5000.

way(once, Named, _, I) -> true = is_function(Named(I), 0);
way(sent, Named, _, I) ->
    F = Named(I), self() ! {F, I},
    receive {G, I} -> true = F =:= G, {new_uniq, <<I:128>>} = erlang:fun_info(G, new_uniq) end;
way(stored, Named, Table, I) ->
    ets:insert(Table, {I, Named(I)}),
    I rem 10 =:= 0 andalso begin [{_, F}] = ets:lookup(Table, I - 1), true = is_function(F, 0),
        ets:delete(Table, I - 2) end;
way(both, Named, _, I) ->
    {F, G} = {Named(I), Named(I)},
    true = F =:= G,
    true = term_to_binary(F) =:= term_to_binary(G),
    true = erlang:phash2(F) =:= erlang:phash2(G).

limit(Before) ->
    apart:wait(fun() -> erlang:garbage_collect(), case held() - Before of More when More < 25 -> less;
        More -> {more, More} end end, less, 100).

held() ->
    {ok, Status} = file:read_file("/proc/self/status"),
    {match, [Kilobytes]} = re:run(Status, "VmRSS:\\s+(\\d+)", [{capture, all_but_first, list}]),
    list_to_integer(Kilobytes) div 1024.
