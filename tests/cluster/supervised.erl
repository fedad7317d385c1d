%% proc_lib, supervisors and applications' parts across nodes: children started there, restarted, ended; start_link's
%% links and answers; proc_lib's ancestors and initial call; a supervisor's child whose node goes.
%% args: -connect_all false
%% timeout: 20
-module(supervised).
-behaviour(supervisor).
-export([main/1, init/1, start_there/2, loop/2, initial/2, fails/1]).

main([B]) ->
    cluster:quiet(),
    process_flag(trap_exit, true),
    {ok, Supervisor} = supervisor:start_link(?MODULE, []),
    Self = self(),
    Spec = #{id => child, start => {?MODULE, start_there, [B, Self]}, shutdown => 2_000},
    {ok, Child} = supervisor:start_child(Supervisor, Spec),
    see:value("child", [node(Child), child(Supervisor)]),
    see:value("started", cluster:next()),
    exit(Child, kill),
    see:value("started again", cluster:next()),
    see:value("restarted", cluster:wait(fun() -> {_, Pid, _, _} = child(Supervisor), is_tuple(Pid) end)),
    see:value("terminated", [supervisor:terminate_child(Supervisor, child), cluster:next()]),
    see:value("restart", [element(1, supervisor:restart_child(Supervisor, child)), cluster:next()]),
    cluster:disconnect(B),
    see:value("its node is gone", lists:sort([cluster:next(), cluster:next()])),
    see:value("and started again", cluster:wait(fun() -> {_, Pid, _, _} = child(Supervisor), cluster:plain(Pid) end,
        {'a pid of', B})),
    Bad = Spec#{id => bad, start => {?MODULE, fails, [B]}},
    see:value("fails", element(1, supervisor:start_child(Supervisor, Bad))),
    gen_server:stop(Supervisor),
    see:value("its end and its child's", lists:sort(cluster:plain([cluster:next(), cluster:next()]))),
    proc_lib(B),
    supervisor_there(B).

init([]) -> {ok, {#{strategy => one_for_one, intensity => 10, period => 60}, []}}.

child(Supervisor) -> cluster:plain(hd(supervisor:which_children(Supervisor))).

start_there(Node, Owner) ->
    Parent = self(),
    Pid = proc_lib:spawn_link(Node, ?MODULE, loop, [Parent, Owner]),
    receive {started, Pid} -> {ok, Pid} end.

loop(Parent, Owner) ->
    process_flag(trap_exit, true),
    Parent ! {started, self()},
    Owner ! {started, node()},
    receive {'EXIT', Parent, Reason} -> Owner ! {ended, Reason}, exit(Reason) end.

fails(Node) -> {error, {no_child_on, Node}}.

proc_lib(B) ->
    Self = self(),
    Pid = proc_lib:spawn_link(B, ?MODULE, initial, [Self, x]),
    {told, Info} = receive {told, _} = Told -> Told end,
    see:value("proc_lib", Info),
    see:value("translated", cluster:on(B, fun() -> proc_lib:translate_initial_call(Pid) end)),
    see:value("from here", proc_lib:translate_initial_call(Pid)),
    Pid ! stop,
    see:value("end", receive {'EXIT', Pid, Reason} -> Reason end),
    see:value("stop", begin
                          Other = proc_lib:spawn_link(B, ?MODULE, initial, [Self, y]),
                          receive {told, _} -> ok end,
                          [proc_lib:stop(Other, shutdown, 5_000), receive {'EXIT', Other, Why} -> Why end]
                      end),
    cluster:that("stop the dead", fun() -> proc_lib:stop(Pid, x, 5_000) end).

initial(To, _) ->
    To ! {told, [cluster:plain(get('$ancestors')), get('$initial_call')]},
    receive
        stop -> exit({shutdown, stopped});
        {system, From, {terminate, Reason}} -> gen:reply(From, ok), exit(Reason)
    end.

%% A supervisor on the other node is called as one here.
supervisor_there(B) ->
    {ok, Pid} = cluster:on(B, fun() ->
        Self = self(),
        spawn(fun() -> {ok, New} = supervisor:start_link({local, there}, ?MODULE, []), Self ! {supervisor, New},
            receive after infinity -> ok end end),
        receive {supervisor, It} -> {ok, It} end
    end),
    see:value("there", [node(Pid), supervisor:which_children({there, B})]),
    Spec = #{id => one, start => {gen_event, start_link, []}},
    see:value("start_child", [cluster:plain(supervisor:start_child({there, B}, Spec)),
        element(1, supervisor:start_child({there, B}, Spec))]),
    see:value("children", [cluster:plain(supervisor:which_children({there, B})),
        supervisor:terminate_child({there, B}, one),
                           supervisor:delete_child({there, B}, one), supervisor:which_children({there, B})]).
