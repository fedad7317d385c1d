%% Many processes that load the same module at once: one of them does, and the others hear that the old code is there.
%% args: +S 2
-module(loaded_by_many).
-export([main/0]).

main() ->
    Codes = [code(N) || N <- lists:seq(1, 3)],
    see:value(loads, lists:usort([once(Codes) || _ <- lists:seq(1, 30)])).

once([First, Second, _]) ->
    code:purge(much_loaded), code:delete(much_loaded), code:purge(much_loaded),
    {module, much_loaded} = erlang:load_module(much_loaded, First),
    Main = self(),
    Loaders = [spawn_link(fun() -> receive go -> Main ! {self(), erlang:load_module(much_loaded, Second)} end end)
        || _ <- lists:seq(1, 20)],
    [L ! go || L <- Loaders],
    Results = [receive {L, R} -> R end || L <- Loaders],
    {length([x || {module, _} <- Results]), length([x || {error, not_purged} <- Results])}.

code(N) ->
    Forms = [{attribute, 1, module, much_loaded}, {attribute, 1, export, [{f, 0}]},
        {function, 2, f, 0, [{clause, 2, [], [], [{integer, 2, N}]}]}],
    {ok, much_loaded, Code} = compile:forms(Forms),
    Code.
