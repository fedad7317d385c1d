%% Several prepared modules finished as one: not when one of them has an `on_load` function.
-module(several_at_once).
-export([main/0]).

main() ->
    Plain = [prepared(plain_one, []), prepared(plain_two, [])],
    Loads = fun() -> prepared(with_on_load, [{attribute, 1, on_load, {start, 0}}]) end,
    see:that(mixed, fun() -> finish(see:id([hd(Plain), Loads()])) end),
    see:that(two, fun() -> finish(see:id([Loads(), Loads()])) end),
    see:value(nothing_loaded, [erlang:module_loaded(M) || M <- [plain_one, plain_two, with_on_load]]),
    see:that(plain, fun() -> finish(Plain) end),
    see:value(loaded, [erlang:module_loaded(M) || M <- [plain_one, plain_two, with_on_load]]),
    see:value(had_on_load, [erlang:has_prepared_code_on_load(P) || P <- [Loads(), prepared(plain_one, [])]]).

%% Without the prepared code in the trace, which is a reference.
finish(Prepared) ->
    try erlang:finish_loading(Prepared)
    catch error:Reason:Stack -> {Reason, [{M, F, is_list(A)} || {M, F, A, _} <- lists:sublist(Stack, 1)]}
    end.

prepared(Module, More) ->
    Forms = [{attribute, 1, module, Module}, {attribute, 1, export, [{start, 0}]}] ++ More ++
            [{function, 2, start, 0, [{clause, 2, [], [], [{atom, 2, ok}]}]}],
    {ok, Module, Code} = compile:forms(Forms),
    erlang:prepare_loading(Module, Code).
