%% Stack traces of exceptions that are raised again by raise/3 without having been looked at, and by `after`.
-module(raised_again).
-export([main/0, v/1]).

main() ->
    [show(Number, Self) || Number <- lists:seq(1, 19), Self <- [called, caught, dies]].

show(Number, called) ->
    try v(Number) catch Class:Reason:Stack -> see:value({Number, Class, plain(Reason)}, plain(first(Stack))) end;
show(Number, caught) ->
    case catch v(Number) of
        {'EXIT', {Reason, Stack}} -> see:value({Number, caught, plain(Reason)}, plain(first(Stack)));
        Other -> see:value({Number, caught}, plain(Other))
    end;
show(Number, dies) ->
    logger:set_primary_config(level, none),
    {Pid, Monitor} = spawn_monitor(?MODULE, v, [Number]),
    receive
        {'DOWN', Monitor, process, Pid, {Reason, Stack}} -> see:value({Number, dies, plain(Reason)},
            plain(first(Stack)));
        {'DOWN', Monitor, process, Pid, Other} -> see:value({Number, dies}, plain(Other))
    end.

%% The place where it was raised, without lines of libraries.
first([{M, F, A, Location} | _]) ->
    {M, F, A, [Item || {Key, _} = Item <- Location, M =:= ?MODULE orelse Key =/= line]};
first(Other) ->
    Other.

plain(Term) when is_function(Term) -> a_fun;
plain(Term) when is_tuple(Term) -> list_to_tuple(plain(tuple_to_list(Term)));
plain([Head | Tail]) -> [plain(Head) | plain(Tail)];
plain(Term) -> Term.

v(1) -> try f([a], [b]) after put(a, b) end, ok;
v(2) -> try f([a], [b]) of X -> X catch throw:_ -> ok end;
v(3) -> try f([a], [b]) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(4) -> try f([a], [b]) of X -> X catch C:E:S -> put(stack, S), erlang:raise(C, E, S) end;
v(5) -> try f([a], [b]) of X -> X catch _:E:S -> put(a, b), erlang:raise(exit, E, S) end;
v(6) -> try f([a], [b]) of X -> X catch error:_:S -> put(a, b), erlang:raise(error, other, S) end;
v(7) -> try (try f([a], [b]) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end) catch C2:E2:S2 -> put(a, c),
    erlang:raise(C2, E2, S2) end;
v(8) -> try (try f([a], [b]) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end) after put(a, c) end;
v(9) -> try (try f([a], [b]) after put(a, c) end) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(10) -> try (id(fun(a) -> ok end))(b) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(11) -> try g() of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(12) -> try lists:seq(a, b) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(13) -> try ?MODULE:v(-1) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(14) -> try error(function_clause, [x, y]) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(15) -> try error(function_clause) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(16) -> try atom_to_list(id(1)) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(17) -> try ets:lookup(nope, 1) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(18) -> try (id(nomod)):foo(1) of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end;
v(19) -> try case id(1) of 2 -> ok end of X -> X catch C:E:S -> put(a, b), erlang:raise(C, E, S) end.

id(X) -> X.

f([L | T], [L | Ls]) ->
    f(T, Ls);
f([], Ls) -> Ls.

g() when node() =:= b -> ok.
