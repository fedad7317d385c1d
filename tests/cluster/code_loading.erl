%% Code across nodes: loaded by rpc and by c:nl, called there, funs of versions that differ, modules that only one node
%% has.
%% timeout: 20
-module(code_loading).
-export([main/1]).

main([B]) ->
    First = compiled(first),
    Second = compiled(second),
    see:value("only there", [rpc:call(B, code, load_binary, [made, "made.beam", First]), rpc:call(B, made, version, []),
                             code:is_loaded(made), catch made:version()] -- [x]),
    Fun = rpc:call(B, made, function, []),
    see:value("a fun of theirs", [cluster:plain(Fun), erlang:fun_info(Fun, arity), erlang:fun_info(Fun, module),
        erlang:fun_info(Fun, env),
                                  rpc:call(B, erlang, apply, [Fun, [1]])]),
    cluster:that("called here", fun() -> Fun(1) end),
    see:value("sent on", [Fun =:= cluster:on(B, fun() -> Fun end), binary_to_term(term_to_binary(Fun)) =:= Fun]),
    {module, made} = code:load_binary(made, "made.beam", Second),
    cluster:that("another version here", fun() -> Fun(1) end),
    see:value("both", [made:version(), rpc:call(B, made, version, [])]),
    {module, made} = rpc:call(B, code, load_binary, [made, "made.beam", Second]),
    see:value("old fun there", [rpc:call(B, erlang, apply, [Fun, [2]]), rpc:call(B, erlang, check_old_code, [made])]),
    see:value("new fun here", begin New = rpc:call(B, made, function, []), New(3) end),
    see:value("purged there", [rpc:call(B, code, purge, [made]), rpc:call(B, made, version, [])]),
    network_load(B),
    everywhere(B).

compiled(Version) ->
    Forms = [{attribute, 1, module, made}, {attribute, 1, export, [{version, 0}, {function, 0}]},
             {function, 1, version, 0, [{clause, 1, [], [], [{atom, 1, Version}]}]},
             {function, 2, function, 0, [{clause, 2, [], [],
                [{match, 2, {var, 2, 'V'}, {call, 2, {atom, 2, version}, []}},
                 {'fun', 2, {clauses, [{clause, 2, [{var, 2, 'X'}], [],
                     [{tuple, 2, [{var, 2, 'X'}, {var, 2, 'V'}, {atom, 2, Version}]}]}]}}]}]}],
    {ok, made, Binary} = compile:forms(Forms, [deterministic]),
    Binary.

%% c:nl/1 loads a module on all nodes from the file here.
network_load(B) ->
    ok = file:write_file("nl_made.beam",
        element(3, compile:forms([{attribute, 1, module, nl_made}, {attribute, 1, export, [{f, 0}]},
        {function, 1, f, 0, [{clause, 1, [], [], [{call, 1, {atom, 1, node}, []}]}]}], []))),
    true = code:add_patha("."),
    see:value("nl", [c:nl(nl_made), nl_made:f(), rpc:call(B, nl_made, f, [])]),
    cluster:that("nl of nothing", fun() -> c:nl(not_there) end).

everywhere(B) ->
    see:value("versions", length(lists:usort([rpc:call(Node, lists, module_info, [md5]) || Node <- [node(), B]]))),
    see:value("which", [rpc:call(B, code, which, [made]), rpc:call(B, code, is_loaded, [?MODULE]) =/= false]),
    see:value("deleted", [rpc:call(B, code, delete, [made]), rpc:call(B, code, purge, [made]),
        rpc:call(B, erlang, function_exported, [made, version, 0])]).
