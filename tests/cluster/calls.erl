%% erpc and rpc: call, cast, send_request, multicall, async_call, server_call, block_call; errors, exits, timeouts,
%% nodes that are
%% timeout: 20
%% not there.
-module(calls).
-export([main/1, slow/1]).

main([B]) ->
    Nobody = 'nobody@localhost',
    [cluster:that(["erpc ", Label], fun() -> stackless(fun() -> erpc:call(Node, Fun) end) end)
     || {Label, Node, Fun} <- [{"value", B, fun() -> {node(), self() =:= group_leader()} end},
         {"own", node(), fun erlang:node/0},
                               {"error", B, fun() -> error(reason) end},
                               {"error with arguments", B, fun() -> error(reason, [a]) end},
                               {"exit", B, fun() -> exit(reason) end}, {"throw", B, fun() -> throw(value) end},
                               {"badarg", B, fun() -> atom_to_list(1) end},
                               {"killed", B, fun() -> exit(self(), kill) end},
                               {"nobody", Nobody, fun erlang:node/0},
                               {"linked end", B, fun() -> spawn_link(erlang, exit, [x]), slow(500) end}]],
    see:value("erpc, mfa", [erpc:call(B, lists, seq, [1, 5]), erpc:call(B, erlang, node, [], infinity)]),
    cluster:that("erpc, no function", fun() -> stackless(fun() -> erpc:call(B, ?MODULE, nothing, [1]) end) end),
    cluster:that("erpc, late", fun() -> erpc:call(B, ?MODULE, slow, [5_000], 10) end),
    cluster:that("erpc, no timeout", fun() -> erpc:call(B, ?MODULE, slow, [5_000], 0) end),
    cluster:that("erpc, bad", fun() -> erpc:call("b", erlang, node, []) end),
    cluster:that("erpc, bad function", fun() -> erpc:call(B, erlang, node, x) end),
    see:value("multicall", stackless(fun() -> erpc:multicall([node(), B, Nobody], fun() -> node() end) end)),
    see:value("multicall, late", erpc:multicall([B, Nobody], ?MODULE, slow, [5_000], 50)),
    Self = self(),
    see:value("cast", [erpc:cast(B, fun() -> Self ! {cast, node()} end), cluster:next()]),
    see:value("multicast", [erpc:multicast([node(), B], fun() -> Self ! {cast, node()} end),
        lists:sort([cluster:next(), cluster:next()])]),
    see:value("cast to nobody", erpc:cast(Nobody, erlang, node, [])),
    requests(B, Nobody),
    [cluster:that(["rpc ", Label], fun() -> stackless(fun() -> rpc:call(Node, M, F, A) end) end)
     || {Label, Node, M, F, A} <- [{"value", B, erlang, node, []}, {"error", B, erlang, error, [reason]},
         {"exit", B, erlang, exit, [reason]},
                                   {"throw", B, erlang, throw, [value]}, {"nobody", Nobody, erlang, node, []},
                                   {"own", node(), erlang, node, []}]],
    see:value("rpc, late", rpc:call(B, ?MODULE, slow, [5_000], 20)),
    see:value("rpc:cast", [rpc:cast(B, erlang, send, [self(), hello]), cluster:next()]),
    see:value("rpc:block_call", [rpc:block_call(B, erlang, node, []), rpc:block_call(Nobody, erlang, node, [])]),
    see:value("rpc:multicall", rpc:multicall([node(), B, Nobody], erlang, node, [])),
    see:value("rpc:eval_everywhere", [rpc:eval_everywhere([B], erlang, send, [self(), everywhere]), cluster:next()]),
    see:value("rpc:sbcast", rpc:sbcast([B, Nobody], not_registered, hello)),
    see:value("rpc:abcast", [rpc:abcast([B], cluster, ignored), rpc:sbcast([B], cluster, ignored)]),
    see:value("rpc:server_call", [rpc:server_call(B, not_registered, x, y), rpc:server_call(Nobody, x, x, y)]),
    see:value("rpc:async_call", [rpc:yield(rpc:async_call(B, erlang, node, [])),
        rpc:nb_yield(rpc:async_call(B, ?MODULE, slow, [300]), 10),
                                 rpc:nb_yield(rpc:async_call(B, erlang, node, []), 20_000)]),
    see:value("rpc:pmap", rpc:pmap({erlang, abs}, [], [-1, 2, -3])),
    see:value("rpc:parallel_eval", rpc:parallel_eval([{erlang, node, []} || _ <- lists:seq(1, 2)]) -- [node(), B]),
    see:value("rpc:pinfo", [is_list(rpc:pinfo(erpc:call(B, erlang, whereis, [init]))),
        rpc:pinfo(cluster:on(B, fun() -> whereis(init) end), registered_name)]),
    see:value("rpc:multi_server_call", rpc:multi_server_call([B, Nobody], not_registered, x)),
    many(B).

slow(Time) -> receive after Time -> slept end.

%% Stack traces have lines of OTP that another release has elsewhere; what counts is who failed.
stackless(Fun) -> short(Fun()).

short([H | T]) -> [short(H) | short(T)];
short({Class, {exception, Reason, [{M, F, A, _} | _]}}) -> {Class, {exception, Reason, {M, F, A}}};
short({badrpc, {'EXIT', {Reason, [{M, F, A, _} | _]}}}) -> {badrpc, {'EXIT', {Reason, {M, F, A}}}};
short(Other) -> Other.

requests(B, Nobody) ->
    One = erpc:send_request(B, fun() -> one end),
    Two = erpc:send_request(B, ?MODULE, slow, [200]),
    Three = erpc:send_request(Nobody, erlang, node, []),
    see:value("not yet", erpc:wait_response(Two, 0)),
    see:value("responses", [erpc:receive_response(One), erpc:receive_response(Two, 20_000)]),
    cluster:that("of nobody", fun() -> erpc:receive_response(Three) end),
    Four = erpc:send_request(B, erlang, exit, [bye]),
    see:value("no response", erpc:check_response(hello, Four)),
    cluster:that("checked", fun() -> erpc:check_response(cluster:next(), Four) end),
    Collected = lists:foldl(fun(N, Collection) -> erpc:send_request(B, fun() -> N end, N, Collection) end,
                            erpc:reqids_new(), lists:seq(1, 20)),
    see:value("collection", lists:sort(collected(Collected))).

collected(Collection) ->
    case erpc:receive_response(Collection, 20_000, true) of
        {Response, Label, Rest} -> [{Label, Response} | collected(Rest)];
        no_request -> []
    end.

many(B) ->
    Self = self(),
    Pids = [spawn(fun() -> Self ! {self(), erpc:call(B, erlang, '+', [N, 1])} end) || N <- lists:seq(1, 500)],
    see:value("many", [receive {Pid, Value} -> Value end || Pid <- Pids] =:= lists:seq(2, 501)),
    see:value("large", byte_size(erpc:call(B, binary, copy, [<<1>>, 3_000_000]))).
