%% erl_scan and erl_parse: terms, expressions and functions read from text, evaluated and printed again.
-module(compute_scan_parse).
-export([run/0]).

run() -> loop(400, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Number = integer_to_list(N),
    {ok, Term} = term("{config, [{port, " ++ Number ++
        "}, {name, \"server\"}, {ratio, 2.5}, {path, <<\"/a/b\">>}], #{a => [1, 2, 3]}}."),
    {value, Value, _} = value("X = " ++ Number ++ ", Y = [Z * X || Z <- [1, 2, 3]], lists:sum(Y) + length(Y)."),
    Function = function("f(X, {a, B}) when X > " ++ Number ++
        " -> case B of [H | T] -> {H, f(X - 1, T)}; _ -> #{x => B} end; f(_, _) -> ok."),
    Text = lists:flatten(erl_pp:form(Function)),
    loop(N - 1, Sum + Value + length(Text) + erlang:phash2(Term, 1000)).

term(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    erl_parse:parse_term(Tokens).

value(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    erl_eval:exprs(Expressions, erl_eval:new_bindings()).

function(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Function} = erl_parse:parse_form(Tokens),
    Function.
