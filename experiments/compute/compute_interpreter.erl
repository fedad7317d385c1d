%% A small interpreter: expression trees evaluated in an environment, and a bytecode machine.
-module(compute_interpreter).
-export([run/0]).

run() ->
    Loop = {while, {'<', {var, i}, {num, 60000}},
            {seq, {set, i, {'+', {var, i}, {num, 1}}},
             {set, sum, {'+', {var, sum}, {'if', {'<', {num, 500}, {var, i}}, {var, i}, {num, 3}}}}}},
    #{sum := Sum} = exec(Loop, #{i => 0, sum => 0}),
    {Sum, machine(list_to_tuple([{push, 0}, {push, 200000}, dup, {jump_zero, 8}, dec, swap, inc,
                                 {swap_jump, 2}, drop, halt]), 1, [])}.

exec({seq, A, B}, Env) -> exec(B, exec(A, Env));
exec({set, Name, E}, Env) -> Env#{Name => eval(E, Env)};
exec({while, Condition, Body} = Loop, Env) ->
    case eval(Condition, Env) of
        true -> exec(Loop, exec(Body, Env));
        false -> Env
    end.

eval({num, N}, _) -> N;
eval({var, Name}, Env) -> maps:get(Name, Env);
eval({'+', A, B}, Env) -> eval(A, Env) + eval(B, Env);
eval({'-', A, B}, Env) -> eval(A, Env) - eval(B, Env);
eval({'<', A, B}, Env) -> eval(A, Env) < eval(B, Env);
eval({'if', C, A, B}, Env) ->
    case eval(C, Env) of
        true -> eval(A, Env);
        false -> eval(B, Env)
    end.

machine(Code, PC, Stack) ->
    case {element(PC, Code), Stack} of
        {{push, N}, _} -> machine(Code, PC + 1, [N | Stack]);
        {dup, [X | _]} -> machine(Code, PC + 1, [X | Stack]);
        {{jump_zero, To}, [0 | Rest]} -> machine(Code, To + 1, Rest);
        {{jump_zero, _}, [_ | Rest]} -> machine(Code, PC + 1, Rest);
        {dec, [X | Rest]} -> machine(Code, PC + 1, [X - 1 | Rest]);
        {inc, [X | Rest]} -> machine(Code, PC + 1, [X + 1 | Rest]);
        {swap, [X, Y | Rest]} -> machine(Code, PC + 1, [Y, X | Rest]);
        {{swap_jump, To}, [X, Y | Rest]} -> machine(Code, To + 1, [Y, X | Rest]);
        {drop, [_ | Rest]} -> machine(Code, PC + 1, Rest);
        {halt, _} -> Stack
    end.
