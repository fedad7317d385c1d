%% Searching for several patterns: few and many, short and long, compiled and not, in texts that are full of beginnings.
-module(several_patterns).
-export([main/0]).

main() ->
    rand:seed(exsss, {7, 8, 9}),
    [see:value(N, one_round()) || N <- lists:seq(1, 60)],
    Hostile = binary:copy(<<"a">>, 30000),
    Beginnings = [<<"aaab">>, <<"aaac">>, <<"ab">>, <<"aaaaaaaaaad">>],
    Compiled = binary:compile_pattern(Beginnings),
    see:value(hostile, [{binary:match(Text, Pattern), binary:matches(Text, Pattern),
        length(binary:split(Text, Pattern, [global]))}
                        || Text <- [Hostile, <<Hostile/binary, "c">>, binary:copy(<<"aaaaaaaaaaaaaaaaab">>, 500)],
                           Pattern <- [Beginnings, Compiled]]),
    %% The same compiled pattern before and after the long searches.
    see:value(again, [binary:matches(<<"xaaacyabzaaaaaaaaaad">>, Compiled) || _ <- [1, 2]]),
    see:value(bytes, [binary:split(<<"a,b;c.d:e\tf">>, Seps, [global]) || Seps <- [[<<",">>], [<<",">>, <<";">>],
        [<<",">>, <<";">>, <<".">>], [<<C>> || C <- ",;.:\t"], [<<C>> || C <- lists:seq(0, 255)]]]),
    see:value(unaligned, begin <<_:3, Text/bitstring>> = <<5:3, "one, two; three">>,
        binary:split(Text, [<<", ">>, <<"; ">>, <<" ">>], [global]) end),
    see:value(twice, binary:matches(<<"abab">>, [<<"ab">>, <<"ab">>, <<"a">>])),
    see:fails([fun() -> binary:match(<<"x">>, [<<"a">>, see:id(<<>>)]) end,
        fun() -> binary:match(<<"x">>, [<<"a">>, see:id(<<1:7>>)]) end,
               fun() -> binary:match(<<"x">>, [<<"a">> | see:id(<<"b">>)]) end]).

one_round() ->
    Letters = rand:uniform(6),
    Patterns = [text(rand:uniform(6), Letters) || _ <- lists:seq(1, 1 + rand:uniform(20))],
    Compiled = binary:compile_pattern(Patterns),
    Text = text(rand:uniform(400), Letters + rand:uniform(3)),
    Places = binary:matches(Text, Patterns),
    Places = binary:matches(Text, Compiled),
    Scope = {scope, {byte_size(Text) div 3, byte_size(Text) div 2}},
    {binary:match(Text, Patterns), length(Places), erlang:phash2(Places), binary:match(Text, Compiled, [Scope]),
     erlang:phash2(binary:split(Text, Patterns, [global, trim_all, Scope])),
     erlang:phash2(binary:replace(Text, Compiled, <<"-">>, [global]))}.

text(Length, Letters) -> << <<($a + rand:uniform(Letters) - 1)>> || _ <- lists:seq(1, Length) >>.
