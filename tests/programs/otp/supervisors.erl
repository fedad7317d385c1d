%% supervisor: strategies, restarts, intensity, children that come and go.
-module(supervisors).
-behaviour(supervisor).
-export([main/0, init/1, start_child/2]).

main() ->
    process_flag(trap_exit, true),
    [see:value(S, strategy(S)) || S <- [one_for_one, one_for_all, rest_for_one]],
    see:value(simple, simple()),
    see:value(intensity, intensity()),
    see:value(dynamic, dynamic()),
    see:value(restart_types, [restart_type(T, R) || T <- [permanent, transient, temporary], R <- [normal, crash]]),
    see:value(shutdown, shutdown()),
    see:value(bad_specs, [supervisor:check_childspecs([C]) || C <- [#{}, #{id => a, start => x},
        #{id => a, start => {m, f, []}, restart => never}, {a, {m, f, []}, permanent, 5, worker, [m]}]]),
    see:value(failing_child,
        begin {error, R} = supervisor:start_link(?MODULE,
        {one_for_one, [#{id => bad, start => {?MODULE, start_child, [bad, fail]}}]}), flush(), plain(R) end),
    see:value(bad_init, begin {error, R2} = supervisor:start_link(?MODULE, nonsense), flush(), element(1, R2) end).

init({Strategy, Children}) -> {ok, {#{strategy => Strategy, intensity => 3, period => 5}, Children}};
init(nonsense) -> wrong.

child(Id) -> #{id => Id, start => {?MODULE, start_child, [Id, ok]}, shutdown => 1000}.

start_child(_, fail) -> {error, cannot_start};
start_child(Id, ok) ->
    P = spawn_link(fun() -> loop(Id) end),
    {ok, P}.
loop(Id) -> receive {who, From} -> From ! {i_am, Id, self()}, loop(Id); crash -> exit(crash); normal -> exit(normal)
    end.

strategy(S) ->
    {ok, Sup} = supervisor:start_link(?MODULE, {S, [child(a), child(b), child(c)]}),
    Before = pids(Sup),
    proplists:get_value(b, Before) ! crash,
    wait_until(fun() -> P = proplists:get_value(b, pids(Sup)), is_pid(P) andalso P =/= proplists:get_value(b, Before)
        end),
    After = pids(Sup),
    R = [{Id, case proplists:get_value(Id, After) of P -> kept; _ -> replaced end} || {Id, P} <- lists:sort(Before)],
    Count = lists:sort(supervisor:count_children(Sup)),
    stop(Sup), {R, Count}.

pids(Sup) -> [{Id, P} || {Id, P, _, _} <- supervisor:which_children(Sup)].

simple() ->
    {ok, Sup} = supervisor:start_link(?MODULE,
        {simple_one_for_one, [#{id => x, start => {?MODULE, start_child, [x]}, restart => temporary}]}),
    Ps = [begin {ok, P} = supervisor:start_child(Sup, [ok]), P end || _ <- lists:seq(1, 10)],
    A = proplists:get_value(active, supervisor:count_children(Sup)),
    supervisor:terminate_child(Sup, hd(Ps)),
    B = proplists:get_value(active, supervisor:count_children(Sup)),
    E = supervisor:start_child(Sup, [fail]),
    stop(Sup), {A, B, E, [is_process_alive(P) || P <- Ps]}.

intensity() ->
    {ok, Sup} = supervisor:start_link(?MODULE, {one_for_one, [child(a)]}),
    crash_until_dead(Sup, 10),
    receive {'EXIT', Sup, R} -> R after 5000 -> alive end.
crash_until_dead(_, 0) -> ok;
crash_until_dead(Sup, N) ->
    case catch pids(Sup) of
        [{a, P}] when is_pid(P) -> P ! crash, R = monitor(process, P), receive {'DOWN', R, _, _, _} -> ok end,
        crash_until_dead(Sup, N - 1);
        [{a, restarting}] -> crash_until_dead(Sup, N);
        _ -> ok
    end.

dynamic() ->
    {ok, Sup} = supervisor:start_link(?MODULE, {one_for_one, []}),
    {ok, P} = supervisor:start_child(Sup, child(n)),
    R1 = supervisor:start_child(Sup, child(n)),
    ok = supervisor:terminate_child(Sup, n),
    R2 = [supervisor:delete_child(Sup, nothing), supervisor:which_children(Sup)],
    {ok, Q} = supervisor:restart_child(Sup, n),
    R3 = [supervisor:restart_child(Sup, n), supervisor:delete_child(Sup, n), supervisor:terminate_child(Sup, n),
        supervisor:delete_child(Sup, n)],
    R4 = supervisor:start_child(Sup, bad_spec),
    {ok, Spec} = begin supervisor:start_child(Sup, child(m)), supervisor:get_childspec(Sup, m) end,
    stop(Sup), {R1 =:= {error, {already_started, P}}, R2, P =/= Q, R3, R4, lists:sort(maps:keys(Spec))}.

restart_type(T, How) ->
    {ok, Sup} = supervisor:start_link(?MODULE, {one_for_one, [(child(r))#{restart => T}]}),
    [{r, P}] = pids(Sup), R = monitor(process, P), P ! How, receive {'DOWN', R, _, _, _} -> ok end,
    N = case pids(Sup) of [{r, Q}] when is_pid(Q), Q =/= P -> restarted; [{r, undefined}] -> kept_undefined;
        [] -> removed end,
    stop(Sup), {T, How, N}.

shutdown() ->
    Me = self(),
    Start = fun(K) -> {ok,
        spawn_link(fun() -> process_flag(trap_exit, true), Me ! up,
        case K of polite -> receive {'EXIT', _, R} -> Me ! {ended, K, R}, exit(R) end; stubborn -> stubborn() end end)}
    end,
    persistent_term:put(start_fun, Start),
    {ok, Sup} = supervisor:start_link(?MODULE,
        {one_for_one, [#{id => K, start => {erlang, apply, [Start, [K]]}, shutdown => S} || {K, S} <- [{polite, 1000},
        {stubborn, 30}]]}),
    [receive up -> ok end || _ <- [1, 2]],
    stop(Sup),
    receive {ended, K2, R2} -> {K2, R2} after 1000 -> none end.
stubborn() -> receive _ -> stubborn() end.

stop(Sup) -> unlink(Sup), R = monitor(process, Sup), exit(Sup, shutdown), receive {'DOWN', R, _, _, _} -> ok end,
    flush().
flush() -> receive {'EXIT', _, _} -> flush() after 0 -> ok end.
wait_until(F) -> case F() of true -> ok; false -> receive after 1 -> wait_until(F) end end.
plain({shutdown, {failed_to_start_child, Id, R}}) -> {Id, R};
plain(R) -> R.
