%% The counts of `node_and_dist_references`: who holds identifiers of which node. Names of nodes that nothing refers to
%% are forgotten.
-module(node_references).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    false = erts_debug:set_internal_state(available_internal_state, true),
    see:value(set, erts_debug:set_internal_state(node_tab_delayed_delete, 0)),
    see:value(bad, try erts_debug:set_internal_state(node_tab_delayed_delete, see:id(x)) catch error:Reason -> Reason
        end),
    tables(set), tables(ordered_set),
    match_specifications(),
    timers(),
    persistent(),
    holders(),
    names(),
    see:value(restored, erts_debug:set_internal_state(node_tab_delayed_delete, -1)),
    Table = ets:new(table, []),
    see:value(magic, [{is_integer(A), is_integer(S), is_integer(C)} || {A, S, C} <- magic()]),
    ets:delete(Table),
    halt(0, [{flush, true}]).

far() -> {'far@away', 77}.

pid() -> identifier(<<88>>, <<4711:32, 2:32>>, far()).
port() -> identifier(<<89>>, <<4711:32>>, far()).
reference() ->
    {Name, Creation} = far(),
    Atom = term(Name),
    binary_to_term(<<131, 90, 3:16, Atom/binary, Creation:32, 4711:32, 47:32, 11:32>>).

identifier(Tag, Numbers, {Name, Creation}) ->
    Atom = term(Name),
    binary_to_term(<<131, Tag/binary, Atom/binary, Numbers/binary, Creation:32>>).

term(Name) -> <<131, Atom/binary>> = term_to_binary(Name), Atom.

%% What is held in one kind of place, and whether all counts are right.
count(Place) ->
    garbage_collect(),
    {{node_references, Nodes}, {dist_references, _}} = erts_debug:get_internal_state(node_and_dist_references),
    true = lists:all(fun sound/1, Nodes),
    case lists:keyfind(far(), 1, Nodes) of
        {_, _, Referrers} -> lists:sum([N || {_, Counts} <- Referrers, {P, N} <- Counts, P =:= Place]);
        false -> none
    end.

sound({_, Count, Referrers}) -> Count =:= lists:sum([N || {_, Counts} <- Referrers, {_, N} <- Counts]).

tables(Kind) ->
    Table = ets:new(table, [Kind]),
    see:value({Kind, empty}, count(ets)),
    ets:insert(Table, [{a, self()}, {b, pid()}, {port(), [port() | {reference()}]}, {e, make_ref()}]),
    see:value({Kind, filled}, count(ets)),
    ets:delete(Table, b),
    see:value({Kind, less}, count(ets)),
    ets:delete(Table),
    see:value({Kind, deleted}, count(ets)).

match_specifications() ->
    Table = ets:new(table, []),
    ets:insert(Table, [{a, 1}, {b, 1}, {c, 1}]),
    {_, Continuation} = ets:select(Table,
        [{{'$1', 1}, [{'=/=', '$1', pid()}, {'=/=', '$1', {const, reference()}}], ['$1']}], 1),
    see:value(match_specification, count(binary)),
    ets:select(Continuation),
    see:value(match_specification_gone, count(binary)),
    ets:delete(Table).

timers() ->
    One = erlang:start_timer(1000000, self(), {pid(), port()}),
    Two = erlang:send_after(1000000, nobody_at_all, [reference()]),
    see:value(timers, count(timer)),
    erlang:cancel_timer(One),
    see:value(one_timer, count(timer)),
    erlang:cancel_timer(Two),
    see:value(no_timer, count(timer)).

persistent() ->
    persistent_term:put(?MODULE, {pid(), port(), reference()}),
    see:value(persistent, count(system)),
    persistent_term:erase(?MODULE).

holders() ->
    Me = self(),
    Holder = spawn(fun() -> put(key, [pid()]), Me ! ready, receive _ -> ok end end),
    receive ready -> ok end,
    garbage_collect(Holder),
    {{node_references, Nodes}, {dist_references, Names}} = erts_debug:get_internal_state(node_and_dist_references),
    {_, _, Referrers} = lists:keyfind(far(), 1, Nodes),
    see:value(holder, lists:keyfind({process, Holder}, 1, Referrers) =:= {{process, Holder}, [{heap, 1}]}),
    see:value(name, lists:keyfind('far@away', 1, Names)),
    see:value(known, lists:member('far@away', nodes(known))),
    Monitor = monitor(process, Holder),
    Holder ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end.

%% A name is forgotten once nothing refers to it.
names() ->
    [garbage_collect(P) || P <- erlang:processes()],
    see:value(is_known, apart:wait(fun() -> lists:member('far@away', nodes(known)) end, false, 800)).

magic() ->
    garbage_collect(),
    {magic_ref, All} = process_info(self(), magic_ref),
    All.
