%% Old funs that are called after the purge of their module began: the callers wait until it is over. Then an aborted
%% purge lets them go on, and a completed one leaves them a bad fun, or one whose module is asked for again. The purger
%% takes its steps when it is told to, as it does for tests.
-module(funs_while_purged).
-export([main/0, 'call by name'/2]).

main() ->
    %% From OTP 26 on stock loads nothing while a purge is pending.
    {module, apart} = code:ensure_loaded(apart),
    see:value(refused, [catch_error(fun() -> erts_internal:purge_module(lambdas, S) end)
        || S <- [prepare, abort, complete]]),
    see:value(refused_too, catch_error(fun() -> erts_literal_area_collector:release_area_switch() end)),
    aborted(), completed(), gone(), again(), churn(40).

%% A process runs old code, so a soft purge is aborted.
aborted() ->
    {Funs, Runs} = old(),
    {Runner, _} = spawn_monitor(Runs),
    receive {Runner, runs} -> ok end,
    Purge = start(soft),
    Callers = callers(Funs),
    see:value(parked, parked(Callers)),
    see:value(names, [erlang:fun_info(F, name) || F <- Funs]),
    see:value(others, [length([1]), (fun(X) -> X end)(y)]),
    step(Purge), Late = callers(Funs),
    see:value(parked_late, parked(Late)),
    see:value(aborted, complete(Purge)),
    see:value(after_abort, ends(Callers)),
    see:value(late_after_abort, ends(Late)),
    see:value(called_later, [(hd(Funs))(z), erlang:fun_info(hd(Funs), arity)]),
    Runner ! stop, receive {'DOWN', _, process, Runner, R} -> see:value(runner, R) end,
    see:value(soft, [code:soft_purge(lambdas), erlang:check_old_code(lambdas)]).

%% Another version is current: the funs are bad afterwards. One caller is killed while it waits, and one runs old code.
completed() ->
    {Funs, Runs} = old(),
    {Runner, _} = spawn_monitor(Runs),
    receive {Runner, runs} -> ok end,
    Purge = start(hard),
    Callers = callers(Funs), [{Killed, _} | Rest] = Callers,
    see:value(parked, parked(Callers)),
    exit(Killed, kill),
    see:value(killed, receive {'DOWN', _, process, Killed, K} -> K end),
    step(Purge),
    see:value(completed, complete(Purge)),
    see:value(runner, receive {'DOWN', _, process, Runner, R} -> R end),
    see:value(after_purge, ends(Rest)),
    see:value(names, [erlang:fun_info(F, name) || F <- Funs]).

%% No version is current, and the file is gone from the path.
gone() ->
    {Funs, _} = first(),
    code:delete(lambdas),
    Purge = start(hard),
    Callers = callers(Funs),
    see:value(parked, parked(Callers)),
    step(Purge),
    see:value(completed, complete(Purge)),
    see:value(after_purge, ends(Callers)).

%% The same version is loaded while the purge is pending, up to OTP 25.
again() ->
    {Funs, _} = old(),
    first(),
    see:value(works_again, (hd(Funs))(x)),
    code:delete(lambdas),
    Purge = start(hard),
    Callers = callers(Funs),
    see:value(parked, parked(Callers)),
    see:before(26, called_meanwhile, fun() -> load(1), (hd(Funs))(x) end),
    step(Purge),
    see:value(completed, complete(Purge)),
    see:before(26, after_purge, fun() -> ends(Callers) end).

%% Processes that call old funs all the time, while the module is loaded and purged.
churn(0) -> see:value(churned, ok);
churn(N) ->
    {Funs, _} = old(),
    Callers = [spawn_monitor(fun() -> busy(F) end) || F <- Funs, _ <- [1, 2, 3], is_function(F, 1)],
    code:purge(lambdas),
    [] = lists:usort([badfun_of(receive {'DOWN', Ref, process, Pid, R} -> R end) || {Pid, Ref} <- Callers]) -- [badfun,
        killed],
    churn(N - 1).

busy(F) -> {one, _} = F(1), busy(F).
badfun_of({{badfun, _}, _}) -> badfun;
badfun_of(Other) -> Other.

%% Funs of the first version, which is current.
first() ->
    code:purge(lambdas), code:delete(lambdas), code:purge(lambdas),
    load(1),
    {[lambdas:plain(), lambdas:adds(5), lambdas:nullary(self())], lambdas:runs(self())}.

%% As above, but that version is old.
old() ->
    Funs = first(),
    load(2),
    Funs.

load(N) -> {module, lambdas} = code:load_binary(lambdas, "lambdas", binary(N)).

binary(N) ->
    Path = filename:join(filename:dirname(code:which(?MODULE)), "v" ++ integer_to_list(N)),
    {ok, Binary} = file:read_file(filename:join(Path, "lambdas.beam")),
    Binary.

%% Processes that call the funs in every way.
callers([Plain, Adds, Nullary]) ->
    [spawn_monitor(fun() -> exit({done, Call()}) end)
     || Call <- [fun() -> Plain(1) end, fun() -> [Plain(2)] end, fun() -> {Adds(3), Adds(4)} end,
                 fun() -> catch_error(fun() -> Plain(5) end) end,
                 fun() -> apply(Plain, [6]) end, fun() -> {apply(Adds, see:id([7]))} end,
                 fun() -> erlang:apply(see:id(erlang), see:id(apply), [Plain, [8]]) end,
                 fun() -> lists:map(Adds, [1, 2, 3]) end,
                 fun() -> erlang:hibernate(?MODULE, 'call by name', [Plain, 9]) end,
                 fun() -> catch_error(fun() -> Plain(1, 2) end) end,
                 fun() -> Nullary(), receive {_, one} -> unexpected after 0 -> sent end end]]
    ++ [spawn_monitor(Nullary),
        spawn_monitor(fun() -> self() ! go, erlang:hibernate(?MODULE, 'call by name', [Adds, 10]) end)].

'call by name'(Fun, X) -> exit({done, Fun(X)}).

%% How many of them are suspended in the purger's function, once that many are.
parked(Callers) ->
    [Pid ! go || {Pid, _} <- Callers],
    Where = fun() -> lists:sort(maps:to_list(lists:foldl(fun count/2, #{}, Callers))) end,
    apart:wait(Where, [{ended, 1}, {{suspended, {erts_code_purger, pending_purge_lambda, 3}}, length(Callers) - 1}],
        400).

count({Pid, _}, Counts) ->
    What = case process_info(Pid, [status, current_function]) of
        undefined -> ended;
        [{status, S}, {current_function, F}] -> {S, F}
    end,
    maps:update_with(What, fun(N) -> N + 1 end, 1, Counts).

ends(Callers) -> [receive {'DOWN', Ref, process, Pid, R} -> short(R) end || {Pid, Ref} <- Callers].

short({done, R}) -> R;
short({{badfun, F}, [Frame | _]}) when is_function(F) -> {badfun, element(1, Frame)};
short({Reason, [Frame | _]}) -> {Reason, element(1, Frame), element(2, Frame)};
short(R) -> R.

catch_error(Fun) ->
    try Fun() catch error:{badfun, F} -> {badfun, is_function(F)}; error:{badarity, _} -> badarity; error:R -> R end.

start(Kind) ->
    Ref = make_ref(),
    erts_code_purger ! {test_purge, lambdas, self(), Kind =:= hard, Ref},
    receive {started, Ref} -> Ref end.

%% Lets the purger check all processes.
step(Ref) ->
    erts_code_purger ! {continue, Ref},
    receive {continued, Ref} -> ok end.

complete(Ref) ->
    erts_code_purger ! {complete, Ref},
    receive {test_purge, Result, Ref} -> Result end.
