%% OTP's database on three nodes: schemas and tables in memory and on disk, transactions that want the same records,
%% locks of processes that die, events, indexes, a node that is killed and comes back, backup and restore.
%% needs: mnesia
%% timeout: 60
-module(mnesia_tables).
-export([main/1]).

-record(account, {id, balance = 100, owner}).
-record(entry, {time, text}).

-define(ACCOUNTS, 10).
-define(TRANSFERS, 50).
-define(CLERKS, 4).

main([B]) ->
    A = node(),
    {Peer, C} = cluster:start(c),
    Nodes = [A, B, C],
    cluster:connect(B),
    see:value("directories", lists:usort([cluster:on(N, fun directory/0) || N <- Nodes])),
    see:value("schema", mnesia:create_schema(Nodes)),
    see:value("start", [cluster:on(N, fun mnesia:start/0) || N <- Nodes]),
    see:value("account", mnesia:create_table(account, [{attributes, record_info(fields, account)}, {index, [owner]},
                                                       {ram_copies, [A, B]}])),
    see:value("entry", mnesia:create_table(entry, [{attributes, record_info(fields, entry)}, {type, ordered_set},
                                                   {disc_copies, [A, C]}])),
    see:value("file", mnesia:create_table(file, [{disc_only_copies, [B]}])),
    see:value("there", [cluster:on(N, fun() -> mnesia:wait_for_tables([account, entry, file], 10_000) end)
        || N <- Nodes]),
    see:value("running", length(mnesia:system_info(running_db_nodes))),
    transfers(Nodes),
    index(Nodes),
    locks(B),
    events(B),
    disk(C),
    back(Peer, A, C),
    backup(B).

directory() ->
    Name = "mnesia." ++ hd(string:split(atom_to_list(node()), "@")),
    ok = filelib:ensure_dir(filename:join(Name, "x")),
    _ = file:del_dir_r(Name),
    application:set_env(mnesia, dir, filename:absname(Name)).

%% Processes on all nodes move money between the same accounts; none is lost.
transfers(Nodes) ->
    {atomic, ok} = mnesia:transaction(fun() ->
        lists:foreach(fun(N) -> mnesia:write(#account{id = N, owner = N rem 3}) end, lists:seq(1, ?ACCOUNTS))
    end),
    Clerks = [spawn_monitor(Node, fun() -> clerk(Seed) end) || Node <- Nodes, Seed <- lists:seq(1, ?CLERKS)],
    see:value("clerks", lists:usort([receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end
        || {Pid, Monitor} <- Clerks])),
    Sum = fun() -> mnesia:foldl(fun(#account{balance = Balance}, Total) -> Total + Balance end, 0, account) end,
    see:value("sums", [cluster:on(N, fun() -> mnesia:transaction(Sum) end) || N <- Nodes]),
    see:value("counts", [cluster:on(N, fun() -> mnesia:table_info(account, size) end) || N <- Nodes]).

clerk(Seed) ->
    _ = rand:seed(exsss, Seed),
    lists:foreach(fun(_) -> {atomic, ok} = mnesia:transaction(fun transfer/0) end, lists:seq(1, ?TRANSFERS)).

transfer() ->
    [From, To] = [rand:uniform(?ACCOUNTS) || _ <- [from, to]],
    [Giver] = mnesia:wread({account, From}),
    ok = mnesia:write(Giver#account{balance = Giver#account.balance - 1}),
    [Taker] = mnesia:wread({account, To}),
    mnesia:write(Taker#account{balance = Taker#account.balance + 1}).

index(Nodes) ->
    Owned = fun() -> lists:sort([Id || #account{id = Id} <- mnesia:index_read(account, 1, #account.owner)]) end,
    see:value("by owner", [cluster:on(N, fun() -> mnesia:transaction(Owned) end) || N <- Nodes]),
    Match = [{#account{id = '$1', owner = 2, _ = '_'}, [], ['$1']}],
    see:value("selected", [cluster:on(N, fun() -> lists:sort(mnesia:dirty_select(account, Match)) end) || N <- Nodes]),
    see:value("aborted", mnesia:transaction(fun() -> mnesia:write(#account{id = 1, balance = lost}),
        mnesia:abort(changed_mind) end)),
    see:value("error", element(1, mnesia:transaction(fun() -> mnesia:write({no_table, 1}) end))),
    see:value("kept", [is_integer(Balance) || #account{balance = Balance} <- mnesia:dirty_read(account, 1)]).

%% A process that holds a lock dies on another node; who waits for the lock gets it.
locks(B) ->
    Self = self(),
    Holder = spawn(B, fun() ->
        mnesia:transaction(fun() ->
            [_] = mnesia:wread({account, 3}),
            Self ! {self(), holds},
            receive after infinity -> ok end
        end)
    end),
    receive {Holder, holds} -> ok end,
    Waiter = spawn(fun() ->
        Self ! {self(), mnesia:transaction(fun() -> mnesia:write(#account{id = 3, balance = 0, owner = nobody}) end)}
    end),
    timer:sleep(100),
    see:value("waits", receive {Waiter, _} -> no after 0 -> yes end),
    exit(Holder, kill),
    see:value("got it", receive {Waiter, Outcome} -> Outcome after 10_000 -> nothing end).

events(B) ->
    {ok, _} = mnesia:subscribe({table, account, detailed}),
    ok = cluster:on(B, fun() -> mnesia:dirty_write(#account{id = 77, owner = b}) end),
    see:value("event", receive {mnesia_table_event, {Kind, account, New, Old, _}} -> {Kind, New, Old} after 10_000 ->
        none end),
    {ok, _} = mnesia:unsubscribe({table, account, detailed}),
    see:value("counter", [cluster:on(B, fun() -> mnesia:dirty_update_counter({file, hits}, 2) end),
        mnesia:dirty_update_counter(file, hits, 3)]).

disk(C) ->
    Write = fun(N) -> ok = mnesia:write(#entry{time = N, text = binary:copy(<<"x">>, N)}) end,
    lists:foreach(fun(N) -> mnesia:sync_dirty(Write, [N]) end, lists:seq(1, 200)),
    see:value("from disk",
        [cluster:on(C, fun() -> {mnesia:dirty_first(entry), mnesia:dirty_last(entry), mnesia:dirty_next(entry, 100)}
        end),
                            mnesia:dump_log()]).

%% A node is killed, misses something, and comes back.
back(Peer, A, C) ->
    {ok, _} = mnesia:subscribe(system),
    cluster:kill(Peer),
    see:value("down", receive {mnesia_system_event, {mnesia_down, C}} -> told after 10_000 -> not_told end),
    see:value("without it", length(mnesia:system_info(running_db_nodes))),
    {atomic, ok} = mnesia:transaction(fun() -> mnesia:delete({entry, 1}), mnesia:write(#entry{time = 201, text = late})
        end),
    {_Peer2, C} = cluster:start(c),
    cluster:on(C, fun() -> application:set_env(mnesia, dir, filename:absname("mnesia.c")) end),
    see:value("started", cluster:on(C, fun mnesia:start/0)),
    see:value("up", receive {mnesia_system_event, {mnesia_up, C}} -> told after 10_000 -> not_told end),
    see:value("loaded", cluster:on(C, fun() -> mnesia:wait_for_tables([entry, account], 10_000) end)),
    see:value("learned", cluster:on(C,
        fun() -> {mnesia:dirty_first(entry), mnesia:dirty_read(entry, 201), mnesia:table_info(entry, size)} end)),
    see:value("copies", [mnesia:add_table_copy(account, C, ram_copies), mnesia:move_table_copy(entry, A, C) =:= {atomic,
        ok},
                         lists:sort(mnesia:table_info(account, ram_copies)) =:= lists:sort([A,
                             C | mnesia:table_info(account, ram_copies) -- [A, C]])]).

backup(B) ->
    see:value("backup", mnesia:backup("mnesia.backup")),
    Count = fun(Record, Counts) -> {[Record], maps:update_with(element(1, Record), fun(N) -> N + 1 end, 1, Counts)} end,
    {ok, Counts} = mnesia:traverse_backup("mnesia.backup", mnesia_backup, dummy, read_only, Count, #{}),
    see:value("in the backup", maps:with([account, entry, file], Counts)),
    {atomic, ok} = mnesia:clear_table(entry),
    see:value("cleared", mnesia:table_info(entry, size)),
    see:value("restored", mnesia:restore("mnesia.backup", [{default_op, skip_tables}, {clear_tables, [entry]}])),
    see:value("again", cluster:on(B, fun() -> {mnesia:dirty_first(entry), mnesia:dirty_last(entry)} end)).
