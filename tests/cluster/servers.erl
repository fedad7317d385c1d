%% gen_server between nodes: call, cast, multi_call, abcast, send_request, stop, start with {global, Name}; gen_statem
%% and gen_event calls; errors and timeouts; sys on the other node's process.
%% timeout: 30
-module(servers).
-behaviour(gen_server).
-export([main/1, init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2]).

main([B]) ->
    Here = node(),
    Nobody = 'nobody@localhost',
    {ok, Own} = gen_server:start({local, server}, ?MODULE, own, []),
    Pid = cluster:on(B, fun() -> {ok, New} = gen_server:start({local, server}, ?MODULE, its, []), New end),
    see:value("call", [gen_server:call(To, state) || To <- [Pid, {server, B}, {server, Here}, Own]]),
    see:value("large", byte_size(gen_server:call(Pid, {echo, binary:copy(<<1>>, 2_000_000)}))),
    see:value("cast", [gen_server:cast(Pid, {tell, self(), 1}), cluster:next(),
        gen_server:cast({server, B}, {tell, self(), 2}), cluster:next()]),
    see:value("cast to nobody", [gen_server:cast({server, Nobody}, x), gen_server:cast({nobody, B}, x)]),
    see:value("multi_call", gen_server:multi_call([B, Here], server, state)),
    see:value("multi_call with nobody", gen_server:multi_call([B, Nobody, Here], server, state, 5_000)),
    see:value("multi_call of no name", gen_server:multi_call([B], nobody, state)),
    see:value("abcast", [gen_server:abcast([B, Here, Nobody], server, {tell, self(), 3}), cluster:next(),
        cluster:next()]),
    cluster:that("late", fun() -> gen_server:call(Pid, {sleep, 200}, 10) end),
    cluster:that("no such name", fun() -> gen_server:call({nobody, B}, state) end),
    cluster:that("no such node", fun() -> gen_server:call({server, Nobody}, state) end),
    cluster:that("own name, no such", fun() -> gen_server:call({nobody, Here}, state) end),
    see:value("request", gen_server:receive_response(gen_server:send_request(Pid, state), 5_000)),
    see:value("request to nobody",
        [begin {error, {Reason, _}} = gen_server:receive_response(gen_server:send_request(To, state), 5_000), Reason end
                                    || To <- [{server, Nobody}, {nobody, B}]]),
    see:value("requests", collected(lists:foldl(fun(To, All) -> gen_server:send_request(To, state, To, All) end,
                                                gen_server:reqids_new(), [{server, B}, {server, Here}]))),
    see:value("sys", [sys:get_state(Pid), sys:replace_state(Pid, fun(State) -> {replaced, State} end), sys:suspend(Pid),
                      element(1, sys:get_status(Pid)), sys:resume(Pid), gen_server:call(Pid, state)]),
    Monitor = monitor(process, Pid),
    cluster:that("dies in a call", fun() -> gen_server:call(Pid, {stop, reason}) end),
    see:value("down", element(5, receive {'DOWN', Monitor, _, _, _} = Down -> Down end)),
    cluster:that("dead", fun() -> gen_server:call(Pid, state) end),
    Stopped = cluster:on(B, fun() -> {ok, New} = gen_server:start({local, server}, ?MODULE, its, []), New end),
    see:value("stop", [gen_server:stop({server, B}, finished, 5_000), cluster:gone(Stopped)]),
    cluster:that("stop again", fun() -> gen_server:stop({server, B}) end),
    globally(B),
    reply_through(B),
    many(B).

init({linked, Parent}) -> link(Parent), {ok, linked};
init(State) -> {ok, State}.

handle_call(state, _, State) -> {reply, {State, node()}, State};
handle_call({echo, What}, _, State) -> {reply, What, State};
handle_call({sleep, Time}, _, State) -> receive after Time -> {reply, slept, State} end;
handle_call({stop, Reason}, _, State) -> {stop, Reason, State};
handle_call({pass, To}, From, State) -> To ! {reply_to, From}, {noreply, State}.

handle_cast({tell, To, What}, State) -> To ! {told, What}, {noreply, State};
handle_cast(_, State) -> {noreply, State}.

handle_info(_, State) -> {noreply, State}.

terminate(_, _) -> ok.

collected(All) ->
    lists:sort(collect(All)).

collect(All) ->
    case gen_server:receive_response(All, 5_000, true) of
        {Response, Label, Rest} -> [{Label, Response} | collect(Rest)];
        no_request -> []
    end.

%% Registered by global on one node, called from the other.
globally(B) ->
    ok = global:sync(),
    {ok, Pid} = cluster:on(B, fun() -> gen_server:start({global, everywhere}, ?MODULE, its, []) end),
    see:value("global", [gen_server:call({global, everywhere}, state),
        gen_server:cast({global, everywhere}, {tell, self(), 4}), cluster:next(),
                         gen_server:call({via, global, everywhere}, state), global:whereis_name(everywhere) =:= Pid]),
    see:value("already there", element(1, element(2, gen_server:start({global, everywhere}, ?MODULE, own, [])))),
    gen_server:stop(Pid),
    see:value("no more", cluster:wait(fun() -> global:whereis_name(everywhere) end, undefined)).

%% The answer may come from any process of any node.
reply_through(B) ->
    {ok, Own} = gen_server:start(?MODULE, own, []),
    Third = cluster:on(B,
        fun() -> spawn(fun() -> receive {reply_to, From} -> gen_server:reply(From, {from, node()}) end end) end),
    see:value("by another", gen_server:call(Own, {pass, Third})).

many(B) ->
    {ok, Pid} = cluster:on(B, fun() -> gen_server:start(?MODULE, its, []) end),
    Self = self(),
    Callers = [spawn(fun() -> Self ! {self(), [gen_server:call(Pid, {echo, {N, M}}) || M <- lists:seq(1, 50)]} end)
        || N <- lists:seq(1, 50)],
    Answers = [receive {Caller, Answer} -> Answer end || Caller <- Callers],
    see:value("many", Answers =:= [[{N, M} || M <- lists:seq(1, 50)] || N <- lists:seq(1, 50)]).
