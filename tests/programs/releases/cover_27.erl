%% The tool `cover', which has the machine count from OTP 27 on: compiled from source and from code, analysed at all
%% levels, exported, imported, reset, and modules that are loaded anew meanwhile. Many schedulers count at the same
%% lines, and no count is lost.
%% releases: 27 29
%% needs: tools compiler
%% timeout: 60
-module(cover_27).
-export([main/0]).

main() ->
    write(covered_one, one()),
    write(covered_two, two()),
    {ok, Pid} = cover:start(),
    % It tells of imported files by their whole paths.
    true = group_leader(spawn_link(fun silent/0), Pid),
    see:value(started, {is_pid(Pid), cover:start() =:= {error, {already_started, Pid}}}),
    see:value(compiled, cover:compile(covered_one, [{d, 'X', 1}])),
    {ok, covered_two} = compile:file(covered_two, [debug_info]),
    see:value(beam, {cover:compile_beam(covered_two), cover:compile_beam(no_such_module)}),
    see:value(is_compiled, {shown(cover:is_compiled(covered_one)), shown(cover:is_compiled(covered_two)),
        cover:is_compiled(lists), lists:sort(cover:modules())}),
    see:value(mode, [{M, code:get_coverage_mode(M), code:which(M)} || M <- [covered_one, covered_two]]),
    analysed(nothing_ran),
    run(),
    analysed(ran),
    run(),
    see:value(again, cover:analyse(covered_one, calls, function)),
    see:value(exported, cover:export("data.coverdata")),
    see:value(exported, cover:export("two.coverdata", covered_two)),
    see:value(reset, {cover:reset(covered_one), cover:analyse(covered_one, calls, line),
        cover:analyse(covered_two, calls, module)}),
    see:value(reset, {cover:reset(), cover:analyse([covered_one, covered_two], coverage, module)}),
    run(),
    see:value(imported, {cover:import("data.coverdata"), [filename:basename(F) || F <- cover:imported()],
        cover:imported_modules()}),
    see:value(sum, cover:analyse(covered_one, calls, line)),
    see:value(two, {cover:import("two.coverdata"), cover:analyse(covered_two, calls, clause)}),
    to_file(),
    loaded_anew(),
    busy(),
    see:value(flushed, {cover:flush(nodes()), cover:stop(), cover:modules()}),
    see:value(after_stop, [{M, code:is_loaded(M) =:= false orelse code:get_coverage_mode(M)}
        || M <- [covered_one, covered_two]]),
    see:fails([fun() -> cover:analyse(covered_one) end, fun() -> cover:analyse(foo, calls, bar) end]),
    local_only().

%% The process that collects is not shown.
shown({file, File}) -> {file, filename:basename(File)}.

silent() ->
    receive {io_request, From, As, _} -> From ! {io_reply, As, ok}, silent() end.

write(Module, Source) ->
    ok = file:write_file(atom_to_list(Module) ++ ".erl", Source).

one() ->
    "-module(covered_one).\n-ifdef(X).\n-export([never/0]).\n-endif.\n-export([start/1, odd/1, loop/2, sum/1, pick/1, work/2]).\n\n"
    "start(N) ->\n    L = lists:seq(1, N),\n    sum([X\n         || X <- L,\n            odd(X)]).\n\n"
    "odd(X) when X rem 2 =:= 1 -> true;\nodd(_) -> false.\n\n"
    "sum([X | Xs]) ->\n    X + sum(Xs);\nsum([]) -> 0.\n\n"
    "loop(0, A) ->\n    A;\nloop(N, A) ->\n    B = A + N * 3,\n    C = B rem 7,\n    loop(N - 1, A + C).\n\n"
    "pick(X) -> case X of a -> 1; b -> 2; _ -> 3 end.\n\n"
    "-ifdef(X).\nnever() ->\n    never.\n-endif.\n\n"
    "work(0, _) -> ok;\nwork(N, S) ->\n    T = step(S),\n    work(N - 1, T).\n\nstep(S) ->\n    S + 1.\n".

two() ->
    "-module(covered_two).\n-export([server/0, ask/2, fails/1, andalso_orelse/3, bits/1, ask/3]).\n"
    "server() ->\n    receive\n        {From, double, X} ->\n            From ! {self(), X * 2},\n            server();\n"
    "        {From, F, X} when is_function(F) ->\n            From ! {self(), try F(X)\n                           catch _:_ -> failed\n                           end},\n"
    "            server();\n        stop ->\n            stopped\n    after 60000 ->\n        late\n    end.\n\n"
    "ask(Pid, X) ->\n    ask(Pid, double, X).\nask(Pid, What, X) ->\n    Pid ! {self(), What, X},\n    receive {Pid, Y} -> Y end.\n\n"
    "fails(X) ->\n    try\n        {ok, 10 div X}\n    catch\n        error:badarith ->\n            zero;\n        error:_ when is_atom(X) ->\n            atom\n    after\n"
    "        put(fails, X)\n    end.\n\n"
    "andalso_orelse(A, B, C) ->\n    A andalso\n        (B orelse\n         C).\n\nbits(B) ->\n    << <<(X + 1)>> || <<X>> <= B, X > 1 >>.\n".

run() ->
    25 = covered_one:start(10),
    _ = covered_one:loop(100, 0),
    [1, 3, 3] = [covered_one:pick(X) || X <- [a, c, d]],
    Pid = spawn(covered_two, server, []),
    [4, 6] = [covered_two:ask(Pid, X) || X <- [2, 3]],
    failed = covered_two:ask(Pid, fun(X) -> hd(X) end, []),
    b = covered_two:ask(Pid, fun(X) -> X end, b),
    Pid ! stop,
    {ok, 5} = covered_two:fails(2),
    zero = covered_two:fails(0),
    false = covered_two:andalso_orelse(true, false, false),
    <<3, 4>> = covered_two:bits(<<2, 1, 3>>),
    ok.

analysed(When) ->
    [see:value({When, Module, Analysis, Level}, cover:analyse(Module, Analysis, Level))
     || Module <- [covered_one, covered_two], Analysis <- [coverage, calls], Level <- [module, function, clause, line]],
    see:value({When, all}, lists:sort(element(2, cover:analyse(coverage, function)))),
    see:value({When, default}, cover:analyse(covered_one)).

to_file() ->
    see:value(to_file, cover:analyse_to_file(covered_two, "two.out", [])),
    {ok, Out} = file:read_file("two.out"),
    io:format("~ts", [hidden(Out)]),
    see:value(all, lists:sort([filename:basename(F)
        || {ok, F} <- tuple_to_list(list_to_tuple([cover:analyse_to_file(M, [{outdir, "."}])
        || M <- [covered_one, covered_two]]))])),
    see:value(html, case cover:analyse_to_file(covered_one, "one.html", [html]) of {ok, F} -> {ok, Html} =
        file:read_file(F), length(string:split(Html, "miss", all)) end).

%% Without the date in the heading.
hidden(Out) ->
    re:replace(Out, "COVER [^\n]*\n", "COVER\n", []).

%% What a module has counted is lost to `cover' when another version is loaded.
loaded_anew() ->
    cover:reset(),
    see:value(ran, {covered_one:sum([1, 2]), cover:analyse(covered_one, calls, function)}),
    {ok, covered_one, Code} = compile:file(covered_one, [binary, debug_info]),
    code:purge(covered_one),
    see:value(loaded, {code:load_binary(covered_one, "covered_one.erl", Code), code:get_coverage_mode(covered_one),
        shown_if(cover:is_compiled(covered_one))}),
    see:that(not_counted, fun() -> cover:analyse(covered_one, calls, module) end),
    see:value(compiled_anew, {cover:compile(covered_one), covered_one:sum([1, 2, 3]),
        cover:analyse(covered_one, calls, function)}),
    % The old version goes on counting, for itself.
    Pid = spawn_link(covered_two, server, []),
    4 = covered_two:ask(Pid, 2),
    see:value(compiled_while_old, {cover:compile_beam(covered_two), covered_two:ask(Pid, 3),
        cover:analyse(covered_two, calls, function)}),
    see:value(old, erlang:check_old_code(covered_two)),
    unlink(Pid),
    Pid ! stop.

shown_if(false) -> false;
shown_if(File) -> shown(File).

busy() ->
    cover:reset(),
    N = 20_000,
    Workers = [spawn_monitor(fun() -> covered_one:work(N, I) end) || I <- lists:seq(1, 8)],
    [receive {'DOWN', Monitor, process, Pid, normal} -> ok end || {Pid, Monitor} <- Workers],
    see:value(busy, [{Line, Calls} || {{covered_one, Line}, Calls} <- element(2,
        cover:analyse(covered_one, calls, line)), Calls > 0]),
    see:value(functions, cover:analyse(covered_one, calls, function)).

%% Without a process that collects.
local_only() ->
    cover:stop(),
    {ok, _} = cover:start(),
    see:value(local_only, {cover:local_only(), cover:compile_beam(covered_two), covered_two:fails(0),
        cover:analyse(covered_two, calls, function)}),
    see:value(no_nodes, cover:start(['nowhere@localhost'])),
    see:value(stopped, cover:stop()).
