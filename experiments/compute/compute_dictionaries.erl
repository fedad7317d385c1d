%% The older dictionaries of OTP: dict, orddict, proplists, and the process dictionary.
-module(compute_dictionaries).
-export([run/0]).

run() ->
    Keys = [{user, (N * 7919) rem 2003} || N <- lists:seq(1, 15000)],
    Dict = lists:foldl(fun(Key, D) -> dict:update_counter(Key, 1, D) end, dict:new(), Keys),
    Ordered = lists:foldl(fun({_, N}, D) -> orddict:append(N rem 150, N, D) end, orddict:new(), Keys),
    Options = [{N, N * N} || N <- lists:seq(1, 100)],
    Found = [proplists:get_value(N rem 120, Options, none) || N <- lists:seq(1, 8000)],
    [put(Key, value_of(Key) + 1) || Key <- Keys],
    Own = lists:sum([erase(Key) || Key <- lists:usort(Keys)]),
    {dict:size(Dict), dict:fold(fun(_, Count, Sum) -> Count * Count + Sum end, 0, Dict),
     lists:sum([length(Values) || {_, Values} <- Ordered]), length([none || none <- Found]), Own}.

value_of(Key) ->
    case get(Key) of
        undefined -> 0;
        Value -> Value
    end.
