%% -on_load: succeeding, failing, crashing; callers that wait for it.
-module(on_loading).
-export([main/0]).

main() ->
    true = code:add_patha(filename:join(filename:dirname(code:which(?MODULE)), "x")),
    see:value(well, [code:load_file(loads_well), loads_well:value()]),
    see:value(badly, [code:load_file(loads_badly), code:is_loaded(loads_badly),
        try loads_badly:value() catch error:undef -> undef end]),
    see:value(crashing, [code:load_file(loads_crashing), erlang:module_loaded(loads_crashing),
        try loads_crashing:value() catch error:undef -> undef end]),
    Me = self(),
    [spawn(fun() -> Me ! {slow, loads_slowly:value()} end) || _ <- [1, 2, 3]],
    see:value(slow, [receive {slow, V} -> V after 5000 -> none end || _ <- [1, 2, 3]]),
    see:value(missing, code:load_file(no_such_module_here)),
    see:value(loaded, [erlang:module_loaded(M) || M <- [loads_well, loads_slowly, loads_badly]]).
