%% All matches in a long subject: it is found to be UTF-8 once, not once for each match. And what \w is in UTF-8 without
%% the option ucp: letters of Latin-1 too, wherever a match begins.
-module(regexp_global).
-export([main/0]).

main() ->
    Text = binary:copy(<<"abc ", 229/utf8, 1024/utf8, "\n">>, 50000),
    [see:value({Pattern, Options}, global(Text, Pattern, Options))
     || {Pattern, Options} <- [{"b", []}, {"b", [unicode]}, {<<229/utf8>>, [unicode]}, {"\\w+", [unicode]},
                               {"\\w+", [unicode, ucp]}, {"$", [unicode, multiline]}, {"(?<=c )", [unicode]}]],
    see:value(replaced, erlang:md5(iolist_to_binary(re:replace(Text, "b(.)", "\\1x", [global, unicode])))),
    see:value(split, length(re:split(Text, "\n", [unicode]))),
    Broken = <<Text/binary, 255>>,
    see:value(broken, [found(Subject, "b", [global, unicode]) || Subject <- [Broken, <<255, Text/binary>>]]),
    [see:value({Pattern, Subject, Options}, found(Subject, Pattern, Options))
     || Subject <- [[229], [229, 181], [1024], [170, 229, 197, "x"], "abc", [32, 233, $t, 233]],
        Pattern <- ["\\w", "\\W", "\\w+$", "[\\w]", "[^\\w]", "(\\w)\\1*", "\\w|x", "\\d|\\w", "\\bx", "(?i)\\w",
            "\\\\w", "\\s", "[[:alpha:]]"],
        Options <- [[unicode], [unicode, caseless], [unicode, ucp], [unicode, no_start_optimize]]].

found(Subject, Pattern, Options) ->
    try re:run(Subject, Pattern, Options) catch error:Reason -> Reason end.

global(Text, Pattern, Options) ->
    {match, Matches} = re:run(Text, Pattern, [global | Options]),
    {length(Matches), hd(Matches), lists:last(Matches)}.
