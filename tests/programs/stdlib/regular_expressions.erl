%% re: compile, run, replace, split with their options.
-module(regular_expressions).
-export([main/0]).

main() ->
    S = "The year 1984, then 2001 and 42.",
    see:value(run, [re:run(S, P) || P <- ["[0-9]+", "(\\d)(\\d)", "^the", "nope", "\\bthen\\b",
        "(?<y>\\d{4}), (\\w+)"]]),
    see:value(capture, [re:run(S, "(\\d+)", [{capture, C, T}]) || {C, T} <- [{all, list}, {first, binary},
        {all_but_first, list}, {none, list}, {[1], index}, {all_names, list}]]),
    see:value(global, re:run(S, "\\d+", [global, {capture, all, list}])),
    see:value(options, [re:run("ABC\nabc", P, O) || {P, O} <- [{"abc", [caseless]}, {"^abc", [multiline]},
        {"a.b", [dotall]}, {"abc$", []}, {"b", [{offset, 2}]}, {"abc", [anchored]}]]),
    {ok, C2} = re:compile("a(b+)c", [caseless]),
    see:value(compiled, [re:run("xABBBCx", C2), re:inspect(C2, namelist)]),
    see:value(replace, [re:replace("hello world", "o", "0", [{return, list}]),
        re:replace("hello world", "o", "0", [global, {return, list}]),
    re:replace("abc", "(b)", "[\\1&]", [{return, binary}]), re:replace("abc", "x", "y")]),
    see:value(split, [re:split("a,b;c", "[,;]"), re:split("a,b;c", "([,;])", [{return, list}]), re:split("abc", ""),
        re:split("a,,b", ",", [trim, {parts, 2}])]),
    see:value(unicode, [re:run("aλb", "λ", [unicode]),
        re:run(<<"aλb"/utf8>>, "\\x{3bb}", [unicode, {capture, all, list}]),
    re:replace("λλ", "λ", "l", [unicode, global, {return, list}])]),
    see:value(classes, [re:run("a1 _-", P, [{capture, all, list}]) || P <- ["\\w+", "\\s", "[[:digit:]]", "[^a-z]",
        "\\D\\d", "a|1", "(?=1)", "(?i)A"]]),
    see:value(greedy, [re:run("<a><b>", P, [{capture, all, list}]) || P <- ["<.*>", "<.*?>", "<[^>]*+>"]]),
    see:value(backrefs, re:run("abab", "(ab)\\1")),
    see:value(errors, [re:compile(P) || P <- ["(", "[a", "*", "a{2,1}", "\\"]]),
    see:value(long, re:run(lists:duplicate(100000, $a) ++ "b", "a*b", [{capture, none}])),
    see:value(backtracking, re:run(lists:duplicate(30, $a), "(a+)+$|b", [{match_limit, 1000}, report_errors])).
