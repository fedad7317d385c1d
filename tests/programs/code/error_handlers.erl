%% Calls to what isn't there go through error_handler: modules loaded on demand, $handle_undefined_function.
-module(error_handlers).
-export([main/0, '$handle_undefined_function'/2]).

main() ->
    see:value(handled, [?MODULE:anything(1, 2), ?MODULE:other(), apply(?MODULE, third, [x])]),
    F = fun ?MODULE:fourth/1,
    see:value(external_fun, F(y)),
    see:value(on_demand, [queue:len(queue:new()), erlang:module_loaded(queue)]),
    see:value(fun_on_demand, lists:map(fun gb_sets:size/1, [gb_sets:from_list([1, 2, 3])])),
    see:value(apply_on_demand, apply(see:id(dict), see:id(size), [dict:new()])),
    see:value(spawned, begin {P, R} = spawn_monitor(?MODULE, spawned, [1, 2, 3]),
        receive {'DOWN', R, process, P, X} -> X end end).

'$handle_undefined_function'(spawned, Args) -> exit({spawned, Args});
'$handle_undefined_function'(Name, Args) -> {handled, Name, Args}.
