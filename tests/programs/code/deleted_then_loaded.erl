%% A module that is deleted and loaded anew keeps its old code until it is purged: funs made by it work so long.
-module(deleted_then_loaded).
-export([main/0, log/2]).

main() ->
    ok = logger:set_primary_config(level, error),
    ok = logger:remove_handler(default),
    ok = logger:add_handler(heard, ?MODULE, #{config => self()}),
    load(one),
    Fun = passing:fun_of(),
    Closure = passing:closure_over(x),
    see:value(made, {Fun(), Closure()}),
    see:value(delete, {code:delete(passing), erlang:check_old_code(passing), code:is_loaded(passing)}),
    see:value(deleted, {Fun(), Closure()}),
    load(two),
    see:value(loaded, {erlang:check_old_code(passing), Fun(), Closure(), (passing:fun_of())()}),
    see:value(purge, {code:purge(passing), erlang:check_old_code(passing)}),
    see:value(now_badfun, {called(Fun), called(Closure), (passing:fun_of())()}),
    see:value(names, [element(2, erlang:fun_info(F, I)) || F <- [Fun, Closure], I <- [module, arity, type]]),
    %% The very same version: its funs come back to life.
    load(one),
    see:value(revived, {Fun(), Closure()}),
    see:value(not_purged, {code:delete(passing), erlang:check_old_code(passing), heard()}),
    see:fails([fun() -> erlang:delete_module(passing) end, fun() -> erlang:delete_module("passing") end]),
    see:value(heard, heard()),
    see:value(unknown, [erlang:delete_module(M) || M <- [never_loaded_at_all, see:id(never_seen)]]),
    see:value(purged_again, {code:purge(passing), erlang:check_old_code(passing), called(Fun)}),
    see:value(deleted_empty, [erlang:delete_module(passing), erlang:purge_module(passing),
        erlang:delete_module(passing), called(Fun)]).

log(#{level := Level, msg := Message}, #{config := Main}) ->
    Main ! {heard, Level, Message}.

heard() ->
    receive {heard, Level, Message} -> {Level, Message} end.

load(Version) ->
    see:value(load, {Version, code:load_binary(passing, "passing", module(Version))}).

called(Fun) ->
    try Fun()
    catch
        error:{badfun, F} -> {badfun, F =:= Fun};
        error:Other -> Other
    end.

module(Version) ->
    Text = "-module(passing).\n-export([fun_of/0, closure_over/1]).\nfun_of() -> fun() -> " ++ atom_to_list(Version) ++
        " end.\nclosure_over(X) -> fun() -> {" ++ atom_to_list(Version) ++ ", X} end.\n",
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, passing, Binary} = compile:forms([form(Form) || Form <- forms(Tokens, [])], []),
    Binary.

form(Tokens) ->
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

forms([], []) -> [];
forms([{dot, _} = Dot | Tokens], Form) -> [lists:reverse([Dot | Form]) | forms(Tokens, [])];
forms([Token | Tokens], Form) -> forms(Tokens, [Token | Form]).
