%% A file whose types are wrong: it says that operands are small integers, and they are anything.
%% differs: stock believes a file and computes with the words of pointers; what is expected is the same arithmetic by
%% `erl_eval`.
-module(lying_types).
-export([main/0]).

main() ->
    Values = [0, -7, (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 59, -(1 bsl 64) - 1, 1 bsl 200, 1.5, a, [], [1], {1, 2},
        <<"ab">>, #{}],
    % From OTP 29 on annotations stand before the functions.
    Code = case list_to_integer(erlang:system_info(otp_release)) >= 29 of
        true -> erlang:insert_element(4, code(), #{});
        false -> code()
    end,
    {ok, Beam} = beam_asm:module(Code, [], [], []),
    {module, lies} = code:load_binary(lies, "", Beam),
    [begin
         Found = {answer(lies, sums, Arguments), answer(lies, order, Arguments)},
         Expected = {answer(?MODULE, sums, Arguments), answer(?MODULE, order, Arguments)},
         io:format("~0p: ~0p~n", [Arguments, Found =:= Expected])
     end || A <- Values, B <- Values, Arguments <- [[A, B]]],
    ok.

answer(?MODULE, sums, [A, B]) -> evaluated("((A + 1) band B) * 31 - A.", A, B);
answer(?MODULE, order, [A, B]) -> evaluated("if A < B -> A + B; true -> less_not end.", A, B);
answer(Module, Function, Arguments) ->
    try apply(Module, Function, Arguments)
    catch Class:Reason -> {Class, Reason}
    end.

evaluated(Text, A, B) ->
    {ok, Tokens, _} = erl_scan:string(Text),
    {ok, Expressions} = erl_parse:parse_exprs(Tokens),
    try erl_eval:exprs(Expressions, #{'A' => A, 'B' => B}) of
        {value, Value, _} -> Value
    catch Class:Reason -> {Class, Reason}
    end.

code() ->
    [A, B, C] = [{tr, {x, N}, {t_integer, {1, 7}}} || N <- [0, 1, 2]],
    {lies, [{sums, 2}, {order, 2}], [],
     [{function, sums, 2, 2,
       [{label, 1}, {func_info, {atom, lies}, {atom, sums}, 2}, {label, 2},
        {gc_bif, '+', {f, 0}, 2, [A, {integer, 1}], {x, 2}}, {gc_bif, 'band', {f, 0}, 3, [C, B], {x, 2}},
        {gc_bif, '*', {f, 0}, 3, [C, {integer, 31}], {x, 2}}, {gc_bif, '-', {f, 0}, 3, [C, A], {x, 0}}, return]},
      {function, order, 2, 4,
       [{label, 3}, {func_info, {atom, lies}, {atom, order}, 2}, {label, 4},
        {test, is_lt, {f, 5}, [A, B]}, {gc_bif, '+', {f, 0}, 2, [A, B], {x, 0}}, return,
        {label, 5}, {move, {atom, less_not}, {x, 0}}, return]}], 6}.
