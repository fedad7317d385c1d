%% While a purge withholds funs, whoever loads or deletes code is suspended until it is over (from OTP 26 on); tracing
%% goes on. A purge of code without funs, or whose funs belong to a newer version, stops nobody.
%% releases: 27 29
-module(load_while_purged_27).
-export([main/0, change/1]).

main() ->
    [{module, M} = code:ensure_loaded(M) || M <- [apart, see, lists, erl_eval, io_lib, erts_internal]],
    see:all([{calls, fun() -> calls() end}, {without_funs, fun() -> without_funs() end}, {newer, fun() -> newer() end},
             {code_server, fun() -> code_server() end}, {killed, fun() -> killed() end},
             {aborted, fun() -> aborted() end}]).

%% Everything that changes code, while the old code's funs are withheld.
calls() ->
    load(other, []),
    One = prepared(one, [lambda]), Other = prepared(another, []), Bin = binary(third, []),
    deleted(one, [lambda]),
    Ref = start(one, hard),
    Waiting = [{Label, changing(Fun)}
               || {Label, Fun} <- [{one, fun() -> erlang:finish_loading([One]) end},
                   {another, fun() -> erlang:finish_loading([Other]) end},
                                   {nothing, fun() -> erlang:finish_loading([]) end},
                                   {bad, fun() -> erlang:finish_loading(see:id([x])) end},
                                   {delete, fun() -> erlang:delete_module(other) end},
                                   {delete_unknown, fun() -> erlang:delete_module(nosuch) end},
                                   {after_on_load, fun() -> erlang:finish_after_on_load(nosuch, true) end}]],
    Meanwhile = [{Label, result(changing(Fun))}
                 || {Label, Fun} <- [{no_name, fun() -> erlang:delete_module(see:id(1)) end},
                                     {trace, fun() -> erlang:trace_pattern({lists, seq, 2}, true, [local]) end},
                                     {untrace, fun() -> erlang:trace_pattern({lists, seq, 2}, false, [local]) end},
                                     {prepare, fun() -> is_reference(erlang:prepare_loading(third, Bin)) end},
                                     {load_nif, fun() -> element(1, erlang:load_nif("nosuch", 0)) end},
                                     {old, fun() -> erlang:check_old_code(one) end}]],
    Before = [{Label, status(Change), process_info(element(1, Change), current_function)}
        || {Label, Change} <- Waiting],
    Loaded = [erlang:module_loaded(M) || M <- [one, another, other]],
    step(Ref),
    Checked = lists:usort([status(Change) || {_, Change} <- Waiting]),
    Completed = complete(Ref),
    {Meanwhile, Before, Loaded, Checked, Completed, [{Label, result(Change)} || {Label, Change} <- Waiting],
     [{erlang:module_loaded(M), erlang:check_old_code(M)} || M <- [one, another, other]], (one:lambda())(1)}.

%% A purge of a version without funs.
without_funs() ->
    deleted(two, []),
    Prepared = prepared(two, []),
    Ref = start(two, hard),
    Change = changing(fun() -> erlang:finish_loading([Prepared]) end),
    Result = result(Change),
    step(Ref),
    {Result, complete(Ref), erlang:check_old_code(two)}.

%% The funs belong to the same version, which is current again.
newer() ->
    load(three, [lambda]), load(three, [lambda]),
    Prepared = prepared(other, []),
    Ref = start(three, hard),
    Result = result(changing(fun() -> erlang:finish_loading([Prepared]) end)),
    step(Ref),
    {Result, complete(Ref), (three:lambda())(2)}.

%% The code server waits like anybody else, and whoever asks it.
code_server() ->
    deleted(four, [lambda]),
    Binary = binary(five, []),
    Ref = start(four, hard),
    {Pid, Watch} = spawn_monitor(fun() -> exit({result, code:load_binary(five, "five", Binary)}) end),
    Server = [status({Name, []}) || Name <- [whereis(code_server)]],
    step(Ref),
    Completed = complete(Ref),
    {Server, Completed, result({Pid, Watch}), five:name()}.

%% Whoever waits can be killed, and the others go on.
killed() ->
    deleted(six, [lambda]),
    Prepared = prepared(six, [lambda]),
    Ref = start(six, hard),
    First = changing(fun() -> erlang:finish_loading([Prepared]) end),
    Second = changing(fun() -> erlang:finish_loading([Prepared]) end),
    Seen = [status(First), status(Second)],
    exit(element(1, First), kill),
    Killed = result(First),
    step(Ref),
    {Seen, Killed, complete(Ref), result(Second)}.

%% A soft purge is aborted, since a process runs the code: then the funs can be called, and the code is loaded beside
%% it.
aborted() ->
    load(seven, [lambda, waits]),
    Fun = seven:lambda(),
    Runner = spawn(fun() -> seven:waits(), ok end),
    apart:wait(fun() -> process_info(Runner, status) end, {status, waiting}, 400),
    erlang:delete_module(seven),
    Prepared = prepared(seven, [lambda, waits]),
    Ref = start(seven, soft),
    Change = changing(fun() -> erlang:finish_loading([Prepared]) end),
    Seen = status(Change),
    step(Ref),
    Completed = complete(Ref),
    Result = result(Change),
    Runner ! stop,
    {Seen, Completed, Result, Fun(3), erlang:check_old_code(seven)}.

changing(Fun) -> spawn_monitor(?MODULE, change, [Fun]).

change(Fun) -> exit({result, try Fun() catch error:Reason -> {error, Reason} end}).

%% The status of a process that is to be suspended, once it is.
status({Pid, _}) -> apart:wait(fun() -> process_info(Pid, status) end, {status, suspended}, 400).

result({Pid, Watch}) ->
    receive {'DOWN', Watch, process, Pid, Result} -> Result end.

deleted(Name, Functions) ->
    load(Name, Functions),
    true = erlang:delete_module(Name).

load(Name, Functions) ->
    code:purge(Name),
    {module, Name} = code:load_binary(Name, atom_to_list(Name), binary(Name, Functions)).

prepared(Name, Functions) -> erlang:prepare_loading(Name, binary(Name, Functions)).

binary(Name, Functions) ->
    Text = ["-module(" ++ atom_to_list(Name) ++ ").", "-export([name/0, lambda/0, waits/0]).",
        "name() -> " ++ atom_to_list(Name) ++ ".",
            "lambda() -> " ++ case lists:member(lambda, Functions) of true -> "fun(X) -> {lambda, X} end.";
                false -> "none." end,
            "waits() -> receive stop -> ok end."],
    {ok, Name, Binary} = compile:forms([form(Line) || Line <- Text]),
    Binary.

form(Line) ->
    {ok, Tokens, _} = erl_scan:string(Line),
    {ok, Form} = erl_parse:parse_form(Tokens),
    Form.

start(Module, Kind) ->
    Ref = make_ref(),
    erts_code_purger ! {test_purge, Module, self(), Kind =:= hard, Ref},
    receive {started, Ref} -> Ref end.

%% Lets the purger check all processes.
step(Ref) ->
    erts_code_purger ! {continue, Ref},
    receive {continued, Ref} -> ok end.

complete(Ref) ->
    erts_code_purger ! {complete, Ref},
    receive {test_purge, Result, Ref} -> Result end.
