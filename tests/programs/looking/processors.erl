%% What is known of the processors changes when the node asks for them again, not before. Children may use what the node
%% could use when it started. Which processors there are is the host's business, so only relations are printed.
%% args: +S 2:2
-module(processors).
-export([main/0]).

main() ->
    All = available(),
    unchanged = erlang:system_info(update_cpu_info),
    {true, true} = {All >= 1, All =< erlang:system_info(logical_processors_online)},
    [First | _] = allowed(),
    Mask = mask(allowed()),
    limit(1 bsl First),
    see:value(before, available() =:= All),
    see:value(asked, erlang:system_info(update_cpu_info) =:= changed orelse All =:= 1),
    see:value(one, available()),
    see:value(again, erlang:system_info(update_cpu_info)),
    see:value(child, length(string:lexemes(os:cmd("nproc"), "\n")) =:= 1
        andalso list_to_integer(string:trim(os:cmd("nproc"))) =:= All),
    limit(Mask),
    see:value(asked, erlang:system_info(update_cpu_info) =:= changed orelse All =:= 1),
    see:value(all, available() =:= All),
    ok.

available() -> erlang:system_info(logical_processors_available).

limit(Mask) -> os:cmd("taskset -p " ++ integer_to_list(Mask, 16) ++ " " ++ os:getpid()).

%% The numbers of the processors that the main thread may use.
allowed() ->
    List = lists:last(string:lexemes(string:trim(os:cmd("taskset -cp " ++ os:getpid())), " ")),
    lists:append([numbers(string:lexemes(Part, "-")) || Part <- string:lexemes(List, ",")]).

numbers([One]) -> [list_to_integer(One)];
numbers([From, To]) -> lists:seq(list_to_integer(From), list_to_integer(To)).

mask(Numbers) -> lists:foldl(fun(Number, Mask) -> Mask bor (1 bsl Number) end, 0, Numbers).
