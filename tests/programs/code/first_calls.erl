%% Functions of a large module that are called first by many processes at once, while it is traced, loaded anew, purged,
%% and called so often that it changes its form.
-module(first_calls).
-export([main/0]).

-define(M, many_functions).
-define(FUNCTIONS, 300).

main() ->
    see:value(at_once, at_once()),
    see:value(all_of_them, all_of_them()),
    see:value(often, often()),
    see:value(traced, traced()),
    see:value(new_version, new_version()),
    see:value(errors, errors()),
    see:value(asleep, asleep()),
    see:value(deep, deep()),
    see:value(information, information()).

%% Eight processes call each function first; each of these calls two others of the module.
at_once() ->
    load(1),
    Work = fun(I) -> exit({done, lists:sum([call(N) || N <- shuffled(I)])}) end,
    Workers = [spawn_monitor(fun() -> Work(I) end) || I <- lists:seq(1, 8)],
    lists:usort([receive {'DOWN', Monitor, process, _, Reason} -> Reason end || {_, Monitor} <- Workers]).

shuffled(I) ->
    rand:seed(exsss, {I, I, I}),
    [N || {_, N} <- lists:sort([{rand:uniform(), N} || N <- lists:seq(1, ?FUNCTIONS)])].

%% More than an outline has room for.
all_of_them() ->
    load(2),
    lists:sum([call(N) || N <- lists:seq(?FUNCTIONS, 1, -1)]).

often() ->
    load(1),
    F = ?M:a_fun(5),
    G = fun ?M:f1/1,
    Before = [F(1), G(1)],
    _ = [call(7) || _ <- lists:seq(1, 3000)],
    erlang:yield(),
    timer:sleep(50),
    {Before, F(1), G(1), F =:= ?M:a_fun(5), G =:= fun ?M:f1/1, call(7), call(8)}.

%% Functions that have never been called.
traced() ->
    load(1),
    1 = erlang:trace(self(), true, [call, {tracer, collector()}]),
    Set = [erlang:trace_pattern({?M, N, 1}, [{'_', [], [{return_trace}]}], [local]) || N <- [f20, f21]],
    Called = [call(20), call(21)],
    1 = erlang:trace(self(), false, [call]),
    _ = erlang:trace_pattern({?M, '_', '_'}, false, [local]),
    {Set, Called, collected()}.

%% A process stays in the first version, and calls functions there that nobody has called.
new_version() ->
    load(1),
    Old = spawn(?M, loop, [self()]),
    Answers = [ask(Old, {call, N}) || N <- [30, 31]],
    load_beside(3),
    Local = ask(Old, {call, 32}),
    Soft = code:soft_purge(?M),
    Again = ask(Old, {call, 33}),
    New = call(33),
    Old ! stop,
    Monitor = monitor(process, Old),
    receive {'DOWN', Monitor, _, _, Reason} -> ok end,
    {Answers, Local, Soft, Again, New, Reason, code:soft_purge(?M)}.

errors() ->
    load(1),
    [try ?M:fails(How) catch Class:Reason:Trace -> {Class, Reason, hd(Trace)} end || How <- [1, badmatch, x]].

%% Where a process is that was stopped at the first instruction of a function.
asleep() ->
    load(1),
    Pid = spawn(?M, loop, [self()]),
    ok = ask(Pid, ready),
    {current_function, Where} = process_info(Pid, current_function),
    {current_location, {_, _, _, Location}} = process_info(Pid, current_location),
    exit(Pid, kill),
    {Where, lists:keyfind(line, 1, Location)}.

%% A function that calls itself, and on the way its module becomes one that is called often.
deep() ->
    load(1),
    Warm = fun() -> _ = [?M:f40(N) || N <- lists:seq(1, 3000)], timer:sleep(100) end,
    try ?M:deep(12, Warm) catch error:bottom:Trace -> [{F, A} || {?M, F, A, _} <- Trace] end.

information() ->
    load(1),
    Functions = ?M:module_info(functions),
    Exported = [erlang:function_exported(?M, Name, 1) || Name <- [f9, g]],
    {length(Functions), lists:nth(1, Functions), Exported,
     erlang:check_process_code(self(), ?M)}.

ask(Pid, Question) ->
    Pid ! {self(), Question},
    receive {Pid, Answer} -> Answer after 5000 -> nothing end.

call(N) -> ?M:(list_to_atom([$f | integer_to_list(N)]))(N).

collector() ->
    Parent = self(),
    spawn_link(fun() -> register(collector, self()), collect(Parent, []) end).

collect(Parent, Events) ->
    receive
        {get, Parent} -> Parent ! {collected, lists:reverse(Events)};
        Event -> collect(Parent, [setelement(2, Event, pid) | Events])
    end.

collected() ->
    timer:sleep(50),
    collector ! {get, self()},
    receive {collected, Events} -> Events end.

%% f1 to f300: each adds the results of two local functions to its version.
load(Version) ->
    code:purge(?M),
    _ = code:delete(?M),
    code:purge(?M),
    load_beside(Version).

%% What is there becomes old.
load_beside(Version) ->
    {module, ?M} = code:load_binary(?M, "many_functions.beam", beam(Version)).

beam(Version) ->
    case get({beam, Version}) of
        undefined ->
            Beam = compiled(Version),
            put({beam, Version}, Beam),
            Beam;
        Beam -> Beam
    end.

compiled(Version) ->
    Numbers = lists:seq(1, ?FUNCTIONS),
    Text = [
        ["-module(", atom_to_list(?M), ").\n-export([a_fun/1, loop/1, fails/1, deep/2"], [io_lib:format(", f~p/1", [N]) || N <- Numbers], "]).\n",
        io_lib:format("a_fun(A) -> fun(B) -> g(A) + B + ~p end.\n", [Version]),
        "loop(Parent) -> receive {Parent, {call, N}} -> Parent ! {self(), call(N)}, loop(Parent);\n"
        " {Parent, ready} -> Parent ! {self(), ok}, loop(Parent); stop -> done end.\n",
        "call(N) when N =:= 30 -> f30(N); call(31) -> f31(31); call(32) -> f32(32); call(33) -> f33(33).\n",
        "fails(1) -> {x, y} = g(1), ok;\nfails(badmatch) -> A = fails(2), B = A + 1, [B];\nfails(2) -> foo.\n",
        "deep(0, _) -> error(bottom);\ndeep(6, Warm) -> Warm(), [6 | deep(5, Warm)];\n"
        "deep(N, Warm) -> [N | deep(N - 1, Warm)].\n",
        "g(N) when N band 1 =:= 0 -> h(N, #{k => N, l => 123456789012345678901234567890});\ng(N) -> N + 1.\n",
        "h(N, #{k := K, l := L}) when is_integer(N), L > 1 bsl 70 -> K + byte_size(<<N:16, \"text\">>).\n",
        [io_lib:format("f~p(N) -> g(N) + h(N, #{k => N, l => 1 bsl 80}) + ~p + case N of ~p -> 1; _ -> lists:sum([N, 2]) end.\n",
                       [N, Version, N rem 7]) || N <- Numbers]
    ],
    Forms = forms(lists:flatten(Text), 1),
    {ok, ?M, Beam} = compile:forms(Forms, []),
    Beam.

forms(Text, Line) ->
    case erl_scan:tokens([], Text, Line) of
        {done, {ok, Tokens, Next}, Rest} ->
            {ok, Form} = erl_parse:parse_form(Tokens),
            [Form | forms(Rest, Next)];
        _ -> []
    end.
