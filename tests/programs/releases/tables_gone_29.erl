%% Modules that lack a table which their code needs: what is known of lines, where there are breakpoints at lines, and
%% the native records that it makes. They are refused; what the code does not need may be gone.
%% releases: 29
%% needs: compiler
%% args: +D
-module(tables_gone_29).
-export([main/0]).

main() ->
    attempt("DbgB", [beam_debug_info], "go() -> ok.\n"),
    attempt("Recs", [], "-record #empty{}.\ngo() -> #empty{}.\n"),
    attempt("Recs", [], "-record #pair{a, b = 2}.\ngo() -> #pair{a = 1}.\n"),
    attempt("Recs", [], "-record #pair{a, b = 2}.\ngo() -> {#lists:pair{a = 1}, is_record(#{}, pair)}.\n"),
    attempt("Line", [], "go() -> ok.\n"),
    erl_debugger:toggle_instrumentations(#{line_breakpoint => false}),
    attempt("DbgB", [beam_debug_info], "go() -> ok.\n"),
    attempt("Recs", [], "-record #empty{}.\ngo() -> #empty{}.\n"),
    attempt("Recs", [], "-record #empty{}.\ngo() -> 1.\nmake() -> #empty{}.\n").

attempt(Table, Options, Text) ->
    {ok, Tokens, _} = erl_scan:string("-module(lacking).\n-compile(export_all).\n" ++ Text),
    {ok, lacking, Whole} = compile:forms(forms(Tokens), [binary | Options]),
    {ok, lacking, Tables} = beam_lib:all_chunks(Whole),
    {ok, Without} = beam_lib:build_module(lists:keydelete(Table, 1, Tables)),
    see:value({Table, Text}, [prepared(Whole), prepared(Without)]).

prepared(Binary) ->
    case erlang:prepare_loading(lacking, Binary) of
        {error, Why} -> Why;
        Code when is_reference(Code) -> prepared
    end.

forms([]) -> [];
forms(Tokens) ->
    {Form, [Dot | Rest]} = lists:splitwith(fun(Token) -> element(1, Token) =/= dot end, Tokens),
    {ok, Parsed} = erl_parse:parse_form(Form ++ [Dot]),
    [Parsed | forms(Rest)].
