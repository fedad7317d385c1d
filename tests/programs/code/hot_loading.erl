%% Code that changes under running processes: current and old, purge, soft purge, check.
-module(hot_loading).
-export([main/0]).

main() ->
    Me = self(),
    see:value(load, load(1)),
    see:value(one, {changing:version(), erlang:function_exported(changing, added, 0)}),
    Old = spawn(changing, loop, [Me]),
    Fun = changing:fun_of(x), External = fun changing:version/0, Literal = changing:literal(),
    see:value(in_one, {ask(Old), Fun(), External(), Literal}),
    see:value(reload, load(2)),
    see:value(two, {changing:version(), changing:added(), erlang:function_exported(changing, added, 0)}),
    see:value(old_runs_on, {ask(Old), Fun(), External(), Literal}),
    see:value(check, [erlang:check_old_code(changing), erlang:check_process_code(Old, changing),
        erlang:check_process_code(self(), changing)]),
    see:value(not_purged, [code:soft_purge(changing), is_process_alive(Old)]),
    see:value(load_refused, catch load(3)),
    Old ! switch, receive switching -> ok end,
    see:value(switched, ask(Old)),
    see:value(check_again, [erlang:check_process_code(Old, changing), erlang:check_process_code(self(), changing)]),
    see:value(fun_holds, check_fun(Fun)),
    erlang:garbage_collect(),
    see:value(purged, [code:purge(changing), is_process_alive(Old), erlang:check_old_code(changing)]),
    see:value(literal_survives, Literal),
    see:value(load_three, load(3)),
    see:value(three, {changing:version(), ask(Old)}),
    {Kept, Ref} = spawn_monitor(changing, keep, []),
    see:value(load_one_again, begin code:purge(changing), is_alive_after_purge(Old), load(1) end),
    see:value(purge_kills,
        begin R = code:purge(changing), {R, receive {'DOWN', Ref, process, Kept, X} -> X after 1000 -> lives end} end),
    see:value(delete, [code:delete(changing), code:is_loaded(changing), catch_undef(fun() -> changing:version() end)]),
    see:value(loaded_again, [code:purge(changing), load(2), changing:version()]),
    see:value(external_follows, External()),
    see:value(badfun, try Fun() catch error:{badfun, F} -> {badfun, is_function(F)} end).

folder() -> filename:dirname(code:which(?MODULE)).

load(N) ->
    File = filename:join([folder(), "v" ++ integer_to_list(N), "changing"]),
    code:load_abs(File).

ask(P) -> P ! version, receive {version, V} -> V after 1000 -> silent end.

check_fun(F) -> is_function(F, 0).

is_alive_after_purge(P) -> is_process_alive(P).

catch_undef(F) -> try F() catch error:undef -> undef end.
