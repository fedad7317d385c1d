%% Modules are called by several processes at once from their first call on, until they have been called thousands of
%% times; some functions are traced meanwhile, and each module is replaced, purged and deleted as soon as its callers
%% are done. A machine that makes better code of what is called often does so in the middle of all that.
-module(warming).
-export([main/0]).

-define(MODULES, 40).
-define(CALLERS, 6).
-define(ROUNDS, 3000).

main() ->
    Results = [rounds(number_of(N)) || N <- lists:seq(1, ?MODULES)],
    io:format("~p results, all alike: ~p~n", [length(Results), length(lists:usort(Results)) =:= 1]),
    io:format("~p~n", [hd(Results)]).

number_of(N) ->
    list_to_atom("warming_" ++ integer_to_list(N)).

rounds(Module) ->
    load(Module, 1),
    First = together(Module),
    %% A process waits in the old code while the new is called.
    Old = spawn_monitor(fun() -> exit(Module:wait()) end),
    load(Module, 2),
    Second = together(Module),
    {Pid, Monitor} = Old,
    Pid ! {self(), go},
    Ended = receive {'DOWN', Monitor, process, Pid, Reason} -> Reason end,
    code:purge(Module),
    true = code:delete(Module),
    code:purge(Module),
    Gone = try Module:sum(1) catch error:undef -> undef end,
    {First, Second, Ended, Gone}.

load(Module, Version) ->
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "none", compiled(Module, Version)).

%% The processes start at the same time; every third module is traced for a while.
together(Module) ->
    Callers = [spawn_monitor(fun() -> receive go -> exit({done, called(Module, ?ROUNDS, 0)}) end end)
               || _ <- lists:seq(1, ?CALLERS)],
    [Pid ! go || {Pid, _} <- Callers],
    Counted = case erlang:phash2(Module, 3) of
        0 ->
            erlang:trace_pattern({Module, '_', '_'}, true, [call_count]),
            erlang:trace_pattern({Module, kind, 1}, [{'_', [], []}], [local]),
            wait_for_calls(Module),
            erlang:trace_pattern({Module, '_', '_'}, false, [local]),
            erlang:trace_pattern({Module, '_', '_'}, false, [call_count]),
            true;
        _ ->
            true
    end,
    Sums = [receive {'DOWN', Monitor, process, Pid, Result} -> Result end || {Pid, Monitor} <- Callers],
    {Counted, lists:usort(Sums)}.

%% Some of the callers may be done by then.
wait_for_calls(Module) ->
    Module:kind(7),
    {call_count, Count} = erlang:trace_info({Module, kind, 1}, call_count),
    true = Count > 0.

called(_, 0, Sum) ->
    Sum;
called(Module, N, Sum) ->
    Kind = Module:kind(N rem 23),
    Value = Module:sum(N rem 7),
    Failed = try Module:fails(N) catch error:{odd, _} -> 1 end,
    called(Module, N - 1, Sum + value(Kind) + Value + Failed).

value(Kind) when is_atom(Kind) -> length(atom_to_list(Kind));
value(Kind) -> Kind.

%% With a jump table, a search, a loop, funs, exceptions, binaries and floats.
compiled(Module, Version) ->
    Clauses = [io_lib:format("kind(~p) -> ~p;~n", [N, N * N + Version]) || N <- lists:seq(0, 15)],
    Named = [io_lib:format("named(~p) -> ~p;~n", [list_to_atom("name" ++ integer_to_list(N)), N])
             || N <- lists:seq(0, 12)],
    Text = lists:flatten([
        "-module(", atom_to_list(Module), ").\n",
        "-export([kind/1, sum/1, fails/1, wait/0]).\n",
        Clauses, "kind(N) -> named(list_to_existing_atom(\"name\" ++ integer_to_list(N rem 13))).\n",
        Named, "named(_) -> none.\n",
        "sum(N) -> F = fun(X) -> X + N end, lists:sum([F(X) || X <- lists:seq(1, N)]) + bits(<<N:16, 7:3>>, N * 1.5).\n",
        "bits(<<A:16, B:3>>, F) when F >= 0.0 -> A * B + trunc(F + 0.5).\n",
        "fails(N) when N rem 2 =:= 1 -> error({odd, N});\n",
        "fails(N) -> case N rem 4 of 0 -> 2; 2 -> loop(3, 0) end.\n",
        "loop(0, Sum) -> Sum;\n",
        "loop(N, Sum) -> loop(N - 1, Sum + N).\n",
        "wait() -> receive {_, go} -> {version, kind(3), sum(2)} end.\n"]),
    _ = [list_to_atom("name" ++ integer_to_list(N)) || N <- lists:seq(0, 12)],
    Forms = forms(Text, 1),
    {ok, Module, Binary} = compile:forms(Forms, []),
    Binary.

forms(Text, Line) ->
    case erl_scan:tokens([], Text, Line) of
        {done, {ok, Tokens, Next}, Rest} ->
            {ok, Form} = erl_parse:parse_form(Tokens),
            [Form | forms(Rest, Next)];
        {more, _} ->
            []
    end.
