%% Funs from external terms that say something else of a fun than its code does: with another arity, or with other
%% variables, before and after its module was loaded. The module's own funs stay what they are. (A fun with more
%% variables than its code expects is not called: stock runs the code nevertheless, and here it has none.)
-module(forged_funs).
-export([main/0]).

main() ->
    {ok, makes, Code} = compile:forms(forms(), [binary, deterministic]),
    load(Code),
    Own = makes:adds(5),
    Forms = forged(term_to_binary(Own)),
    unload(),
    %% These are read before there is code.
    Early = [{Name, read(B)} || {Name, B} <- Forms],
    see:value(early, [{Name, about(F)} || {Name, F} <- Early]),
    load(Code),
    Again = makes:adds(6),
    see:value(own, {Again(1), about(Again), is_function(Again, 1), is_function(Again, 2)}),
    see:value(kept, {(see:id(Own))(2), about(Own)}),
    see:value(early_now, [{Name, about(F)} || {Name, F} <- Early]),
    see:value(early_called, [{Name, F(7)} || {Name, F} <- Early, Name =:= same]),
    Late = [{Name, read(B)} || {Name, B} <- Forms],
    see:value(late, [{Name, about(F)} || {Name, F} <- Late]),
    see:value(equal, [F =:= G || {{_, F}, {_, G}} <- lists:zip(Early, Late)]),
    see:value(late_called, [{Name, F(7)} || {Name, F} <- Late, Name =:= same]),
    see:value(wrong_arity, [try F(7) catch error:{badarity, {_, [7]}} -> badarity end || {more_arguments, F} <- Early ++
        Late]),
    garbage_collect(),
    see:value(own_again, {Again(3), (makes:adds(1))(1), Own =:= read(term_to_binary(Own))}),
    unload(),
    see:value(unloaded, [try F(1) catch error:R -> R end || {same, F} <- [{same, Own}, {same, Again} | Early ++ Late]]).

about(F) ->
    Variables = length(element(2, erlang:fun_info(F, env))),
    [erlang:fun_info(F, I) || I <- [arity, new_index, index, type]] ++ [erlang:fun_info(F, name) || Variables =:= 1] ++
        [Variables].

%% The same fun, and with other facts. A pid takes the place of the creator, whose length is not known here.
forged(<<131, $p, _:32, 1, Unique:16/binary, Index:32, 1:32, Rest/binary>>) ->
    Fun = fun(Arity, Free, End) ->
        Body = <<Arity, Unique/binary, Index:32, Free:32, End/binary>>,
        <<131, $p, (byte_size(Body) + 4):32, Body/binary>>
    end,
    [{same, Fun(1, 1, Rest)}, {more_arguments, Fun(2, 1, Rest)}, {more_variables, Fun(1, 2, <<Rest/binary, $a, 77>>)}].

read(Binary) -> binary_to_term(Binary).

load(Code) -> {module, makes} = code:load_binary(makes, "makes", Code).
unload() -> code:purge(makes), code:delete(makes), code:purge(makes).

forms() ->
    [begin {ok, Tokens, _} = erl_scan:string(Line), {ok, Form} = erl_parse:parse_form(Tokens), Form end
     || Line <- ["-module(makes).", "-export([adds/1]).", "adds(N) -> fun(X) -> {X, N} end."]].
