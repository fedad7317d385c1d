%% Loading native libraries: what is wrong with one is told in stock's words; two versions of a module have a library
%% each, the newer takes over what the older had, and a library goes with its module.
%% needs: erl_nif.h
-module(loading).
-export([main/0]).

main() ->
    Here = filename:dirname(code:which(?MODULE)),
    true = register(told, self()),
    refused(filename:join(Here, "wrong")),
    versions([filename:join(Here, Version) || Version <- ["first", "second"]]),
    not_there(filename:join(Here, "wrong")).

refused(Folder) ->
    true = code:add_patha(Folder),
    [see:value(Name, plain(Folder, refused:load(Name)))
     || Name <- ["no_such_file", "no_entry", "other_name", "too_new", "too_old", "other_machine", "no_answer",
         "missing_symbol",
                 "no_function", "bad_flags", "twice", "undeclared", "refused.beam", ""]],
    see:that("bad path", fun() -> refused:load([$a, 0]) end),
    see:that("no path", fun() -> erlang:load_nif(path, 0) end),
    see:value("through apply", apply(erlang, load_nif, ["path", 0])),
    see:that("not loaded", fun refused:native/0),
    see:value("good", {refused:load("good"), refused:native(), refused:load("good"), refused:plain()}),
    see:value("functions", {refused:module_info(nifs), erlang:function_exported(refused, native, 0)}).

%% Texts of the system's loader name files of this machine.
plain(Folder, {error, {Reason, Text}}) -> {error, {Reason, lists:flatten(string:replace(Text, Folder, "FOLDER", all))}};
plain(_, Other) -> Other.

versions([First, Second]) ->
    use(First),
    see:value("as written", versioned:version()),
    see:value("refuses", {versioned:load(7), told(), versioned:version()}),
    see:value("agrees", {versioned:load(0), told(), versioned:version(), versioned:version()}),
    Object = versioned:object(),
    use(Second),
    see:value("new code without library", {versioned:which(), versioned:version()}),
    see:value("refuses to upgrade", {versioned:load(3), told(), versioned:version()}),
    see:value("upgrades", {versioned:load(0), told(), versioned:version()}),
    see:value("old one purged", {code:purge(versioned), told()}),
    _ = see:id(Object),
    see:value("object", begin true = garbage_collect(), told() end),
    Held = versioned:object(),
    see:value("deleted", {code:delete(versioned), told(), code:purge(versioned), told()}),
    see:value("held", is_reference(Held)),
    see:value("dropped", begin true = garbage_collect(), told() end),
    use(First),
    see:value("again", {versioned:load(0), told(), versioned:version()}),
    Pid = spawn(fun Loop() -> receive {From, version} -> From ! {self(), versioned:version()}, Loop() end end),
    Fun = fun versioned:version/0,
    Pid ! {self(), version},
    see:value("in a process", {receive {Pid, Version} -> Version end, Fun()}),
    see:value("end", {code:delete(versioned), code:purge(versioned), told()}),
    exit(Pid, kill).

use(Folder) ->
    {module, versioned} = code:load_abs(filename:join(Folder, "versioned")).

told() ->
    receive {What, Version, Number} -> [{What, Version, Number} | told()]
    after 300 -> []
    end.

%% A module whose `on_load' function fails is not there.
not_there(Folder) ->
    {ok, failing, Beam} = compile:forms([{attribute, 1, module, failing}, {attribute, 1, export, [{f, 0}]},
        {attribute, 1, on_load, {f, 0}},
        {function, 1, f, 0, [{clause, 1, [], [], [{call, 1, {remote, 1, {atom, 1, erlang}, {atom, 1, load_nif}},
            [{string, 1, filename:join(Folder, "good")}, {integer, 1, 0}]}]}]}]),
    ok = logger:set_primary_config(level, none),
    see:value("on_load", {code:load_binary(failing, "failing.beam", Beam), code:is_loaded(failing)}).
