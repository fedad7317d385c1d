%% Pids, ports and references of the other node: compared, ordered, hashed, printed, in the external format old and new,
%% as keys of
%% timeout: 20
%% maps and tables, in match specifications, as text.
-module(identifiers).
-export([main/1]).

main([B]) ->
    {Pids, Refs, Ports} = cluster:on(B, fun() ->
        {[spawn(fun() -> ok end) || _ <- lists:seq(1, 5)], [make_ref() || _ <- lists:seq(1, 5)], erlang:ports()}
    end),
    see:value("nodes", lists:usort([node(Id) || Id <- Pids ++ Refs ++ Ports])),
    see:value("types", {is_pid(hd(Pids)), is_reference(hd(Refs)), is_port(hd(Ports)), is_port(hd(Pids))}),
    see:value("sorted as there", [lists:sort(Ids) =:= cluster:on(B, fun() -> lists:sort(Ids) end)
        || Ids <- [Pids, Refs, Ports]]),
    see:value("texts", [hidden(pid_to_list(hd(Pids))), hidden(port_to_list(hd(Ports))), hidden(ref_to_list(hd(Refs)))]),
    see:value("from text", [list_to_pid(pid_to_list(hd(Pids))) =:= hd(Pids),
        list_to_port(port_to_list(hd(Ports))) =:= hd(Ports),
                            list_to_ref(ref_to_list(hd(Refs))) =:= hd(Refs)]),
    see:value("texts there", [cluster:on(B, fun() -> hidden(pid_to_list(Pid)) end) || Pid <- [hd(Pids), self()]]),
    [see:value(Name, format(B, Id)) || {Name, Id} <- [{pid, hd(Pids)}, {reference, hd(Refs)}, {port, hd(Ports)}]],
    see:value("hashes", [lists:all(fun(Id) -> hashes(Id) =:= cluster:on(B, fun() -> hashes(Id) end) end, Ids)
                         || Ids <- [Pids, Refs, Ports, [self(), make_ref(), hd(erlang:ports()), alias()]]]),
    see:value("as keys", as_keys(Pids ++ Refs ++ Ports)),
    tables(B, Pids, Refs),
    orders(B),
    made().

%% Numbers hidden: <N.N.N> and so on.
hidden(Text) -> re:replace(Text, "[0-9]+", "N", [global, {return, list}]).

%% Copied by the external format they stay what they are, with and without the flags that keep old nodes happy.
format(_, Id) ->
    Formats = [term_to_binary(Id), term_to_binary(Id, [{minor_version, 1}]), term_to_binary(Id, [{minor_version, 2}]),
               term_to_binary([Id, Id], [compressed])],
    {[binary:at(Format, 1) || Format <- Formats], [byte_size(Format) || Format <- lists:sublist(Formats, 3)],
     [binary_to_term(Format) =:= Id || Format <- lists:sublist(Formats, 3)],
     binary_to_term(lists:nth(4, Formats)) =:= [Id, Id], erlang:external_size(Id), erts_debug:flat_size(Id),
     erts_debug:size([Id, Id])}.

hashes(Id) -> [erlang:phash2(Id), erlang:phash(Id, 1 bsl 30), erlang:phash2({Id, [Id]}),
    erlang:crc32(term_to_binary(node(Id)))].

as_keys(Ids) ->
    Map = maps:from_list([{Id, N} || {N, Id} <- lists:zip(lists:seq(1, length(Ids)), Ids)]),
    Copies = binary_to_term(term_to_binary(Ids)),
    [map_size(Map) =:= length(Ids), [maps:get(Id, Map) || Id <- Copies] =:= lists:seq(1, length(Ids)),
     lists:all(fun(Id) -> lists:member(Id, Ids) end, Copies), Copies -- Ids,
     length(lists:usort(Ids ++ Copies)) =:= length(Ids)].

tables(B, Pids, Refs) ->
    [begin
        Table = ets:new(table, [Type]),
        ets:insert(Table, [{Id, node(Id)} || Id <- Pids ++ Refs] ++ [{self(), own}]),
        see:value(Type, [length(ets:lookup(Table, binary_to_term(term_to_binary(Id)))) || Id <- [hd(Pids), hd(Refs),
            self()]]
                        ++ [length(ets:match_object(Table, {hd(Pids), '_'})), ets:match(Table, {hd(Pids), '$1'}),
                            length(ets:select(Table,
                                [{{'$1', '_'}, [{is_pid, '$1'}, {'=:=', {node, '$1'}, B}], ['$1']}])),
                            length(ets:select(Table, [{{'$1', '_'}, [{'=/=', {node, '$1'}, {node}}], ['$1']}])),
                            ets:select_count(Table, [{{hd(Refs), '_'}, [], [true]}])]),
        ets:delete(Table)
     end || Type <- [set, ordered_set, bag]].

%% Numbers, atoms, references, funs, ports, pids, tuples: also across nodes. Pids and ports of one number go by the
%% node's name.
orders(B) ->
    [Own, Its] = [[self_of(Node, Kind) || Kind <- [pid, ref, port]] || Node <- [node(), B]],
    Mixed = lists:sort([{x}, 1, atom, [], "list", #{}, <<>>, fun lists:map/2 | Own ++ Its]),
    see:value("mixed", [kind(One) || One <- Mixed]),
    [P1, P2, P3] = [pid(Name, 50, 1, 1) || Name <- ['x@localhost', 'y@localhost', 'x@elsewhere']],
    see:value("by name", [kind(One) || One <- lists:sort([P1, P2, P3])]),
    see:value("by number, then name", [erlang:phash2(One) || One <- lists:sort([pid(N, Id, Serial, Creation)
                                       || N <- ['x@localhost', 'y@localhost'], Id <- [1, 2], Serial <- [0, 1],
                                       Creation <- [1, 2]])]),
    see:value("creations differ", {pid('x@localhost', 5, 0, 1) =:= pid('x@localhost', 5, 0, 2),
        pid('x@localhost', 5, 0, 1) == pid('x@localhost', 5, 0, 1)}).

self_of(Node, Kind) ->
    cluster:on(Node, fun() ->
        case Kind of pid -> whereis(init); ref -> make_ref(); port -> hd(erlang:ports()) end
    end).

kind(One) when is_pid(One); is_port(One); is_reference(One) -> cluster:plain(One);
kind(One) -> One.

pid(Node, Id, Serial, Creation) -> made(<<88, (atom(Node))/binary, Id:32, Serial:32, Creation:32>>).

atom(Name) -> Text = atom_to_binary(Name), <<119, (byte_size(Text)), Text/binary>>.

made(Bytes) -> binary_to_term(<<131, Bytes/binary>>).

%% Old formats and edge values, also of this node and of an earlier life of it.
made() ->
    N = atom('x@localhost'),
    Old = <<100, 11:16, "x@localhost">>,
    All = [{pid_old, <<103, Old/binary, 7:32, 3:32, 2>>}, {pid, <<88, N/binary, 7:32, 3:32, 2:32>>},
        {pid_large, <<88, N/binary, -1:32, -1:32, -1:32>>},
           {port_old, <<102, Old/binary, 9:32, 1>>}, {port, <<89, N/binary, 9:32, 1:32>>},
           {port_v4, <<120, N/binary, 16#123456789:64, 1:32>>},
           {reference_old, <<101, Old/binary, 3:32, 1>>}, {reference, <<114, 3:16, Old/binary, 1, 1:32, 2:32, 3:32>>},
           {newer, <<90, 3:16, N/binary, 4:32, 1:32, 2:32, 3:32>>},
           {newer_5, <<90, 5:16, N/binary, 4:32, 1:32, 2:32, 3:32, 4:32, 5:32>>},
           {too_long, <<90, 6:16, N/binary, 4:32, 1:32, 2:32, 3:32, 4:32, 5:32, 6:32>>},
           {cut, <<88, N/binary, 7:32>>}, {no_atom, <<88, 97, 1, 7:32, 3:32, 2:32>>},
           {earlier_self, <<88, (atom(node()))/binary, 1:32, 0:32, 1:32>>},
           {creation_0, <<88, (atom(node()))/binary, 16#7FFF:32, 0:32, 0:32>>}],
    [cluster:that(Name, fun() ->
        Id = made(Bytes),
        {Id, hidden(io_lib:format("~w", [Id])), erlang:phash2(Id), binary_part(term_to_binary(Id), 0, 2),
            made(binary:part(term_to_binary(Id), 1, byte_size(term_to_binary(Id)) - 1)) =:= Id}
     end) || {Name, Bytes} <- All].
