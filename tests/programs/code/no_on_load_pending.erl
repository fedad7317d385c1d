%% The end of an on_load that nobody waits for changes nothing: no module comes to be known, and tracing goes on.
-module(no_on_load_pending).
-export([main/0, traced/1]).

main() ->
    see:fails([fun() -> erlang:finish_after_on_load(Module, Keep) end || Module <- [unknown, also_unknown, ?MODULE],
        Keep <- [true, false]]),
    see:fails([fun() -> erlang:finish_after_on_load(Module, Keep) end || {Module, Keep} <- [{unknown, yes},
        {?MODULE, 1}, {"a", true}]]),
    see:value(known, [lists:member(Module, erlang:loaded()) || Module <- [unknown, also_unknown, ?MODULE]]),
    see:value(deleted, [erlang:delete_module(Module) || Module <- [unknown, also_unknown]]),
    see:value(set, erlang:trace_pattern({?MODULE, traced, 1}, true, [local])),
    see:fails([fun() -> erlang:finish_after_on_load(?MODULE, true) end]),
    see:value(still, erlang:trace_info({?MODULE, traced, 1}, traced)),
    see:value(called, ?MODULE:traced(1)).

traced(X) -> X.
