%% Mnesia: four clients move money between accounts in transactions, and look accounts up by an index.
%%
%%   erl -noshell -mnesia dir '"/tmp/bank"' -s bank run 20000
-module(bank).
-export([run/1]).

-record(account, {number, owner, balance, text}).
-define(ACCOUNTS, 5000).
-define(OWNERS, 500).
-define(CLIENTS, 4).

run([Count]) ->
    N = list_to_integer(atom_to_list(Count)),
    ok = mnesia:create_schema([node()]),
    ok = mnesia:start(),
    {atomic, ok} = mnesia:create_table(account, [{disc_copies, [node()]}, {index, [#account.owner]},
        {attributes, record_info(fields, account)}]),
    [ok = mnesia:dirty_write(account(Number)) || Number <- lists:seq(1, ?ACCOUNTS)],
    _ = clients(N div 4),
    measured:work(fun() -> clients(N) end).

account(Number) ->
    #account{number = Number, owner = Number rem ?OWNERS, balance = 1000, text = <<"an account, ", Number:64>>}.

%% The times of N transactions, all clients' together.
clients(N) ->
    measured:by_clients(?CLIENTS, N, fun transaction/1).

transaction(Number) ->
    Before = erlang:monotonic_time(),
    {From, To} = {rand:uniform(?ACCOUNTS), rand:uniform(?ACCOUNTS)},
    {atomic, _} = case Number rem 10 of
        0 -> mnesia:transaction(fun() -> mnesia:index_read(account, From rem ?OWNERS, #account.owner) end);
        _ -> mnesia:transaction(fun() -> move(From, To) end)
    end,
    erlang:monotonic_time() - Before.

move(From, To) ->
    [Giver] = mnesia:read(account, From, write),
    ok = mnesia:write(Giver#account{balance = Giver#account.balance - 1}),
    [Taker] = mnesia:read(account, To, write),
    ok = mnesia:write(Taker#account{balance = Taker#account.balance + 1}).
