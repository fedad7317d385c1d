%% \8 and \9 in patterns: the digit, unless so many groups have begun before it.
-module(regexp_digits).
-export([main/0]).

main() ->
    Plain = ["\\8", "\\9", "a\\8", "\\81", "\\89", "\\80", "\\99", "\\8*", "\\8{2}", "a{\\8}", "\\1\\8", "\\118",
        "\\\\8", "#\\8",
             "[\\8]", "[\\9]+", "[^\\8]", "[a\\]\\8]", "[[:alpha:]\\8]", "\\Q\\8\\E\\8", "(?#(\\8)\\8", "(?:a\\8)",
             "\\c\\8", "\\377\\8",
             "\\9999999999", "\\g8", "\\g{8}", "\\g{-1}", "(?<=\\8)a", "\\x8\\8", "\\Qa", "a|\\8"],
    see:value(plain, [{P, run(P, [])} || P <- Plain]),
    see:value(unicode, [{P, run(P, [unicode])} || P <- ["\\8", "λ\\9", "[λ\\8]+"]]),
    Groups = [{groups(N), P} || N <- [1, 7, 8, 9, 10], P <- ["\\8", "\\9", "\\81", "\\10", "[\\8]"]],
    see:value(groups, [{length(G), P, run(G ++ P, [])} || {G, P} <- Groups]),
    see:value(before, [{P, run(P ++ groups(9), [])} || P <- ["\\8", "\\9"]]),
    Kinds = ["(?:a)", "(?<n>a)", "(?P<n>a)", "(?'n'a)", "(?=a)", "(?<=a)", "(?<!b)", "(?>a)", "(?i)", "(?|(a)|(b)(c))",
        "((a))", "(a(?(1)a|b))",
             "(?(?=a)a|b)", "\\(", "[(]", "(?|(?|(a)|(b))|(c)(d)(e))", "(?(R)a|b)", "(?(DEFINE)(a))"],
    see:value(kinds, [{N, K, P, run(groups(N) ++ K ++ P, [])} || K <- Kinds, N <- [5, 6, 7], P <- ["\\8", "\\9"]]),
    see:value(only_names,
        [{N, P, run(lists:append(lists:duplicate(N, "(?<n>a)")) ++ groups(5) ++ P, [no_auto_capture, dupnames])}
        || N <- [3, 8], P <- ["\\8", "\\9"]]),
    see:value(extended, [{P, run(P, [extended])} || P <- ["\\8 # (\\9", " \\8\n#\\\n\\9"]]),
    see:value(errors, [{P, element(1, re:compile(P))} || P <- ["\\8(", "(\\8", "[\\8", "\\8)", "*\\8", "(?|\\8",
        "(?(\\8)", "\\8\\7"]]).

groups(N) -> lists:append(lists:duplicate(N, "(a)")).

run(Pattern, Options) ->
    Subjects = ["8", "9", "a8", "aa", "8a8", "81", "89", [0], "88", "a{8}", "\\8", "aaaaaaaa8", "aaaaaaaaa9",
        "aaaaaaaaaaa", "aaaaaaaaa", "λ9"],
    case re:compile(Pattern, Options) of
        {ok, Compiled} -> [{S, X} || S <- Subjects, unicode(S, Options), {match, [X | _]} <- [re:run(S, Compiled)]];
        {error, {Reason, _}} -> Reason
    end.

unicode(S, Options) -> lists:member(unicode, Options) orelse lists:all(fun(C) -> C < 256 end, S).
