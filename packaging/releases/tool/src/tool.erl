%% A tool on the command line, made into an escript by `rebar3 escriptize`: counts the words of its arguments.
-module(tool).
-export([main/1]).

main(Arguments) ->
    Words = lists:append([string:lexemes(Argument, " ") || Argument <- Arguments]),
    Counts = lists:foldl(fun(Word, Map) -> maps:update_with(Word, fun(N) -> N + 1 end, 1, Map) end, #{}, Words),
    [io:format("~ts ~b~n", [Word, Count]) || {Word, Count} <- lists:sort(maps:to_list(Counts))].
