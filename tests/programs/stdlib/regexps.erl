%% Regular expressions beyond the first page.
%% releases: 25 27
-module(regexps).
-export([main/0]).

main() ->
    S = "The quick brown fox, the lazy dog; 12 34\nsecond line\r\nthird",
    Patterns = ["^", "$", "x*", "o", "(o)", "(?<n>q)(u)", "\\bth", "(?i)the", "(?m)^\\w+", "[[:punct:]]", "\\d+", "(a)|(b)|(c)", "(?=qu)", "(?<=qui)ck", "\\R", "(?s).*", ".*", "\\N+", "\\h", "\\v", "[^\\n]+$", "(?x) f o x # fox", "\\Aquick", "d\\z", "\\Gq", "(?>a+)b", "(?:a|b)+", "(\\w)\\1", "(?|(a)|(b))", "((a)|(b))*", "\\Qbrown\\E", "\\x{71}", "\\161", "q.i", "\\cA", "(*CRLF)^second", "(*ANYCRLF)(?m)^third", "x?+", "(?#note)dog", "(?(?=t)the|dog)", "(q)?(?(1)u|z)"],
    [see:value(P, re:run(S, P)) || P <- Patterns],
    see:value(captures, [re:run(S, "(?<a>q)(?<b>u)(?<c>X)?", [{capture, C, T}]) || C <- [all, all_but_first, first, none, [], [1], [2, 1, 0], [9], [a], ["b"], [<<"c">>], [nope], all_names], T <- [index, list, binary]]),
    see:value(dupnames, [re:run(X, "(?<d>Mon)|(?<d>Tue)|(?<e>Wed)", [dupnames, {capture, C, list}]) || X <- ["Mon", "Tue", "Wed"], C <- [all_names, [d], [d, e], all]]),
    see:value(offsets, [re:run("abcabc", "abc", [{offset, O}]) || O <- [0, 1, 3, 4, 6]]),
    see:value(flags, [re:run("aB\ncd\n", P, O) || {P, O} <- [{"ab", [caseless]}, {"^cd", [multiline]}, {"B.c", [dotall]}, {"d$", []}, {"d$", [dollar_endonly]}, {"a b", [extended]}, {"cd", [firstline]}, {"(a)(B)", [no_auto_capture]}, {".+", [ungreedy]}, {"a", [anchored]}, {"B", [anchored]}, {"x*", [notempty]}, {"x*", [notempty_atstart]}, {"^a", [notbol]}, {"\n$", [noteol]}, {"\\w+", [no_start_optimize]}]]),
    see:value(newlines, [re:run("a\rb\nc\r\nd", "^.", [global, multiline, {newline, N}]) || N <- [cr, lf, crlf, any, anycrlf]]),
    see:value(line_ends, [re:run("a\x{85}b\rc", "\\R", [O]) || O <- [bsr_anycrlf, bsr_unicode]]),
    see:value(later_newline, begin {ok, C} = re:compile("^b", [multiline]), [re:run("a\rb", C, [{newline, N}]) || N <- [cr, lf]] end),
    see:value(latin1, [re:run([16#e9, 16#c9, 32, 16#b5], P, O) || {P, O} <- [{"\\w+", []}, {[16#c9], []}, {[16#c9], [caseless]}, {"[[:upper:]]", []}, {"[[:lower:]]+", []}, {"\\W", []}, {"[\\x{e0}-\\x{ef}]", []}]]),
    see:value(unicode, [re:run("a\x{3bb}\x{39b}z", P, [unicode | O]) || {P, O} <- [{"\x{39b}", []}, {"\x{39b}", [caseless]}, {"\\w+", []}, {"\\w+", [ucp]}, {"\\p{Greek}+", []}, {"\\p{Lu}", [{capture, all, list}]}, {"\\X", []}, {".", [global, {capture, all, binary}]}, {"[^a]", [{capture, all, list}]}]]),
    see:value(global, [re:run("banana", P, [global | O]) || {P, O} <- [{"an", []}, {"a", [{capture, all, list}]}, {"x*", []}, {"(?=a)", []}, {"", []}, {"zz", []}, {"a|$", [{capture, first, binary}]}]]),
    see:value(global_unicode, [re:run(<<"\x{3bb}x\x{3bb}"/utf8>>, P, [global, unicode, {capture, all, list}]) || P <- ["", ".", "x?"]]),
    see:value(replace, [re:replace("one two one", P, R, [{return, list} | O]) || {P, R, O} <- [{"one", "1", []}, {"one", "1", [global]}, {"(o)(n)", "\\2\\1", [global]}, {"o", "<&>", [global]}, {"o", "\\&", []}, {"(?<x>t)", "\\g{1}!", []}, {"", "-", [global]}, {"o", "\\\\", []}, {"n", "", [global]}]]),
    see:value(split, [re:split("a1b22c", P, [{return, list} | O]) || {P, O} <- [{"\\d", []}, {"\\d+", []}, {"(\\d)", []}, {"(\\d)", [group]}, {"\\d", [{parts, 2}]}, {"", []}, {"c", []}, {"c", [trim]}, {"x", []}, {"a", [trim]}]]),
    see:value(split_unicode, re:split("a\x{3bb}b", "\x{3bb}", [unicode, {return, list}])),
    see:value(errors, [re:compile(P) || P <- ["(", ")", "[", "[a", "*", "+a", "?", "a**", "a{2,1}", "a{99999}", "\\", "\\c", "[b-a]", "[[:foo:]]", "[:alpha:]", "(?", "(?z)", "(?<", "(?<1a>x)", "(?<a>x)(?<a>y)", "(?P", "(?P=x)", "\\1", "(a)\\2", "(?1)", "(?R", "(?<=a*)b", "(?(1", "(?(1)a|b|c)", "\\x{110000}", "\\x{zz}", "\\p{Foo}", "\\pX", "\\g", "\\g0", "\\k", "\\k<", "(?C256)", "(*FOO)", "\\N{U+41}", "\\L", "[\\N]", "(?#", "\\o{8}", "\\o", "(?&x)", "[a\\]"]]),
    see:value(unicode_errors, [re:compile(P, [unicode]) || P <- [<<255>>, "\\x{d800}", "\\x{110000}", "\\p{Foo}"]]),
    see:value(reports, [re:run("aaaaaaaaaaaaaaaaaaaaaaaa", P, [report_errors | O]) || {P, O} <- [{"(", []}, {"a", []}, {"(a+)+$b", [{match_limit, 10}]}, {"(a+)*b", [{match_limit_recursion, 5}]}]]),
    see:value(limits, [re:run("aaaaaaaaaaaaaaaaaaaaaaaa", P, O) || {P, O} <- [{"(a+)+b", [{match_limit, 10}]}, {"a+", [{match_limit, 1}]}]]),
    {ok, {re_pattern, N, U, C2, _}} = re:compile("(a)(b)", [unicode, {newline, anycrlf}]),
    see:value(compiled, {N, U, C2}),
    {ok, RE} = re:compile("(?<x>a)(?<y>b)", []),
    see:value(inspect, [re:inspect(RE, namelist), re:run("xab", RE, [{capture, all_names, list}]), re:run(["x", <<"a">>, [$b]], RE)]),
    see:value(iodata, [re:run([<<"ab">>, [$c | <<"d">>]], ["b", <<"c">>])]),
    see:value(kept, re:run("foobar", "foo\\Kbar")),
    see:value(recursion, re:run("((a)(b))", "\\((?:[^()]|(?R))*\\)")),
    see:value(atomic_recursion, re:run("abcba", "^((.)(?1)\\2|.)$")),
    see:value(verbs, [re:run("aaab", P) || P <- ["a+(*FAIL)", "a+(*COMMIT)b", "a(*SKIP)b", "(*UTF8)a", "a(*PRUNE)b", "(*ACCEPT)x"]]),
    see:fails([fun() -> re:run(see:id(A), see:id(B), see:id(O)) end || {A, B, O} <- [{x, "a", []}, {"a", x, []}, {"a", "(", []}, {"a", "a", [foo]}, {"a", "a", foo}, {"a", "a", [{offset, -1}]}, {"a", "a", [{capture, x}]}, {"a", "a", [{capture, [-1]}]}, {"a", "a", [{capture, [1 bsl 40]}]}, {"a", "a", [{capture, all, foo}]}, {"a", "a", [{newline, x}]}, {"a", {re_pattern, 0, 0, 0, <<"junk">>}, []}, {"a", {re_pattern, 0, 0, 0}, []}, {[300], "a", []}, {<<255>>, "a", [unicode]}, {"a", "a", [{match_limit, x}]}]]),
    see:fails([fun() -> re:compile(see:id(A), see:id(O)) end || {A, O} <- [{x, []}, {"a", [global]}, {"a", [foo]}, {"a", foo}, {[300], []}, {<<1:1>>, []}]]),
    see:value(refused, [catch_reason(fun() -> re:inspect(RE, see:id(x)) end), catch_reason(fun() -> re:run("a", RE, [caseless]) end)]),
    see:fails([fun() -> re:inspect(see:id(a), namelist) end, fun() -> re:replace("a", "a", x) end, fun() -> re:split("a", "a", [x]) end]).

%% A compiled pattern's bytes are the machine's own affair.
catch_reason(Fun) -> try Fun() catch error:Reason -> Reason end.
