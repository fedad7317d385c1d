%% Terms of every type to the other node and back: they come back equal, and are there what they are here.
%% timeout: 20
-module(terms).
-export([main/1, some_function/1]).

main([B]) ->
    Pid = cluster:on(B, fun() -> spawn(fun Loop() -> receive {From, Term} -> From ! {back, Term, seen(Term)}, Loop()
        end end) end),
    [see:value(Name, there_and_back(Pid, Term)) || {Name, Term} <- terms(B)],
    Funs = funs(),
    [see:value({'fun', N}, fun_there(Pid, Fun)) || {N, Fun} <- lists:zip(lists:seq(1, length(Funs)), Funs)],
    see:value("many at once", lists:all(fun(Same) -> Same end, many(Pid, [Term || {_, Term} <- terms(B)]))).

%% Whether it came back as it was, and what the other node finds it to be.
there_and_back(Pid, Term) ->
    Pid ! {self(), Term},
    {back, Back, Seen} = cluster:next(),
    case {Back =:= Term, Seen =:= seen(Term)} of
        {true, true} -> same;
        _ -> {Back =:= Term, differences(Seen, seen(Term))}
    end.

%% Nodes of two releases differ in what of an identifier's node they write in a byte more. The hash of an identifier is
%% another one in each run, so it is not shown.
differences({Hash, Size, External, Kind}, {OwnHash, OwnSize, OwnExternal, OwnKind}) ->
    {Hash =:= OwnHash, {Size, OwnSize}, External - OwnExternal, {Kind, OwnKind}}.

seen(Term) -> {erlang:phash2(Term), size(Term, kind(Term)), erlang:external_size(Term), kind(Term)}.

%% What is from here is smaller than what is from elsewhere, and the shape of a large map depends on the node.
size(_, {identifier, _}) -> none;
size(_, {function, _, _}) -> none;
size(_, {map, _, _}) -> none;
size({record, _, _}, _) -> none;
size(Term, _) -> erts_debug:flat_size(Term).

kind(T) when is_float(T) -> {float, <<T/float>>};
kind(T) when is_binary(T) -> {binary, byte_size(T), erlang:crc32(T)};
kind(T) when is_bitstring(T) -> {bits, bit_size(T)};
kind(T) when is_map(T) ->
    {map, map_size(T), lists:sort(maps:keys(T)) =:= lists:sort([K || K <- maps:keys(T), is_map_key(K, T)])};
kind(T) when is_function(T) -> {function, erlang:fun_info(T, type), erlang:fun_info(T, arity)};
kind(T) when is_pid(T); is_reference(T); is_port(T) -> {identifier, node(T)};
kind([_ | Tail]) -> {list, is_list(Tail)};
kind(T) when is_tuple(T) -> {tuple, tuple_size(T)};
kind(T) when is_atom(T) -> {atom, atom_to_binary(T)};
kind(T) -> T.

terms(B) ->
    Bytes = list_to_binary(lists:seq(0, 255)),
    Large = binary:copy(Bytes, 4_000),
    <<_:3, Bits:1_001/bits, _/bits>> = Bytes,
    <<_:100/binary, Sub:100_000/binary, _/binary>> = Large,
    [{{integer, N}, N} || N <- [0, 1, -1, 255, 256, -129, 1 bsl 27, 1 bsl 31, -(1 bsl 31), (1 bsl 31) - 1,
        (1 bsl 59) - 1, 1 bsl 59,
                                -(1 bsl 59), -(1 bsl 59) - 1, 1 bsl 63, 1 bsl 64, -(1 bsl 64)]] ++
    [{{big, N}, (1 bsl N) - 1} || N <- [100, 2_039, 2_040, 2_041, 10_000, 100_000]] ++
    [{{negative, N}, -(1 bsl N)} || N <- [2_040, 50_000]] ++
    [{{float, F}, F} || F <- [0.0, 1.5, -1.5, 1.0e308, -1.0e-308, 4.9e-324, 0.1]] ++ [{minus_zero, -0.0}] ++
    [{nil, []}, {list, [1, two, 3.0]}, {string, "text"}, {long_string, lists:duplicate(65_535, $a)},
     {longer_string, lists:duplicate(65_536, $a)}, {improper, [1, 2 | 3]}, {bytes_and_more, [1, 255, 256]},
     {tuple, {}}, {tuple_255, list_to_tuple(lists:seq(1, 255))}, {tuple_256, list_to_tuple(lists:seq(1, 256))},
     {tuple_70000, list_to_tuple(lists:seq(1, 70_000))},
     {deep_list, lists:foldl(fun(N, Acc) -> [N, Acc] end, [], lists:seq(1, 50_000))},
     {deep_car, lists:foldl(fun(_, Acc) -> [Acc] end, [], lists:seq(1, 50_000))},
     {deep_tuple, lists:foldl(fun(_, Acc) -> {Acc} end, x, lists:seq(1, 50_000))},
     {empty, <<>>}, {binary_64, binary:part(Large, 5, 64)}, {binary_65, binary:part(Large, 5, 65)}, {megabyte, Large},
     {sub_binary, Sub}, {bits_1, <<1:1>>}, {bits, Bits}, {bits_of_large, <<Large/bits, 5:3>>},
     {binaries_100, [binary:copy(<<N>>, 100) || N <- lists:seq(1, 1_000)]},
     {shared, lists:duplicate(100, Sub)},
     {map, #{}}, {map_1, #{a => 1}}, {map_32, maps:from_list([{N, N} || N <- lists:seq(1, 32)])},
     {map_33, maps:from_list([{N, N} || N <- lists:seq(1, 33)])},
     {map_20000, maps:from_list([{{N, float(N)}, [N]} || N <- lists:seq(1, 20_000)])},
     {map_of_maps, maps:from_list([{#{N => a}, #{b => maps:from_list([{M, N} || M <- lists:seq(1, 40)])}}
         || N <- lists:seq(1, 50)])},
     {atoms, [true, '', 'with space', 'ÿ', 'αβγ', list_to_atom(lists:duplicate(255, $x)),
         list_to_atom(lists:duplicate(255, 16#1F600))]},
     {own_pid, self()}, {its_pid, cluster:on(B, fun erlang:self/0)}, {own_reference, make_ref()},
     {its_reference, cluster:on(B, fun erlang:make_ref/0)}, {own_alias, alias()}, {own_port, hd(erlang:ports())},
     {its_port, cluster:on(B, fun() -> hd(erlang:ports()) end)}, {old_pid, c:pid(0, 1, 0)},
     {record, {record, self(), #{key => {make_ref(), <<1:1>>, 1.0e10}}}}].

funs() ->
    Value = {bound, 1, <<"x">>},
    [fun lists:map/2, fun erlang:self/0, fun ?MODULE:some_function/1, fun some_function/1, fun(X) -> {X, Value} end,
     fun Named(0) -> done; Named(N) -> Named(N - 1) end, fun not_there:not_there/3].

some_function(X) -> {some, X}.

%% A fun is the same fun there, and can be called.
fun_there(Pid, Fun) ->
    Own = there_and_back(Pid, Fun),
    Called = case erlang:fun_info(Fun, arity) of
                 {arity, 1} -> cluster:on(node(Pid), fun() -> Fun(3) end);
                 _ -> not_called
             end,
    {Own, Called}.

%% All in one message, and all under way at the same time.
many(Pid, Terms) ->
    Pid ! {self(), Terms},
    [Pid ! {self(), Term} || Term <- Terms],
    {back, Terms, _} = cluster:next(),
    [receive {back, Back, _} -> Back =:= Term end || Term <- Terms].
