%% A pool of connections of p1_pgsql to a PostgreSQL of its own, and more clients than connections: of three requests
%% two read ten rows, and the third changes one (`ferl lab services/database`).
-module(database).
-export([run/1]).

-define(CONNECTIONS, 10).
-define(CLIENTS, 50).
-define(ROWS, 10000).
-define(ROWS_OF_PAGE, 10).

run([Count, Port]) ->
    N = list_to_integer(atom_to_list(Count)),
    Connections = [connect(list_to_integer(atom_to_list(Port))) || _ <- lists:seq(1, ?CONNECTIONS)],
    ok = fill(hd(Connections)),
    Pool = spawn_link(fun() -> pool(Connections, queue:new()) end),
    _ = clients(Pool, N div 4),
    measured:work(fun() -> clients(Pool, N) end).

connect(Port) ->
    {ok, Connection} = pgsql:connect([{host, "127.0.0.1"}, {port, Port}, {database, "postgres"}, {user, "lab"},
        {password, ""}, {as_binary, true}]),
    Connection.

fill(Connection) ->
    {ok, _} = pgsql:squery(Connection, "create table things (id integer primary key, name text, price integer)"),
    {ok, _} = pgsql:squery(Connection, ["insert into things select n, 'thing ' || n, n from generate_series(1, ",
        integer_to_list(?ROWS), ") as n"]),
    ok.

%% Lends connections to whoever asks, in the order of asking.
pool([], Waiting) ->
    receive
        {back, Connection} ->
            case queue:out(Waiting) of
                {{value, {Client, Tag}}, Left} -> Client ! {Tag, Connection}, pool([], Left);
                {empty, _} -> pool([Connection], Waiting)
            end;
        {lend, Client, Tag} -> pool([], queue:in({Client, Tag}, Waiting))
    end;
pool([Connection | Free] = All, Waiting) ->
    receive
        {back, Other} -> pool([Other | All], Waiting);
        {lend, Client, Tag} -> Client ! {Tag, Connection}, pool(Free, Waiting)
    end.

%% The times of N requests, all clients' together.
clients(Pool, N) ->
    measured:by_clients(?CLIENTS, N, fun(Number) -> request(Pool, Number) end).

request(Pool, Number) ->
    Before = erlang:monotonic_time(),
    Tag = make_ref(),
    Pool ! {lend, self(), Tag},
    Connection = receive {Tag, Lent} -> Lent end,
    Row = rand:uniform(?ROWS - ?ROWS_OF_PAGE),
    case Number rem 3 of
        0 ->
            {ok, [<<"UPDATE 1">>]} = pgsql:squery(Connection, ["update things set price = price + 1 where id = ",
                integer_to_list(Row)]);
        _ ->
            {ok, [{_, _, Rows}]} = pgsql:squery(Connection, ["select id, name, price from things where id >= ",
                integer_to_list(Row), " order by id limit ", integer_to_list(?ROWS_OF_PAGE)]),
            ?ROWS_OF_PAGE = length(Rows)
    end,
    Pool ! {back, Connection},
    erlang:monotonic_time() - Before.
