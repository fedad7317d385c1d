%% erl_scan, erl_parse, erl_eval, erl_pp: text to terms and values, and back.
-module(parsing_and_evaluating).
-export([main/0]).

main() ->
    [see:value(S, eval(S)) || S <- ["1 + 2 * 3.", "[X * X || X <- lists:seq(1, 5)].", "fun(A) -> A + 1 end(5).",
        "case {a, 1} of {a, N} when N > 0 -> N; _ -> no end.", "#{a => 1, b => [2]}.",
    "begin X = 1, Y = X + 1, {X, Y} end.",
       "<<1, 2:16, \"abc\">>.", "try throw(x) catch throw:T -> {caught, T} end.", "if 1 > 2 -> a; true -> b end.",
       "lists:map(fun F(0) -> zero; F(M) -> M end, [0, 1]).", "<< <<X>> || X <- [1, 2] >>.", "\"str\" ++ \"ing\".",
       "catch 1/0 == x.", "receive after 0 -> timeout end.", "16#ff bsl 3.", "$a + 1.", "not true or false.",
       "{a, 'B c', \"λ\", <<\"b\">>, 1.5e3, -7}."]],
    see:value(scan, [element(2, erl_scan:string(S)) || S <- ["foo(Bar) -> 'b z', \"s\", 1.0, $x, 2#101.",
        "% comment\n a"]]),
    see:value(scan_error, [erl_scan:string("'unterminated"), erl_scan:string("16#g")]),
    see:value(parse_error, begin {ok, T, _} = erl_scan:string("a b."), erl_parse:parse_exprs(T) end),
    see:value(form, begin {ok, T2, _} = erl_scan:string("f(X) when X > 1 -> [X | g(X)]; f(_) -> []."),
        {ok, F} = erl_parse:parse_form(T2), lists:flatten(erl_pp:form(F)) end),
    see:value(terms, [term(S) || S <- ["{a, [1, 2], \"s\"}.", "#{k => <<1>>}.", "[]."]]),
    see:value(abstract, [erl_parse:abstract(T3) || T3 <- [a, 1, "s", {x, [y]}, <<1>>]]),
    see:value(normalise, erl_parse:normalise(erl_parse:abstract({a, [1.5, "x", #{k => v}]}))),
    see:value(bindings, begin {value, V, B} = erl_eval:exprs(parse("Z = X + 1, Z * 2."), [{'X', 20}]),
        {V, lists:sort(B)} end),
    see:value(errors, [try eval(S) catch C:R -> {C, R} end || S <- ["1 + a.", "undefined_fun(1).", "{X, 1} = {2, 3}.",
        "case 1 of 2 -> x end.", "Unbound."]]),
    see:value(fun_value, (eval("fun(X, Y) -> X * Y end."))(6, 7)),
    see:value(consult, begin ok = file:write_file("terms.txt", "{a, 1}.\n[b, \"c\"].\n% end\n"),
        file:consult("terms.txt") end),
    see:value(script, begin ok = file:write_file("script.txt", "X = 5,\nX * 2.\n"), file:script("script.txt") end).

parse(S) -> {ok, T, _} = erl_scan:string(S), {ok, E} = erl_parse:parse_exprs(T), E.
eval(S) -> {value, V, _} = erl_eval:exprs(parse(S), []), V.
term(S) -> {ok, T, _} = erl_scan:string(S), {ok, X} = erl_parse:parse_term(T), X.
