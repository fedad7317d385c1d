%% A group that refers back to itself is atomic in PCRE 8, which OTP has up to 27: it does not try another way once it
%% has matched. PCRE2 does.
%% releases: 25 27 29
-module(regexp_self_references).
-export([main/0]).

main() ->
    [see:value(Pattern, lengths(Pattern)) || Pattern <- ["^(a\\1?){4}$", "^(?<n>a\\k<n>?){4}$", "^(?'n'a\\g{n}?){4}$",
        "^(?P<n>a(?P=n)?){4}$", "^(?<n>a\\k{n}?){4}$", "^(a\\g1?){4}$", "^(a\\g{-1}?){4}$", "^(?:(?|(b)|(a\\1?))){4}$",
        "^(()a\\1?){4}$", "^(a\\2?())*$", "^(a(b)?\\1?)+a$", "^(?<n>a|b\\g<n>)*$",
        "^((a)\\2?){4}$", "^(a(?:\\1|a)?){3}$", "^(\\Qa\\E(?#\\1)a?){4}$", "^(a[\\1]?a?){4}$"]],
    [see:value(Pattern, re:run("aaaa", Pattern)) || Pattern <- ["(a)(?:\\1?){4}", "(a)(b)?\\1{3}", "(a|a\\1)(a+)"]],
    see:value(not_compiled, [re:compile(Pattern) || Pattern <- ["(a\\1?", "(a\\1?)[", "(?<n>a\\k<n>?)(?<m"]]),
    see:value(replaced, re:replace("aaaaab", "(a\\1?)+b", "<\\1>", [{return, list}])).

%% How many characters `a` the pattern matches.
lengths(Pattern) ->
    [Length || Length <- lists:seq(0, 12), re:run(lists:duplicate(Length, $a), Pattern) =/= nomatch].
