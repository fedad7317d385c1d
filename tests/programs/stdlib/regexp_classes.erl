%% What PCRE 8 takes for itself in a class and elsewhere, though it means nothing there: hyphens behind a class escape,
%% letters of escapes that no class knows, \x without digits, \c and a control character.
-module(regexp_classes).
-export([main/0]).

main() ->
    [see:value(P, found(S, P, O)) || {P, S, O} <- [{P, S, []} || {P, S} <- plain()] ++ extended()].

found(Subject, Pattern, Options) ->
    case re:compile(Pattern, Options) of
        {ok, Compiled} -> re:run(Subject, Compiled, [global]);
        {error, {Text, _}} -> {error, Text}
    end.

plain() ->
    [{"[\\d-z]+", "12-34z"}, {"^[\\d-a]", "-things"}, {"[\\z\\C]", "zC"}, {"a[\\CD]b", "aCbaDb"},
        {"a[\\C-X]b", "aJbaYb"},
     {"^A\\xZ", "AZ"}, {"\\x", "a\0"}, {"[\\x]", "x\0"}, {"[\\xg]+", "xg\0"}, {"^\\c\d", "?x"},
     {"[\\c\d\\c\t]+", "a?I"}, {"\\c\n", "\nJ"}, {"\\c\x{80}", "J"}, {"\\c?\\ca\\cA", "\d\1\1"}, {"a[\\B]", "aBa\\"},
     {"[\\R]", "Rr"}, {"[\\X]", "Xx"},
     {"[[:digit:]-z]+", "1-y"}, {"[\\w-\\d]+", "a-1"}, {"[z\\d-]+", "5-z"},
     {"[\\d-a-z]+", "c-a1"}, {"[\\E-z]+", "-z"}, {"[^\\d-z]+", "-5az"}, {"[]\\d-z]+", "]-1z"}, {"[\\h-z]+", " -z"},
     {"\\[\\d-z", "[1-z"}, {"\\Q[\\d-z]\\E[\\d-x]", "[\\d-z]-"}, {"(a|[\\s-b])[\\z]", "-z"}, {"[\\A\\Z\\G]+", "AZG"},
     {"[a\\-z\\d-q]+", "a-b"}, {"[\\\\\\d-z]+", "\\-1"}, {"[\\W-z]+", "#-z"}, {"[\\pL-z]+", "#-z"},
     {"[\\p{Lu}-z]+", "A-z"}, {"[\\x41-C]", "B"}].

extended() ->
    [{"a # [\\d-z\n[\\d-z]", "a-", [extended]}, {"[#\\d-z]+", "#-1", [extended]}, {"(?#[)[\\d-z]", "-", []}].
