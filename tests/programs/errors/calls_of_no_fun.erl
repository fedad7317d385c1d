%% Calls of what is not a fun, or of a fun with other arguments: a call that is not the last one has its caller twice in
%% the trace.
-module(calls_of_no_fun).
-export([main/0, call/2, last/2, behind_a_frame/2, in_try/2, in_catch/2, in_after/2, applied/2, applied_last/2,
    applied_in_try/2,
         by_name/2, by_name_last/2, in_fun/2]).

main() ->
    logger:set_primary_config(level, none),
    Called = [{other_arity, fun(a) -> ok end}, {number, 12}, {atom, lists}, {tuple, {lists, map}}, {list, "x"},
              {external, fun lists:map/1}, {no_function, fun lists:no_such/2}, {gone, gone()}],
    [show({How, Name}, fun() -> ?MODULE:How(Fun, [b, c]) end)
     || How <- [call, last, behind_a_frame, in_try, in_catch, in_after, applied, applied_last, applied_in_try, by_name,
         by_name_last, in_fun],
        {Name, Fun} <- Called],
    [show({How, Name}, fun() -> ?MODULE:How(Fun, [b | c]) end)
     || How <- [applied, applied_last, applied_in_try, by_name, by_name_last], {Name, Fun} <- Called],
    [show({many, How}, fun() -> ?MODULE:How(fun() -> ok end, lists:duplicate(300, x)) end)
        || How <- [applied, applied_last]],
    show(known_to_the_compiler, fun() -> Fun = fun(a) -> ok end, X = Fun(b, c), {X} end),
    show(in_library, fun() -> lists:sort(see:id(fun() -> ok end), [1, 2]) end),
    show(deep, fun() -> deep(20) end),
    [show_end({spawned, How, Name}, spawn_monitor(fun() -> ?MODULE:How(Fun, [b, c]) end))
     || How <- [call, last, applied, applied_last], {Name, Fun} <- Called],
    [show_end({apply, Arguments}, spawn_monitor(erlang, apply, Arguments))
     || Arguments <- [[fun(a) -> ok end, []], [fun lists:map/2, [b | c]], [gone(), [1]], [x, []], [x, [], []],
         [x, y, z]]],
    show_end(spawned_gone, spawn_monitor(gone_without_arguments())),
    show_end(spawned_no_function, spawn_monitor(fun lists:no_such/0)).

call(Fun, [A, B]) ->
    X = Fun(A, B),
    {X}.

last(Fun, [A, B]) -> Fun(A, B).

behind_a_frame(Fun, [A, B]) ->
    see:id(Fun),
    Fun(A, B).

in_try(Fun, [A, B]) ->
    try Fun(A, B) of
        X -> {X}
    catch
        throw:_ -> thrown
    end.

in_catch(Fun, [A, B]) ->
    case catch Fun(A, B) of
        {'EXIT', {Reason, Trace}} -> erlang:raise(error, Reason, Trace);
        X -> X
    end.

in_after(Fun, [A, B]) ->
    try
        Fun(A, B)
    after
        see:id(A)
    end.

applied(Fun, As) ->
    X = apply(Fun, As),
    {X}.

applied_last(Fun, As) -> apply(Fun, As).

applied_in_try(Fun, As) ->
    try apply(Fun, As) of
        X -> {X}
    catch
        throw:_ -> thrown
    end.

by_name(Fun, As) ->
    X = apply(see:id(erlang), see:id(apply), [Fun, As]),
    {X}.

by_name_last(Fun, As) -> apply(see:id(erlang), see:id(apply), [Fun, As]).

in_fun(Fun, [A, B]) ->
    Inner = fun(X) -> {Fun(A, X)} end,
    {Inner(B)}.

deep(0) -> {(see:id(no_fun))()};
deep(N) -> [deep(N - 1) | N].

%% Funs of a module whose current code does not have them.
gone() -> gone([{var, 1, 'X'}, {var, 1, 'Y'}]).

gone_without_arguments() -> gone([]).

gone(Arguments) ->
    load(Arguments, 1),
    Fun = calls_of_no_fun_gone:f(),
    load(Arguments, 2),
    true = code:soft_purge(calls_of_no_fun_gone),
    Fun.

load(Arguments, Value) ->
    Clause = {clause, 1, Arguments, [], [{integer, 1, Value}]},
    Forms = [{attribute, 1, module, calls_of_no_fun_gone}, {attribute, 1, export, [{f, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [{'fun', 1, {clauses, [Clause]}}]}]}],
    {ok, Module, Code} = compile:forms(Forms, []),
    code:purge(Module),
    {module, Module} = code:load_binary(Module, "none", Code).

show(Label, Fun) ->
    try Fun() of
        X -> see:value(Label, X)
    catch
        Class:Reason:Trace ->
            see:value(Label, {Class, reason(Reason), [{M, F, shown(A), L} || {M, F, A, L} <- upto(Trace)]})
    end.

upto(Trace) -> lists:takewhile(fun(Frame) -> element(1, Frame) =:= ?MODULE orelse element(1, Frame) =:= erlang end,
    Trace).

show_end(Label, {_, Monitor}) ->
    receive
        {'DOWN', Monitor, process, _, {Reason, Trace}} ->
            see:value(shown(Label), {reason(Reason), [{M, F, shown(A), L} || {M, F, A, L} <- Trace]})
    end.

%% Funs print with a number that depends on the release.
reason({badarity, {_, Arguments}}) -> {badarity, Arguments};
reason({badfun, Fun}) when is_function(Fun) -> {badfun, a_fun};
reason(Reason) -> Reason.

shown([Item | Rest]) -> [shown(Item) | shown(Rest)];
shown(Tuple) when is_tuple(Tuple) -> list_to_tuple(shown(tuple_to_list(Tuple)));
shown(Fun) when is_function(Fun) -> a_fun;
shown(Other) -> Other.
