%% A node takes a name and gives it up: what it has written for itself alone stays its own, and it takes no creation
%% with which something in it refers to a node of its name.
%% args: -kernel start_distribution false
%% releases: 27 29
-module(names_taken_27).
-export([main/0]).

main() ->
    creations(),
    own_terms().

%% A name and a creation for as long as the fun runs.
named(Name, Creation, Fun) ->
    {NetKernel, Monitor} = spawn_monitor(fun() -> receive stop -> ok end end),
    register(net_kernel, NetKernel),
    true = erlang:setnode(Name, Creation),
    Result = Fun(),
    NetKernel ! stop,
    receive {'DOWN', Monitor, process, _, _} -> ok end,
    unnamed(),
    Result.

unnamed() ->
    case node() of
        nonode@nohost -> ok;
        _ -> erlang:yield(), unnamed()
    end.

creation(Name, Creation) ->
    named(Name, Creation, fun() -> {node(), erlang:system_info(creation)} end).

creations() ->
    [see:value({nothing_refers, C}, creation('first@localhost', C)) || C <- [0, 1, 3, 4, 4711, 16#fffffffe]],
    Kept = [pid('first@localhost', 7), pid('first@localhost', 8), pid('second@localhost', 9)],
    [see:value({pids_refer, C}, creation('first@localhost', C)) || C <- [6, 7, 8, 9]],
    [see:value({pids_refer, C}, creation('second@localhost', C)) || C <- [7, 9]],
    see:value(kept, [node(Pid) || Pid <- Kept]),
    [see:that({again, Name, C}, fun() -> erlang:setnode(Name, C) end)
     || {Name, C} <- [{first, 5}, {'first@localhost', -1}]].

pid(Name, Creation) ->
    Text = atom_to_binary(Name),
    binary_to_term(<<131, 88, 119, (byte_size(Text)), Text/binary, 77:32, 0:32, Creation:32>>).

own_terms() ->
    Terms = [self(), make_ref(), open_port({spawn, "cat"}, []), atomics:new(1, []), pid('first@localhost', 7),
             pid(nonode@nohost, 0), pid(nonode@nohost, 3)],
    Local = [{Term, term_to_binary(Term, [local])} || Term <- [Terms | Terms]],
    see:value(sizes, [{erlang:external_size(Term, [local]), byte_size(Bytes)} || {Term, Bytes} <- tl(Local)]),
    Check = fun() -> [binary_to_term(Bytes) =:= Term || {Term, Bytes} <- Local] end,
    Others = fun() -> [node(binary_to_term(term_to_binary(Term))) || Term <- lists:sublist(Terms, 3)] end,
    see:value(without_name, Check()),
    see:value(named, named('first@localhost', 7, Check)),
    see:value(other_creation, named('first@localhost', 4711, Check)),
    see:value(other_name, named('third@localhost', 4711, Check)),
    see:value(again_without_name, Check()),
    Named = named('third@localhost', 5, fun() -> [{Term, term_to_binary(Term, [local])} || Term <- Terms] end),
    see:value(written_with_name, [binary_to_term(Bytes) =:= Term || {Term, Bytes} <- Named]),
    see:value(plain, named('third@localhost', 6, Others)),
    see:that(no_name_outside, fun() -> binary_to_term(<<131, 88, 106, 77:32, 0:32, 0:32>>) end).
