%% module_info(nifs) names the functions of preloaded modules that are NIFs, and no other.
-module(nif_names).
-export([main/0]).

main() ->
    [see:value(M, lists:sort(M:module_info(nifs))) || M <- lists:sort(erlang:pre_loaded())],
    see:value(other, [M:module_info(nifs) || M <- [lists, ets, re, binary, ?MODULE]]).
