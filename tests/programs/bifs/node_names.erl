%% Which names a node may have, and which another node may have that is to be connected, by a node without a name and by
%% one that has one.
-module(node_names).
-export([main/0]).

main() ->
    [see:value("own, other", {Name, own(Name), other(Name)}) || Name <- names()],
    true = register(net_kernel, spawn(fun() -> receive after infinity -> ok end end)),
    true = erlang:setnode('own@h', 5),
    [see:value("with a name", {Name, second_name(Name), other(Name)}) || Name <- ['own@h', 'own@H' | names()]],
    halt(0, [{flush, true}]).

names() ->
    ['x@y', '@y', 'x@', x, '@', '', 'x@y@z', 'x@h@', 'X@H', '1@1', 'x-y_Z0@h', '-@-', '_@_', 'x@127.0.0.1', 'x@[::1]',
     'x y@h', 'x\n@h', 'x\0@h', 'x.y@h', 'x:y@h', 'x+@h', 'x*@h', 'x$@h', 'x/@h', '../../etc@h', '\';halt().@h',
     '~p~s@h', '{@h', '`@h', '[@h',
     list_to_atom([233, $@, $h]), list_to_atom([256, $@, $h]), list_to_atom([$x, 16#ff21, $@, $h]),
     'x@h y', 'x@h\n', 'x@h\0', 'x@h/..', 'x@h:1', list_to_atom([$x, $@, 233]), list_to_atom([$x, $@, 256]),
     list_to_atom(lists:duplicate(253, $a) ++ "@b"), list_to_atom("b@" ++ lists:duplicate(253, $a)),
     list_to_atom("b@" ++ lists:duplicate(253, 256)),
     nonode@nohost, nonode@nohostx, nonode@h, 'NONODE@nohost', 'nonode@nohost\n', nonode, '@nohost', undefined, 5,
     "x@y", <<"x@y">>, {'x@y'}].

%% The node has a name as long as a process is `net_kernel'.
own(Name) ->
    {_, Monitor} = spawn_monitor(fun() ->
        true = register(net_kernel, self()),
        exit(try {erlang:setnode(Name, 5), node() =:= Name} catch Class:Reason -> {Class, Reason} end)
    end),
    Result = receive {'DOWN', Monitor, process, _, How} -> How end,
    unnamed(),
    Result.

second_name(Name) ->
    try erlang:setnode(Name, 6)
    catch
        Class:Reason -> {Class, Reason}
    end.

unnamed() ->
    case node() of
        nonode@nohost -> ok;
        _ -> receive after 1 -> unnamed() end
    end.

other(Name) ->
    try erts_internal:new_connection(Name) of
        Connection -> {connection, erts_internal:abort_pending_connection(Name, Connection)}
    catch
        Class:Reason -> {Class, Reason}
    end.
