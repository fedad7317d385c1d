#!/usr/bin/env escript
%% A release has no compiler.
-mode(interpret).

main(Words) ->
    Machine = try erlang:system_info({ferl, memory_guard}) of _ -> ferl catch _:_ -> stock end,
    io:format("~s~n~p~n", [Machine, {Words, escript:script_name()}]),
    halt(4).
