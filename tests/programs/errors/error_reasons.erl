%% The reason and the place of every error the language itself raises.
-module(error_reasons).
-export([main/0, only_one/1]).

main() ->
    F = see:id(fun(X) -> X end),
    see:all([{badmatch, fun() -> {ok, _} = see:id({error, enoent}) end},
             {badmatch_literal, fun() -> 1 = see:id(2) end},
             {badmatch_list, fun() -> [_, _] = see:id([1]) end},
             {badmatch_map, fun() -> #{a := _} = see:id(#{b => 1}) end},
             {badmatch_binary, fun() -> <<_:16>> = see:id(<<1>>) end},
             {case_clause, fun() -> case see:id({a, [b]}) of {b, _} -> no end end},
             {if_clause, fun() -> X = see:id(1), if X > 1 -> no end end},
             {function_clause, fun() -> only_one(see:id([1, 2, {x}])) end},
             {function_clause_remote, fun() -> lists:map(see:id(a), see:id(b)) end},
             {fun_clause, fun() -> (fun(1) -> one end)(see:id(2)) end},
             {undef, fun() -> ?MODULE:missing(see:id(1), 2) end},
             {undef_module, fun() -> no_such_module_at_all:f() end},
             {badarity, fun() -> F(1, 2) end},
             {badfun, fun() -> (see:id(not_a_fun))(1) end},
             {badarith, fun() -> see:id(a) - 1 end},
             {badarg, fun() -> atom_to_list(see:id(1)) end},
             {badkey, fun() -> maps:get(k, see:id(#{})) end},
             {badkey_update, fun() -> (see:id(#{}))#{k := v} end},
             {badmap, fun() -> maps:get(k, see:id([])) end},
             {badmap_update, fun() -> (see:id(not_map))#{k => v} end},
             {badrecord, fun() -> erlang:error({badrecord, x}) end},
             {try_clause, fun() -> try see:id(1) of 2 -> two catch _:_ -> caught end end},
             {system_limit, fun() -> list_to_atom(lists:duplicate(300, $a)) end},
             {bad_generator, fun() -> [X || X <- see:id(x)] end},
             {bad_filter, fun() -> [X || X <- [1], see:id(X)] end},
             {bad_boolean, fun() -> see:id(1) andalso true end},
             {bad_not, fun() -> not see:id(1) end},
             {send, fun() -> see:id(no_such_name) ! hello end},
             {send_bad, fun() -> see:id("list") ! hello end},
             {timeout_value, fun() -> receive after see:id(-1) -> ok end end},
             {timeout_value2, fun() -> receive after see:id(a) -> ok end end},
             {timeout_value3, fun() -> receive after see:id(1 bsl 40) -> ok end end},
             {nocatch, fun() -> error({nocatch, x}) end}]).

only_one(1) -> ok.
