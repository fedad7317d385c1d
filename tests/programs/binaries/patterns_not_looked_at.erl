%% Searching nothing for a pattern that is wrong: up to OTP 26 nobody looks at the pattern.
-module(patterns_not_looked_at).
-export([main/0]).

main() ->
    Patterns = [<<"x">>, [<<"x">>, <<"yz">>], binary:compile_pattern(<<"x">>), [{scope, {5, 100}}, global], [a],
        [<<"x">>, a], a, [], [<<>>], <<>>,
                [<<"a">>, <<>>], [<<"a">> | b], [{a}], {bm, x}, [<<1:3>>], <<1:3>>, 1.0],
    [see:value(Nth, [attempt(Fun) || Fun <- searches(lists:nth(Nth, Patterns))])
        || Nth <- lists:seq(1, length(Patterns))].

searches(Pattern) ->
    [fun() -> binary:matches(<<>>, Pattern) end, fun() -> binary:match(<<>>, Pattern) end,
        fun() -> binary:split(<<>>, Pattern) end,
     fun() -> binary:split(<<>>, Pattern, [global, trim_all]) end, fun() -> binary:replace(<<>>, Pattern, <<"y">>) end,
     fun() -> binary:matches(<<"abx">>, Pattern) end, fun() -> binary:matches(<<"abx">>, Pattern, [{scope, {0, 0}}])
         end,
     fun() -> binary:match(<<"abx">>, Pattern, [{scope, {1, 0}}]) end,
         fun() -> binary:split(<<"abx">>, Pattern, [{scope, {3, -3}}]) end,
     fun() -> binary:match(<<"abx">>, Pattern, [{scope, {2, 5}}]) end, fun() -> binary:match(<<>>, Pattern, [wrong])
         end].

attempt(Fun) ->
    try Fun() catch error:Reason -> Reason end.
