%% application: environment, starting and stopping one made here, controllers, what runs at boot.
-module(applications).
-behaviour(application).
-behaviour(supervisor).
-export([main/0, start/2, stop/1, init/1]).

main() ->
    see:value(running, lists:sort([A || {A, _, _} <- application:which_applications()])),
    Spec = {application, made_here, [{description, "made"}, {vsn, "1.0"}, {modules, [?MODULE]}, {registered, []},
        {applications, [kernel, stdlib]}, {env, [{k, v}, {list, [1, 2]}]}, {mod, {?MODULE, [arg]}}]},
    see:value(load, [application:load(Spec), application:load(Spec)]),
    see:value(env, [application:get_env(made_here, k), application:get_env(made_here, none),
        application:get_env(made_here, none, default), application:set_env(made_here, k, new),
    application:get_env(made_here, k), lists:sort(application:get_all_env(made_here))]),
    see:value(keys, [application:get_key(made_here, vsn), application:get_key(made_here, description)]),
    see:value(start, [application:start(made_here), application:start(made_here)]),
    see:value(started, [is_pid(whereis(made_sup)), lists:keymember(made_here, 1, application:which_applications()),
        persistent_term:get(start_args)]),
    see:value(get_application, application:get_application(whereis(made_sup))),
    see:value(stop, [application:stop(made_here), whereis(made_sup), persistent_term:get(stopped),
        application:stop(made_here)]),
    see:value(unload, [application:unload(made_here), application:unload(made_here),
        application:get_env(made_here, k)]),
    see:value(ensure, [application:ensure_all_started(stdlib),
        element(1, application:ensure_all_started(no_such_app))]),
    see:value(missing, element(2, application:load(no_such_app))),
    see:value(kernel, [application:get_env(kernel, logger_level), element(1, application:get_key(kernel, vsn))]),
    see:value(processes, [is_pid(whereis(N)) || N <- [init, application_controller, kernel_sup, code_server,
        file_server_2, erl_prim_loader, logger, user, global_name_server, inet_db, kernel_refc, standard_error]]).

start(Type, Args) -> persistent_term:put(start_args, {Type, Args}), supervisor:start_link({local, made_sup}, ?MODULE,
    []).
stop(_) -> persistent_term:put(stopped, yes).
init([]) -> {ok, {#{}, []}}.
