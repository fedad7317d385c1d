%% Native coverage, by the functions of `code': modes, what each tells of functions and lines, what is refused, and code
%% that is loaded anew, deleted, purged, current beside old.
%% releases: 27 29
%% needs: compiler
-module(coverage_27).
-export([main/0]).

main() ->
    see:value(at_first, {code:coverage_support(), code:get_coverage_mode(), code:get_coverage_mode(?MODULE),
        code:get_coverage_mode(erlang), code:get_coverage_mode(lists)}),
    modes(),
    refused(),
    Plain = compiled([]),
    Lines = compiled([line_coverage]),
    Forced = compiled([line_coverage, force_line_counters]),
    Debug = compiled([beam_debug_info]),
    Both = compiled([beam_debug_info, line_coverage]),
    NoOpt = compiled([line_coverage, no_copt, no_bool_opt, no_ssa_opt]),
    Inlined = compiled([line_coverage, inline, {inline, [{pair, 2}, {first, 1}]}]),
    [one(What, Mode, Code) || {What, Code} <- [{plain, Plain}, {lines, Lines}, {forced, Forced}, {debug, Debug},
        {both, Both}, {not_optimised, NoOpt}, {inlined, Inlined}],
                              Mode <- [none, function, function_counters, line, line_counters]],
    without_lines(),
    traces(Plain, Lines),
    versions(Lines),
    loads(),
    funs_and_stubs(),
    positions().

modes() ->
    All = [none, function, function_counters, line, line_counters],
    see:value(set, [{A, B, code:set_coverage_mode(A), code:set_coverage_mode(B), code:get_coverage_mode()} || A <- All,
        B <- All]),
    code:set_coverage_mode(none).

refused() ->
    see:all([{{mode, M}, fun() -> code:set_coverage_mode(M) end} || M <- [true, false, off, "line", 1, [], undefined,
        cover_id_line]]),
    see:all([{{F, Arguments}, fun() -> apply(code, F, Arguments) end}
             || {F, Arguments} <- [{get_coverage_mode, [not_loaded]}, {get_coverage_mode, [1]},
                 {get_coverage_mode, ["lists"]},
                                   {get_coverage, [function, not_loaded]}, {get_coverage, [function, 1]},
                                   {get_coverage, [line, lists]},
                                   {get_coverage, [function, lists]}, {get_coverage, [cover_id_line, lists]},
                                   {get_coverage, [foo, lists]},
                                   {get_coverage, [1, lists]}, {get_coverage, [lists, function]},
                                   {get_coverage, [line, not_loaded]},
                                   {reset_coverage, [not_loaded]}, {reset_coverage, [1]}, {reset_coverage, [lists]}]]),
    [io:format("~ts~n", [explained(F, Arguments)]) || {F, Arguments} <- [{get_coverage_mode, [not_loaded]},
        {get_coverage_mode, [1]}, {get_coverage, [function, lists]},
        {get_coverage, [x, lists]}, {get_coverage, [x, 1]}, {get_coverage, [line, not_loaded]}, {reset_coverage, [1]},
        {reset_coverage, [lists]}, {reset_coverage, [not_loaded]},
        {set_coverage_mode, [x]}, {set_coverage_mode, [1]}]].

explained(F, Arguments) ->
    try apply(code, F, Arguments)
    catch error:Reason:Stack ->
        lists:sublist(string:split(erl_error:format_exception(error, Reason, lists:sublist(Stack, 1)), "\n", all), 5)
    end.

%% What is known of the module, loaded in a mode: before anything has run, then, and when it was reset.
one(What, Mode, Code) ->
    load(Mode, Code),
    io:format("~n~w in mode ~w: ~w~n", [What, Mode, code:get_coverage_mode(subject)]),
    told(loaded),
    run(),
    told(ran),
    run(),
    told(again),
    see:that(reset, fun() -> code:reset_coverage(subject) end),
    told(reset),
    subject:first([x]),
    told(first),
    unload(subject).

load(Mode, Code) ->
    Before = code:set_coverage_mode(Mode),
    {module, subject} = code:load_binary(subject, "subject.beam", Code),
    Mode = code:set_coverage_mode(Before).

unload(Module) ->
    code:purge(Module),
    code:delete(Module),
    code:purge(Module).

told(When) ->
    see:all([{{When, Level}, fun() -> code:get_coverage(Level, subject) end}
        || Level <- [function, line, cover_id_line]]).

run() ->
    {1, [2, 3]} = subject:pair(1, [2, 3]),
    1 = subject:first([1, 2]),
    none = subject:first([]),
    [2, 4] = subject:doubled([1, 2, 3, 4]),
    [{a, 1}] = subject:matched(#{a => 1}),
    {caught, {badmatch, 2}} = subject:tried(2),
    {ok, 1} = subject:tried(1),
    {'EXIT', {{case_clause, 7}, _}} = catch subject:choice(7),
    b = subject:choice(2),
    same = subject:one_line(2),
    other = subject:one_line(3),
    got = subject:received(fun() -> self() ! {m, got} end),
    late = subject:received(fun() -> ok end),
    [120] = [subject:factorial(5)],
    N = subject:sums(1 bsl 58, 5),
    N = (1 bsl 58) * 8 + 20,
    {4, 3} = {subject:sums(0, 1), subject:sums2(1, 2)},
    true = subject:both(1, 2),
    false = subject:both(1, 0),
    6 = subject:closed([1, 2, 3]),
    <<2, 1>> = subject:bits(<<1, 2>>),
    3.5 = subject:floats(1.5, 2.0),
    included = subject:of_include(1),
    ok.

compiled(Options) ->
    ok = file:write_file("subject.hrl", "of_include(1) ->\n    included;\nof_include(_) ->\n    not_reached.\n"),
    ok = file:write_file("subject.erl", source()),
    {ok, subject, Code} = compile:file("subject.erl", [binary, deterministic | Options]),
    Code.

source() ->
    "-module(subject).\n"
    "-export([pair/2, first/1, doubled/1, matched/1, tried/1, choice/1, one_line/1, received/1]).\n"
    "-export([factorial/1, sums/2, sums2/2, both/2, closed/1, bits/1, floats/2, of_include/1, raised/1, never/0]).\n"
    "-define(LATER(X), begin X, X end).\n"
    "-include(\"subject.hrl\").\n"
    "pair(A, B) ->\n"
    "    {A, B}.\n"
    "first([X | _]) ->\n"
    "    X;\n"
    "first([]) ->\n"
    "    none.\n"
    "doubled(L) ->\n"
    "    [X * 2\n"
    "     || X <- L,\n"
    "        X < 3].\n"
    "matched(M) ->\n"
    "    [{K, V} || K := V <- M].\n"
    "tried(X) ->\n"
    "    try\n"
    "        1 = X,\n"
    "        {ok, X}\n"
    "    catch\n"
    "        error:{badmatch, Y} ->\n"
    "            {caught, {badmatch, Y}};\n"
    "        throw:Z ->\n"
    "            Z\n"
    "    after\n"
    "        later(X)\n"
    "    end.\n"
    "later(_) -> ok.\n"
    "choice(X) ->\n"
    "    case X of\n"
    "        1 ->\n"
    "            a;\n"
    "        2 -> b\n"
    "    end.\n"
    "one_line(1) -> first; one_line(2) -> same; one_line(_) -> other.\n"
    "received(F) ->\n"
    "    F(),\n"
    "    receive\n"
    "        {m, X} ->\n"
    "            X\n"
    "    after 0 ->\n"
    "        late\n"
    "    end.\n"
    "factorial(0) ->\n"
    "    1;\n"
    "factorial(N) when N > 0 ->\n"
    "    N * factorial(N - 1).\n"
    "sums(A, B) when is_integer(A), is_integer(B) ->\n"
    "    X = A + A + B,\n"
    "    Y = X + X + B,\n"
    "    ?LATER(Y),\n"
    "    Z = Y + Y\n"
    "        - B - B,\n"
    "    Z.\n"
    "sums2(A, B)\n"
    "  when A < B ->\n"
    "    C = A + B, D = C - A,\n"
    "    D + A.\n"
    "both(A, B) ->\n"
    "    A > 0 andalso\n"
    "        B > 0.\n"
    "closed(L) ->\n"
    "    F = fun(X, Sum) ->\n"
    "            X + Sum\n"
    "        end,\n"
    "    G = fun Count([]) -> 0;\n"
    "            Count([_ | T]) ->\n"
    "                1 + Count(T)\n"
    "        end,\n"
    "    G(L),\n"
    "    lists:foldl(F, 0, L).\n"
    "bits(<<A, B>>) ->\n"
    "    <<B,\n"
    "      A>>.\n"
    "floats(A, B) ->\n"
    "    C = A + B,\n"
    "    if\n"
    "        C > 100 -> big;\n"
    "        true -> C\n"
    "    end.\n"
    "raised(X) ->\n"
    "    Y = {X},\n"
    "    Z = {Y,\n"
    "         atom_to_list(X)},\n"
    "    case Z of\n"
    "        {_, \"a\"} ->\n"
    "            error({X,\n"
    "                   a});\n"
    "        {_, \"b\"} ->\n"
    "            hd(X),\n"
    "            ok;\n"
    "        {_, \"c\"} ->\n"
    "            [] = Z,\n"
    "            pair(1, 2);\n"
    "        {_, \"d\"} ->\n"
    "            raised(\n"
    "              1)\n"
    "    end.\n"
    "never() ->\n"
    "    ok.\n".

%% A file without lines, and one without any function that is called.
without_lines() ->
    {ok, subject, NoInfo} = compile:file("subject.erl", [binary, line_coverage, no_line_info]),
    Forms = [{attribute, 0, module, subject}, {attribute, 0, export, [{f, 1}]},
             {function, 0, f, 1, [{clause, 0, [{integer, 0, 1}], [], [{call, 0, {atom, 0, f}, [{integer, 0, 2}]}]},
                 {clause, 0, [{var, 0, '_'}], [], [{atom, 0, ok}]}]}],
    {ok, subject, NoLine} = compile:forms(Forms, [line_coverage]),
    {ok, subject, Empty} = compile:forms([hd(Forms)], [line_coverage, force_line_counters]),
    [begin
         load(Mode, Code),
         see:value({What, Mode}, code:get_coverage_mode(subject)),
         see:that(ran, fun() -> subject:f(1) end),
         see:that(pair, fun() -> subject:pair(1, 2) end),
         told(ran),
         unload(subject)
     end || {What, Code} <- [{no_line_info, NoInfo}, {no_line, NoLine}, {empty, Empty}],
     Mode <- [none, function_counters, line, line_counters]].

%% Lines in stack traces are the same whatever is counted.
traces(Plain, Lines) ->
    [begin
         load(Mode, Code),
         see:all([{{raised, What, Mode, X}, fun() -> subject:raised(X) end} || X <- [a, b, c, d, e, 1]]),
         see:that({clause, What, Mode}, fun() -> subject:first(see:id(x)) end),
         see:that({sums, What, Mode}, fun() -> subject:sums2(x, y) end),
         unload(subject)
     end || {What, Code} <- [{plain, Plain}, {lines, Lines}], Mode <- [none, function, line, line_counters]].

%% What is asked is the current version; the old one counts on for itself.
versions(Lines) ->
    load(line_counters, Lines),
    Loop = fun Loop() -> receive {go, From} -> From ! {went, subject:factorial(3)}, Loop() end end,
    Pid = spawn_link(Loop),
    F = fun subject:first/1,
    Went = fun() -> Pid ! {go, self()}, receive {went, N} -> N end end,
    see:value(went, Went()),
    Count = fun(Line) -> [N || {L, N} <- code:get_coverage(line, subject), L =:= Line] end,
    see:value(factorial, [Count(L) || L <- [47, 49]]),
    load(line_counters, Lines),
    see:value(loaded_again, [Count(L) || L <- [47, 49]]),
    see:value(went, {Went(), F([1]), [Count(L) || L <- [8, 9, 47, 49]]}),
    see:value(old, {erlang:check_old_code(subject), code:soft_purge(subject)}),
    load(none, Lines),
    see:that(none, fun() -> code:get_coverage(line, subject) end),
    see:value(mode, code:get_coverage_mode(subject)),
    code:purge(subject),
    see:value(deleted, code:delete(subject)),
    see:that(mode, fun() -> code:get_coverage_mode(subject) end),
    told(deleted),
    see:that(reset, fun() -> code:reset_coverage(subject) end),
    code:purge(subject),
    unlink(Pid), exit(Pid, kill),
    % Code that is prepared in a mode has it when it is finished later.
    code:set_coverage_mode(function_counters),
    Prepared = erlang:prepare_loading(subject, Lines),
    code:set_coverage_mode(none),
    ok = erlang:finish_loading([Prepared]),
    see:value(prepared, {code:get_coverage_mode(subject), subject:pair(1, 2),
        lists:keyfind({pair, 2}, 1, code:get_coverage(function, subject))}),
    unload(subject).

%% An on_load function counts, also while it runs and when it fails.
loads() ->
    Source = "-module(subject).\n-export([asked/0]).\n-on_load(init/0).\n"
             "init() ->\n    whereis(coverage) ! {told, catch code:get_coverage_mode(?MODULE)},\n    helper(),\n    persistent_term:get(loads).\n"
             "helper() ->\n    [ok\n     || _ <- [1, 2]].\n"
             "asked() ->\n    1.\n",
    ok = file:write_file("subject.erl", Source),
    {ok, subject, Code} = compile:file("subject.erl", [binary, line_coverage]),
    register(coverage, self()),
    [begin
         persistent_term:put(loads, Answer),
         Before = code:set_coverage_mode(Mode),
         see:value({on_load, Mode, Answer}, case code:load_binary(subject, "", Code) of {error, _} = E -> E;
             Other -> Other end),
         code:set_coverage_mode(Before),
         receive {told, {'EXIT', {Reason, _}}} -> see:value(meanwhile, Reason); {told, M} -> see:value(meanwhile, M)
             end,
         told(loaded)
     end || Mode <- [function, function_counters, line_counters], Answer <- [ok, failed]],
    unregister(coverage),
    unload(subject).

%% Functions that are BIFs, NIFs or made by the compiler.
funs_and_stubs() ->
    code:set_coverage_mode(function_counters),
    c_load(lists), c_load(queue), c_load(binary), c_load(maps),
    code:set_coverage_mode(none),
    lists:foreach(fun(_) -> ok end, [1, 2]), lists:reverse([1]), lists:keyfind(1, 1, []), lists:seq(1, 3),
    maps:keys(#{}), maps:from_keys([], 1), binary:at(<<1>>, 0),
    queue:in(1, queue:new()),
    Named = fun(Module, Names) -> [{Name, if N > 0 -> some; true -> 0 end}
        || {{F, A} = Name, N} <- code:get_coverage(function, Module), lists:member(Name, Names), is_atom(F),
    is_integer(A)] end,
    see:value(lists, Named(lists, [{reverse, 2}, {keyfind, 3}, {member, 2}, {seq, 2}, {foldr, 3}, {zip3, 3}])),
    see:value(maps, Named(maps, [{keys, 1}, {from_keys, 2}, {fold, 3}, {get, 2}])),
    see:value(binary, Named(binary, [{at, 2}, {copy, 2}, {encode_unsigned, 1}])),
    see:value(queue, code:get_coverage(function, queue)),
    see:value(none_of_information, [F || M <- [lists, queue, binary, maps],
        {{module_info, _} = F, _} <- code:get_coverage(function, M)]),
    see:value(names, [length(code:get_coverage(function, M)) =:= length(M:module_info(functions)) - 2
        || M <- [lists, queue, binary, maps]]),
    [c_load(M) || M <- [lists, queue, binary, maps]],
    see:value(back, [code:get_coverage_mode(M) || M <- [lists, queue, binary, maps]]).

c_load(Module) ->
    {ok, Code, _} = erl_prim_loader:get_file(code:where_is_file(atom_to_list(Module) ++ ".beam")),
    code:purge(Module),
    true = code:unstick_dir(filename:dirname(code:where_is_file(atom_to_list(Module) ++ ".beam"))) =/= error,
    {module, Module} = code:load_binary(Module, "", Code).

%% Lines of more than one file, and clauses that share one.
positions() ->
    Source = "-module(subject).\n-export([f/1, g/1, h/1, i/1, j/1, k/1, l/1]).\n"
             "f(1) -> a; f(2) -> b; f(X) -> g(X). g(1) -> c; g(X) -> {X}.\n"
             "h(X) -> case X of 1 -> f(X); 2 -> g(X); 3 -> f(\n X) end. i(X) -> {f(X), [g(Y) || Y <- [X, X]], fun(Z) -> Z end(X)}.\n"
             "-file(\"other.erl\", 3).\nj(X) -> f(X).\n-file(\"other.erl\", 3).\n\nk(X) -> g(X).\n"
             "-file(\"other.erl\", 20000000).\nl(X) -> g(X).\n",
    ok = file:write_file("subject.erl", Source),
    {ok, subject, Code} = compile:file("subject.erl", [binary, line_coverage]),
    [begin
         load(Mode, Code),
         told(loaded),
         [subject:F(X) || {F, X} <- [{f, 1}, {f, 2}, {f, 3}, {g, 1}, {g, 5}, {h, 1}, {h, 2}, {h, 3}, {i, 4}, {j, 1},
             {k, 1}, {l, 1}]],
         told(ran),
         unload(subject)
     end || Mode <- [line, line_counters, function_counters]].
