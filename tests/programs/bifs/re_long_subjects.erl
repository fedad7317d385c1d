%% Regular expressions on subjects of hundreds of kilobytes: matches that are near, far away and nowhere, all of them
%% one after the other, with and without Unicode, anchored, with lookbehinds, limits and offsets. A match far away must
%% not be missed, and a long subject with many near ones takes as long as several short ones.
-module(re_long_subjects).
-export([main/0]).

main() ->
    Words = binary:copy(<<"abc defg, ">>, 20000),
    Far = <<Words/binary, "needle", Words/binary>>,
    Nothing = binary:copy(<<"x">>, 300000),
    Unicode = unicode:characters_to_binary(lists:duplicate(15000, "åäö ¤€ ")),
    Late = <<Unicode/binary, "nål"/utf8, Unicode/binary>>,
    [see:value({Name, Options}, short(catch_of(fun() -> re:run(Subject, Pattern, Options) end)))
     || {Name, Subject, Pattern} <- [{far, Far, "needle"}, {far_end, Far, "needle.{10}$"}, {behind, Far, "(?<=ne)edle"},
                                     {nothing, Nothing, "y"}, {start_of_all, Far, "^abc"},
                                     {words, Words, "[a-z]+"}, {empty, Words, ""}, {late, Late, <<"nål"/utf8>>},
                                     {pair, Words, "(d)(e)fg, a"}],
        Options <- [[], [global], [anchored], [{offset, 100000}], [{offset, 199999}, global],
            [unicode, {offset, 1000}]]],
    [see:value({split, Name}, short(catch_of(fun() -> re:split(Subject, Pattern, Options) end)))
     || {Name, Subject, Pattern, Options} <- [{words, Words, ", ", []}, {far, Far, "needle", []},
         {unicode, Late, "€", [unicode]},
                                              {parts, Far, "needle", [{parts, 2}]}, {none, Nothing, "y", []}]],
    [see:value({replace, Name},
        short(catch_of(fun() -> re:replace(Subject, Pattern, "<&>", [{return, binary} | Options]) end)))
     || {Name, Subject, Pattern, Options} <- [{words, Words, "d", [global]}, {far, Far, "needle", []},
         {unicode, Late, "ö", [unicode, global]},
                                              {none, Nothing, "y", [global]}]],
    %% One that is no UTF-8 behind its first half.
    Half = <<Unicode/binary, 255, Unicode/binary>>,
    see:value(half_at_once, short(catch_of(fun() -> re:run(Half, "a", [unicode]) end))).

catch_of(F) ->
    try F()
    catch Class:Reason -> {Class, Reason}
    end.

%% What is long is told by its hash.
short(Result) ->
    case term_to_binary(Result) of
        Long when byte_size(Long) > 300 -> {byte_size(Long), erlang:phash2(Result)};
        _ -> Result
    end.
