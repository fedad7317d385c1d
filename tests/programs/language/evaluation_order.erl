%% The order in which things are evaluated, seen by their side effects.
-module(evaluation_order).
-export([main/0]).

main() ->
    see:value(tuple, {s(1), s(2), s(3)}), seen(),
    see:value(list, [s(1), s(2) | s(3)]), seen(),
    see:value(call, f(s(1), s(2), s(3))), seen(),
    see:value(operator, s(1) + s(2) * s(3)), seen(),
    see:value(map, #{s(k) => s(v), s(l) => s(w)}), seen(),
    see:value(binary, <<(s(1)), (s(2)):(s(8))>>), seen(),
    see:value(nested, f(s(1), f(s(2), s(3), s(4)), s(5))), seen(),
    see:value(short, s(false) andalso s(true)), seen(),
    see:value(strict, s(false) and s(true)), seen(),
    see:value(comprehension, [s(X) || X <- [s(1), s(2)], s(true)]), seen(),
    see:value(dynamic, (s(lists)):(s(reverse))(s([1, 2]))), seen(),
    see:value(failing, try {s(1), throw(stop), s(2)} catch T -> {thrown, T} end), seen(),
    see:value(update, (s(#{a => 1}))#{a := s(2)}), seen(),
    see:value(fun_call, (s(fun(X) -> s(X) end))(s(1))), seen(),
    see:value(send, begin s(self()) ! s(message) end), seen(), receive M -> see:value(got, M) end.

f(A, B, C) -> s({A, B, C}).

s(X) ->
    Shown = if is_pid(X) -> pid; is_function(X) -> a_fun; true -> X end,
    put(seen, [Shown | case get(seen) of undefined -> []; L -> L end]), X.

seen() -> see:value(seen, lists:reverse(erase(seen))).
