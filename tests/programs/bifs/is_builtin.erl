%% What counts as built in, of everything that the modules of the machine and of the first libraries export.
-module(is_builtin).
-export([main/0]).

main() ->
    Modules = [lists, maps, math, binary, string, ets, re, os, io, unicode, file, code, erl_ddll, erts_debug,
        error_logger | erlang:pre_loaded()],
    %% Distribution, which is not there yet.
    Known = [{erts_internal, get_dflags, 0}],
    [see:value(Module, [{F, A} || {F, A} <- lists:sort(exports(Module)), erlang:is_builtin(Module, F, A)] --
                           [{F, A} || {M, F, A} <- Known, M =:= Module])
     || Module <- lists:usort(Modules)],
    Listed = erlang:system_info(snifs),
    see:value(listed_are, [MFA || MFA = {M, F, A} <- Listed, not erlang:is_builtin(M, F, A)]),
    see:value(nif_modules,
        [MFA || MFA = {M, _, _} <- Listed, lists:member(M, [zlib, prim_buffer, prim_net, prim_socket])]),
    see:value(others, [erlang:is_builtin(M, F, A) || {M, F, A} <- [{erlang, apply, 2}, {erlang, apply, 3},
        {erlang, apply, 4},
                                                                   {nosuch, f, 0}, {lists, nosuch, 1},
                                                                   {erlang, self, -1}]]),
    see:that(big, fun() -> erlang:is_builtin(erlang, self, see:id(1 bsl 70)) end).

exports(Module) -> Module:module_info(exports).
