%% The compiler on the machine itself: forms to modules, loaded and replaced under running processes.
%% timeout: 90
%% releases: 25 27
-module(compiling).
-export([main/0]).

main() ->
    see:value(forms, begin {ok, made, B} = compile:forms(forms(1)), {module, made} = code:load_binary(made, "made", B),
        made:f(10) end),
    Me = self(), P = spawn(fun() -> made:loop(Me) end),
    see:value(running, ask(P)),
    see:value(replaced, begin {ok, made, B2} = compile:forms(forms(2)), {module, made} = code:load_binary(made, "made",
        B2), {made:f(10), ask(P)} end),
    P ! upgrade, see:value(upgraded, ask(P)),
    see:value(purged, [code:purge(made), is_process_alive(P)]),
    see:value(many, [begin {ok, made, B3} = compile:forms(forms(N)), {module, made} = code:load_binary(made, "made",
        B3), V = made:f(1), code:purge(made), V end || N <- lists:seq(3, 12)]),
    see:value(errors, begin {error, [{_, [{_, erl_lint, E}]}], _} =
        compile:forms(parse("-module(bad).\n-export([f/0]).\nf() -> X.\n"), [return]), E end),
    see:value(warnings, begin {ok, _, _, W} = compile:forms(parse("-module(w).\n-export([f/1]).\nf(X) -> Y = 1, ok.\n"),
        [return]), [R || {_, L} <- W, {_, _, R} <- L] end),
    see:value(options, [begin {ok, opt, B4} = compile:forms(source(), O), code:load_binary(opt, "opt", B4), opt:run()
        end || O <- [[], [inline], [no_ssa_opt], [no_copt], [older()], [no_type_opt, no_bsm_opt],
    [debug_info, deterministic], [{inline, [{g, 1}]}]]]),
    see:value(file, begin ok = file:write_file("from_file.erl",
        "-module(from_file).\n-export([v/0]).\n-include_lib(\"kernel/include/file.hrl\").\nv() -> {#file_info.size, ?LINE, ?MODULE}.\n"), {ok, from_file} = compile:file("from_file", [{i, "."}]), code:add_patha("."), from_file:v() end),
    see:value(core, begin {ok, opt, Core} = compile:forms(source(), [to_core]), element(1, Core) end),
    see:value(asm, begin {ok, opt, Asm} = compile:forms(source(), ['S']), is_tuple(Asm) end),
    see:value(shell_funs,
        begin {ok, T, _} = erl_scan:string("fun(X) -> lists:map(fun(Y) -> Y * X end, [1, 2, 3]) end."),
        {ok, E5} = erl_parse:parse_exprs(T), {value, F, _} = erl_eval:exprs(E5, []), F(5) end),
    see:value(deterministic, begin {ok, opt, X1} = compile:forms(source(), [deterministic]),
        {ok, opt, X2} = compile:forms(source(), [deterministic]), X1 =:= X2 end),
    see:value(big_module, begin {ok, large, B6} = compile:forms(large(300)), {module, large} = code:load_binary(large,
        "large", B6), lists:sum([large:(list_to_atom("f" ++ integer_to_list(N)))(N) || N <- lists:seq(1, 300)]) end).

%% The option for code that an older release can load.
older() ->
    case erlang:system_info(otp_release) of
        "25" -> r23;
        _ -> r25
    end.

forms(V) ->
    parse(lists:flatten(io_lib:format("-module(made).\n-export([f/1, loop/1]).\nf(X) -> {version, ~b, X * ~b}.\nloop(To) -> receive ask -> To ! {answer, ~b}, loop(To); upgrade -> ?MODULE:loop(To) end.\n", [V, V, V]))).

source() ->
    parse("-module(opt).\n-export([run/0]).\nrun() -> {g(3), h([1, 2, 3], 0), b(<<1, 2, 3, 4>>), t(), m(#{a => 1})}.\ng(X) -> X * X + 1.\nh([], S) -> S;\nh([X | T], S) when is_integer(X) -> h(T, S + g(X)).\n"
          "b(<<A:16, B/binary>>) -> {A, B, << <<(X + 1)>> || <<X>> <= B >>}.\nt() -> try error(x) catch error:R:S -> {R, length(S) > 0} after ok end.\nm(#{a := V} = M) -> M#{b => V + 1, c => [V || V > 0]}.\n").

large(N) ->
    parse(lists:flatten(["-module(large).\n-compile(export_all).\n",
        [io_lib:format("f~b(X) when X > 0 -> Y = X + ~b, case Y of ~b -> {Y}; _ -> Y end.\n", [K, K, K * 3])
        || K <- lists:seq(1, N)]])).

parse(Text) -> split(erl_scan:string(Text)).
split({ok, Tokens, _}) -> forms_of(replace(Tokens), []).
replace(Ts) -> macros(Ts).
macros([{'?', L}, {var, _, 'MODULE'} | T]) -> [{atom, L, made} | macros(T)];
macros([H | T]) -> [H | macros(T)];
macros([]) -> [].
forms_of([], []) -> [];
forms_of([{dot, _} = D | T], Acc) -> {ok, F} = erl_parse:parse_form(lists:reverse([D | Acc])), [F | forms_of(T, [])];
forms_of([H | T], Acc) -> forms_of(T, [H | Acc]).

ask(P) -> P ! ask, receive {answer, V} -> V after 5000 -> none end.
