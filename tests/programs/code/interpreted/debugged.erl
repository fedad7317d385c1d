%% What the debugger interprets in `interpreted`. Breakpoints are set by line: keep them where they are.
-module(debugged).
-compile([debug_info]).
-export([fact/1, sum/1, shapes/1, funs/1, binaries/1, maps/2, raises/1, caught/1, after_all/2, polls/1,
         to_stock/1, named/1, guards/2, strings/1, comprehensions/1, cleans/1, undef/0, steps/1, callee/1,
         links/0, stacks/1, back/2, records/1, begins/1, odd_even/1, catches/1, legacy/1]).

-record(point, {x = 0, y = 0 :: integer(), tag = none}).
-define(TWICE(X), (X) * 2).

fact(0) -> 1;
fact(N) -> N * fact(N - 1).

sum(List) -> sum(List, 0).

sum([X | Rest], Acc) -> sum(Rest, Acc + X);
sum([], Acc) -> Acc.

steps(X) ->
    A = X + 1,
    B = callee(A),
    C = case B of
            N when N > 10 -> big;
            _ -> small
        end,
    {A, B, C}.

callee(Y) ->
    Z = Y * 2,
    Z + 1.

shapes({circle, R}) when is_number(R) -> {circle, R};
shapes([{square, S} | Rest]) -> {square, S, Rest};
shapes("text") -> text;
shapes(<<"bin">>) -> bin;
shapes(#{kind := K}) -> {map, K};
shapes(X) when is_atom(X); is_pid(X) -> simple;
shapes(1.5) -> half.

funs(N) ->
    Add = fun(X) -> X + N end,
    Twice = fun(F, X) -> F(F(X)) end,
    [Twice(Add, 1), lists:map(Add, [1, 2, 3]), (fun sum/1)([1, 2]), (fun lists:sum/1)([3, 4]),
     lists:foldl(fun(X, Acc) -> Add(X) * Acc end, 1, [1, 2]), apply(Add, [10]), apply(?MODULE, fact, [3]), Add].

named(N) ->
    Down = fun Loop(0) -> [];
               Loop(I) -> [I | Loop(I - 1)]
           end,
    Down(N).

binaries(Bin) ->
    <<A, B:16/little, Rest/binary>> = Bin,
    <<F:32/float, _/bitstring>> = <<1.5:32/float, 1:3>>,
    Bits = << <<(X + 1)>> || <<X>> <= Rest >>,
    Ints = [X || <<X:4>> <= Bin, X > 3],
    Size = byte_size(Rest),
    <<Again:Size/binary>> = Rest,
    <<C/utf8, _/binary>> = <<"é"/utf8>>,
    {A, B, F, Bits, Ints, Again, C, <<A:8, B:16, "text", Rest/binary, 5:3>>, <<"é"/utf8>>, <<1:7>>}.

maps(M, V) ->
    M1 = M#{new => V, {a, V} => 1},
    M2 = M1#{new := again},
    #{new := New} = M2,
    Keys = lists:sort(maps:keys(M2)),
    {New, Keys, maps:map(fun(_, X) -> {X} end, M2), M2#{}}.

raises(badmatch) -> {ok, _} = callee(1);
raises(badarith) -> 1 / callee(-1) - 1 / (callee(0) - 1);
raises(function_clause) -> only_one(2);
raises(case_clause) -> case callee(2) of none -> ok end;
raises(if_clause) -> if node() =:= nowhere -> ok end;
raises(try_clause) -> try callee(3) of none -> ok catch _:_ -> no end;
raises(badarg) -> list_to_atom(callee(1));
raises(undef) -> no_module:no_function(1);
raises(undef_local) -> ?MODULE:no_function(1, 2);
raises(badfun) -> (callee(1))(2);
raises(badarity) -> (fun(X) -> X end)(1, 2);
raises(badmap) -> (callee(1))#{a => 1};
raises(badkey) -> #{a => 1}#{b := 2};
raises(badrecord) -> (callee(1))#point.x;
raises(throw) -> throw({thrown, callee(1)});
raises(exit) -> exit({left, callee(1)});
raises(error) -> error({failed, callee(1)});
raises(error_2) -> error(failed, [callee(1)]);
raises(raise) -> erlang:raise(throw, again, []);
raises(deep) -> [deep(3)];
raises(in_stock) -> lists:map(fun(X) -> atom_to_list(X) end, [a, callee(1)]);
raises(badgenerator) -> [X || X <- callee(1)];
raises(badfilter) -> [X || X <- [1], callee(X)];
raises(nif) -> erlang:nif_error(not_loaded).

only_one(1) -> one.

deep(0) -> hd([]);
deep(N) -> 1 + deep(N - 1).

caught(What) ->
    try raises(What) of
        X -> {value, X}
    catch
        throw:R -> {throw, R};
        exit:R -> {exit, R};
        error:{badmatch, V} -> {matched, V};
        error:R:S -> {error, R, is_list(S)}
    end.

after_all(What, To) ->
    try
        To ! {tried, What},
        raises(What)
    catch
        throw:R -> To ! {caught, R}, R
    after
        To ! {after_all, What}
    end.

catches(What) -> catch raises(What).

polls(To) ->
    A = receive there -> there after 0 -> none end,
    B = receive there -> there after 0 -> at_once end,
    C = receive {N, X} when is_integer(X) -> {N, X} after 0 -> none end,
    To ! polled,
    {A, B, C}.

to_stock(L) -> lists:foldl(fun(X, Acc) -> [fact(X) | Acc] end, [], lists:sort(L)).

back(0, F) -> F(0);
back(N, F) -> lists:foldl(fun(_, _) -> back(N - 1, F) end, none, [x]).

guards(A, B) when A > B, is_integer(A) orelse is_float(A) -> greater;
guards(A, B) when element(1, A) =:= B -> first;
guards(A, B) when is_map_key(A, B), map_get(A, B) > 1; A == B -> {equal, A};
guards(#point{x = X}, _) when X > 0 -> {point, X};
guards(_, _) -> none.

strings(S) -> "prefix " ++ Rest = S, {Rest, [C || C <- S, C =/= $ ], $a, "two" " parts", ?MODULE, ?LINE, ?TWICE(3)}.

comprehensions(L) ->
    {[{X, Y} || X <- L, Y <- lists:seq(1, X), X rem 2 =:= 1, Y =/= 2], [X || {ok, X} <- [{ok, 1}, no, {ok, 2}]],
     << <<X:4>> || X <- L >>, [fun() -> X end() || X <- L], length([Z || Z <- L])}.

records(P) ->
    Q = P#point{y = 5, tag = moved},
    #point{x = X, _ = _} = Q,
    {X, Q#point.y, is_record(Q, point), #point.tag, record_info(fields, point), Q, setelement(2, Q, 7)}.

begins(X) ->
    Y = begin Z = X + 1, Z * 2 end,
    W = if Y > 10, X < 100 -> high; X =:= 0 orelse Y =:= 4 -> four; true -> low end,
    V = (X > 1) andalso W,
    U = not (X > 1) xor (W =:= low),
    {Y, Z, W, V, U, -X, bnot X, X bsl 3, X rem 3, "s" ++ [X], [1, 2] -- [X], {X, {Y}}}.

odd_even(N) -> even(N).

even(0) -> true;
even(N) -> odd(N - 1).

odd(0) -> false;
odd(N) -> even(N - 1).

cleans(To) ->
    try To ! begun
    of _ -> exit(self(), kill)
    after To ! never
    end.

undef() -> missing:function(a).

links() ->
    process_flag(trap_exit, true),
    Pid = spawn_link(fun() -> exit(callee(1)) end),
    {Pid2, Ref} = spawn_monitor(?MODULE, fact, [-0]),
    Self = self(),
    {'EXIT', Pid, R} = interpreted:next('EXIT'),
    {'DOWN', Ref, process, Pid2, Q} = interpreted:next('DOWN'),
    {R, Q, Self =:= self(), get(key)}.

stacks(F) -> 
    X = F(),
    {x, X}.

legacy(X) ->
    catch begin
              put(key, X),
              case get(key) of
                  X when X =:= 1 -> throw(one);
                  _ -> hd(X)
              end
          end.
