%% gen_server: every callback and return, calls, casts, timeouts, stops, crashes.
-module(gen_servers).
-behaviour(gen_server).
-export([main/0]).
-export([init/1, handle_call/3, handle_cast/2, handle_info/2, handle_continue/2, terminate/2, code_change/3,
    format_status/1]).

main() ->
    process_flag(trap_exit, true),
    {ok, P} = gen_server:start_link(?MODULE, {ok, self(), 10}, []),
    see:value(calls, [gen_server:call(P, R) || R <- [get, {add, 5}, get, noreply, {later, 3}]]),
    see:value(cast, [gen_server:cast(P, {add, 1}), gen_server:call(P, get)]),
    see:value(info, begin P ! {add, 100}, gen_server:call(P, get) end),
    see:value(timeout, begin P ! with_timeout, receive {server, timeout} -> got after 5000 -> none end end),
    see:value(continue, begin gen_server:call(P, continue), receive {server, {continued, X}} -> X after 5000 -> none
        end end),
    see:value(call_timeout, try gen_server:call(P, sleep, 20) catch exit:{timeout, {gen_server, call, [_, R2, T2]}} ->
        {timeout, R2, T2} end),
    receive {Ref0, slept} when is_reference(Ref0) -> late after 200 -> ok end,
    see:value(sys, begin S = sys:get_state(P), sys:replace_state(P, fun({A, B}) -> {A, B + 1000} end),
        {element(2, S), gen_server:call(P, get)} end),
    see:value(suspend, begin sys:suspend(P), R3 = try gen_server:call(P, get, 20) catch exit:{timeout, _} -> timeout
        end, sys:resume(P), R3 end),
    see:value(status, begin {status, _, {module, M}, [_, running, _, _, _]} = sys:get_status(P), M end),
    see:value(stop, [gen_server:stop(P), receive {server, {terminated, TR}} -> TR after 5000 -> none end,
        receive {'EXIT', P, ER} -> ER after 5000 -> none end]),
    see:value(dead_call, try gen_server:call(P, get) catch exit:{R4, {gen_server, call, _}} -> R4 end),
    see:value(no_name, try gen_server:call(no_such_server, get) catch exit:{R5, _} -> R5 end),
    see:value(inits, [case gen_server:start_link(?MODULE, I, []) of {ok, Q} -> gen_server:stop(Q), {ok, pid};
        Other -> Other end || I <- [ignore, {stop, reason}, {ok, self(), 0}, hibernate, {exit, x}]]),
    flush(),
    see:value(init_crash, begin {error, {boom, St}} = gen_server:start_link(?MODULE, {error, boom}, []), is_list(St)
        end),
    see:value(bad_return, gen_server:start_link(?MODULE, bad_return, [])), flush(),
    see:value(init_timeout, gen_server:start_link(?MODULE, slow, [{timeout, 20}])), flush(),
    {ok, N} = gen_server:start({local, named_server}, ?MODULE, {ok, self(), 1}, []),
    see:value(named, [gen_server:call(named_server, get), gen_server:call({named_server, node()}, get),
        whereis(named_server) =:= N]),
    see:value(already, case gen_server:start({local, named_server}, ?MODULE, {ok, self(), 1}, [])
        of {error, {already_started, N}} -> already end),
    [begin {ok, C} = gen_server:start(?MODULE, {ok, self(), 0}, []), R6 = monitor(process, C),
        V = try gen_server:call(C, {crash, K}) catch exit:{E6, _} -> plain(E6) end,
    D = receive {'DOWN', R6, _, _, X6} -> plain(X6) end, see:value({crash, K}, {V, D})
        end || K <- [error, exit, bad_reply, stop, stop_reply]],
    flush(),
    see:value(multi_call, begin {Good, Bad} = gen_server:multi_call([node()], named_server, get),
        {[V7 || {_, V7} <- Good], Bad} end),
    see:value(send_request, begin Rq = gen_server:send_request(named_server, get),
        gen_server:receive_response(Rq, 1000) end),
    see:value(abcast, [gen_server:abcast([node()], named_server, {add, 1}), gen_server:call(named_server, get)]),
    see:value(many, begin lists:sum([gen_server:call(named_server, {add, 1}) || _ <- lists:seq(1, 1000)]) end),
    Me = self(), [spawn(fun() -> [gen_server:call(named_server, {add, 1}) || _ <- lists:seq(1, 50)], Me ! done end)
        || _ <- lists:seq(1, 20)], [receive done -> ok end || _ <- lists:seq(1, 20)],
    see:value(parallel, gen_server:call(named_server, get)),
    see:value(enter_loop, begin L = proc_lib:spawn_link(fun() -> gen_server:enter_loop(?MODULE, [], {Me, 77}) end),
        R8 = gen_server:call(L, get), gen_server:stop(L), R8 end),
    gen_server:stop(named_server).

flush() -> receive {'EXIT', _, _} -> flush(); {server, _} -> flush() after 10 -> ok end.
plain({R, [{_, _, _, _} | _]}) -> R;
plain(R) -> R.

init({ok, To, N}) -> {ok, {To, N}};
init(ignore) -> ignore;
init({stop, R}) -> {stop, R};
init(hibernate) -> {ok, {self(), 0}, hibernate};
init({exit, R}) -> exit(R);
init({error, R}) -> error(R);
init(bad_return) -> not_a_return;
init(slow) -> receive after 1000 -> {ok, {self(), 0}} end.

handle_call(get, _, {_, N} = S) -> {reply, N, S};
handle_call({add, X}, _, {T, N}) -> {reply, N + X, {T, N + X}};
handle_call(noreply, From, S) -> gen_server:reply(From, replied), {noreply, S};
handle_call({later, X}, From, S) -> spawn(fun() -> gen_server:reply(From, {later, X}) end), {noreply, S};
handle_call(continue, _, S) -> {reply, ok, S, {continue, go_on}};
handle_call(sleep, _, S) -> receive after 60 -> {reply, slept, S} end;
handle_call({crash, error}, _, _) -> error(crashed);
handle_call({crash, throw}, _, S) -> throw({reply, thrown, S});
handle_call({crash, exit}, _, _) -> exit(exited);
handle_call({crash, bad_reply}, _, _) -> nonsense;
handle_call({crash, stop}, _, S) -> {stop, stopped, S};
handle_call({crash, stop_reply}, _, S) -> {stop, normal, bye, S}.

handle_cast({add, X}, {T, N}) -> {noreply, {T, N + X}}.
handle_info({add, X}, {T, N}) -> {noreply, {T, N + X}};
handle_info(with_timeout, S) -> {noreply, S, 5};
handle_info(timeout, {T, _} = S) -> T ! {server, timeout}, {noreply, S};
handle_info(_, S) -> {noreply, S}.
handle_continue(go_on, {T, N} = S) -> T ! {server, {continued, N}}, {noreply, S}.
terminate(R, {T, _}) -> T ! {server, {terminated, R}}, ok.
code_change(_, S, _) -> {ok, S}.
format_status(S) -> S.
