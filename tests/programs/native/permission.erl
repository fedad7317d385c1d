%% While somebody has the permission to change code, whoever loads a library, loads code or deletes it waits, and then
%% does it.
%% needs: erl_nif.h
-module(permission).
-export([main/0, which/0]).

main() ->
    ok = logger:set_primary_config(level, none),
    false = erts_debug:set_internal_state(available_internal_state, true),
    Here = filename:dirname(code:which(?MODULE)),
    Path = filename:join([Here, "permission", "permission"]),
    see:value(before, which()),
    Changes = [{load_nif, fun() -> load(Path) end},
               {finish_loading, fun() -> erlang:finish_loading([prepared(one)]) end},
               {delete_module, fun() -> erlang:delete_module(one) end},
               {trace_pattern, fun() -> erlang:trace_pattern({?MODULE, main, 0}, true, [local]) end}],
    [see:value(Name, waits(Change)) || {Name, Change} <- Changes],
    see:value(now, which()),
    see:value(applied, waits(fun() -> apply(erlang, load_nif, [Path, 0]) end)),
    see:value(again, waits(fun() -> load(Path) end)),
    see:that(no_such_setting, fun() -> erts_debug:set_internal_state(name(), 7) end),
    true = erts_debug:set_internal_state(available_internal_state, false).

%% The call is the last thing that the function does: what is called again does not show where it came from.
load(Path) -> erlang:load_nif(Path, 0).

which() -> erlang.

prepared(Name) ->
    {ok, Name, Beam} = compile:forms([{attribute, 1, module, Name}, {attribute, 1, export, []}]),
    erlang:prepare_loading(Name, Beam).

waits(Change) ->
    Self = self(),
    {Early, Pid} = held(fun() ->
        Pid = spawn_link(fun() -> Self ! {self(), Change()} end),
        {receive {Pid, _} -> early after 50 -> waits end, Pid}
    end),
    {Early, receive {Pid, Result} -> Result end}.

held(Body) ->
    true = erts_debug:set_internal_state(name(), true),
    Result = Body(),
    true = erts_debug:set_internal_state(name(), false),
    Result.

%% What the permission is called.
name() ->
    case erlang:system_info(otp_release) of
        "25" -> code_write_permission;
        _ -> code_mod_permission
    end.
