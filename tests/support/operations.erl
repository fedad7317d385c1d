%% Every operation with operands of every kind: functions in assembler, each around one operation. An operand is an x
%% register, a y register, or a constant: a small integer, a large one, an atom, a literal of each type.
%%
%% The operation in x registers alone is run on all values, and what it answers is printed. Then each other variant is
%% run on the same values, and must answer the same: it is printed by name, with what differs, which is nothing.
-module(operations).
-export([run/1, run/2, families/0, beams/1]).

%% An operation: its name, what its sources may be, what its results are, the values to try, and its instructions: a fun
%% of sources, destinations, the number of live x registers, a label to fail to, the first label that is free, and the
%% entry of a function of one argument. Also the native records that its module defines.
-record(operation, {name, sources = [], results = 1, values = [], fails = false, code, records = []}).

families() ->
    [compare, types, moves, lists, tuples, arithmetic, bits, guards, selects, maps, floats, calls,
     binaries, building, exceptions, messages, chains, facts]
        ++ [native_records || list_to_integer(erlang:system_info(otp_release)) >= 29].

run(Family) -> run(Family, fun(_) -> ok end).

%% `Prepare` is called with each module after it was loaded.
run(Family, Prepare) ->
    Operations = operations(Family),
    [run_operation(Operation, Prepare) || Operation <- Operations],
    Variants = [variants(Operation) || Operation <- Operations],
    io:format("~w operations, ~w variants~n", [length(Operations), length(lists:append(Variants))]).

run_operation(#operation{name = Name, sources = Sources, values = Values} = Operation, Prepare) ->
    [First | _] = Variants = variants(Operation),
    Module = module_of(Name),
    {module, Module} = code:load_binary(Module, "", assemble(Module, Operation, Variants)),
    Prepare(Module),
    Cases = product([values(Values, N) || N <- lists:seq(1, length(Sources))]),
    Expected = maps:from_list([{Case, answer(Module, f0, Case)} || Case <- Cases]),
    [io:format("~w~" ++ see:term() ++ ": ~" ++ see:term() ++ "~n",
        [Name, shown(Case), shown(maps:get(Case, Expected))]) || Case <- Cases],
    run_variants(tl(Variants), 1, Module, Name, Cases, Expected, [First]),
    code:purge(Module),
    code:delete(Module),
    code:purge(Module).

run_variants([], _, _, _, _, _, _) -> ok;
run_variants([Variant | More], N, Module, Name, Cases, Expected, Done) ->
    Function = list_to_atom("f" ++ integer_to_list(N)),
    Fitting = [Case || Case <- Cases, fits(element(1, Variant), Case)],
    Differing = [{shown(Case), shown(Answer), instead_of, shown(maps:get(Case, Expected))}
                 || Case <- Fitting, Answer <- [answer(Module, Function, Case)],
                    Answer =/= maps:get(Case, Expected)],
    io:format("~w~" ++ see:term() ++ ": ~w as above, ~" ++ see:term() ++ " differ~n",
              [Name, Variant, length(Fitting) - length(Differing), Differing]),
    run_variants(More, N + 1, Module, Name, Cases, Expected, Done).

fits([{k, Value} | Kinds], [Given | Case]) -> Value =:= Given andalso fits(Kinds, Case);
fits([_ | Kinds], [_ | Case]) -> fits(Kinds, Case);
fits([], []) -> true.

answer(Module, Function, Case) ->
    try apply(Module, Function, Case)
    catch Class:Reason -> {Class, Reason}
    end.

%% Funs, pids and the like are not the same from run to run, and very long numbers are hard to read.
shown(Term) when is_function(Term) -> a_fun;
shown(Term) when is_pid(Term) -> a_pid;
shown(Term) when is_reference(Term) -> a_reference;
shown(Term) when is_port(Term) -> a_port;
shown(Term) when is_integer(Term), (Term > 1 bsl 300 orelse Term < -(1 bsl 300)) -> {long, erlang:phash2(Term)};
% The language leaves the order in large maps open.
shown(Map) when map_size(Map) > 32 -> {map, lists:sort(maps:to_list(Map))};
shown([A | B]) -> [shown(A) | shown(B)];
shown(Term) when is_tuple(Term) -> list_to_tuple([shown(Element) || Element <- tuple_to_list(Term)]);
shown(Term) -> Term.

values(Lists, N) -> lists:nth(N, Lists).

product([]) -> [[]];
product([Values | More]) -> [[Value | Rest] || Value <- Values, Rest <- product(More)].

%% Variants: what each source is (x, y, {k, Constant}), and where each result goes (x, y, over: the first source's x).
variants(#operation{sources = Sources, results = Results, values = Values}) ->
    Kinds = [[x, y] ++ [{k, Value} || Kind =:= any, Value <- values(Values, N), is_constant(Value)]
             || {Kind, N} <- lists:zip(Sources, lists:seq(1, length(Sources)))],
    Places = [x, y] ++ [over || Results =:= 1, Sources =/= []],
    Wanted = [{Source, Result} || Source <- product(Kinds), few_constants(Source),
                                  Result <- product(lists:duplicate(Results, Places))],
    % The one in x registers alone is the first.
    Wanted.

%% Two constants only next to each other in the values: all pairs would be too many.
few_constants(Kinds) ->
    case [Value || {k, Value} <- Kinds] of
        [A, B | _] -> erlang:phash2({A, B}, 4) =:= 0;
        _ -> true
    end.

is_constant(Value) -> not (is_function(Value) orelse is_pid(Value) orelse is_reference(Value) orelse is_port(Value)).

constant(Value) when is_integer(Value) -> {integer, Value};
constant(Value) when is_atom(Value) -> {atom, Value};
constant([]) -> nil;
constant(Value) -> {literal, Value}.

%% The modules of a family, for who wants to read the code: name and bytes.
beams(Family) ->
    [begin
         Module = module_of(Operation#operation.name),
         {Module, assemble(Module, Operation, variants(Operation))}
     end || Operation <- operations(Family)].

assemble(Module, #operation{sources = Sources, records = Records} = Operation, Variants) ->
    Arity = length(Sources),
    Numbered = lists:zip(lists:seq(0, length(Variants) - 1), Variants),
    WrapEntry = {f, length(Variants) * 20 + 2},
    Functions = [function(Module, Operation, N, Arity, Variant, WrapEntry) || {N, Variant} <- Numbered],
    Exports = [{list_to_atom("f" ++ integer_to_list(N)), Arity} || {N, _} <- Numbered],
    Last = length(Variants) * 20 + 1,
    Wrap = {function, wrap, 1, Last + 1,
            [{label, Last}, {func_info, {atom, Module}, {atom, wrap}, 1}, {label, Last + 1},
             {test_heap, 2, 1}, {put_list, {x, 0}, nil, {x, 0}}, return]},
    Code = {Module, Exports, [], Functions ++ [Wrap], Last + 2},
    % From OTP 29 on annotations stand before the functions.
    ForAssembler = case list_to_integer(erlang:system_info(otp_release)) >= 29 of
        true -> erlang:insert_element(4, Code, maps:from_list([{records, Records} || Records =/= []]));
        false -> Code
    end,
    {ok, Binary} = beam_asm:module(ForAssembler, [], [], []),
    Binary.

function(Module, #operation{code = Code, fails = Fails}, N, Arity, {Kinds, Places}, Wrap) ->
    Name = list_to_atom("f" ++ integer_to_list(N)),
    Label = N * 20 + 1,
    Frame = 8,
    Numbers = lists:seq(0, Arity - 1),
    Sources = [case Kind of
                   x -> {x, Number};
                   y -> {y, Number};
                   {k, Value} -> constant(Value)
               end || {Kind, Number} <- lists:zip(Kinds, Numbers)],
    Results = [case Place of
                   x -> {x, 10 + Number};
                   y -> {y, 4 + Number};
                   over -> {x, 0}
               end || {Place, Number} <- lists:zip(Places, lists:seq(0, length(Places) - 1))],
    Fail = case Fails of
               true -> {f, Label + 2};
               false -> {f, 0}
           end,
    Body = Code(Sources, Results, Arity, Fail, Label + 3, Wrap),
    Answer = case Results of
                 [] -> [{move, {atom, true}, {x, 0}}];
                 [Result] -> [{move, Result, {x, 0}}];
                 _ -> [{test_heap, length(Results) + 1, 14}, {put_tuple2, {x, 0}, {list, Results}}]
             end,
    {function, Name, Arity, Label + 1,
     [{label, Label}, {func_info, {atom, Module}, {atom, Name}, Arity}, {label, Label + 1},
      {allocate, Frame, Arity}, {init_yregs, {list, [{y, Y} || Y <- lists:seq(0, Frame - 1)]}}]
     ++ [{move, {x, Number}, {y, Number}} || Number <- Numbers]
     % The results' registers hold something, for the collector looks at them.
     ++ [{move, nil, {x, X}} || X <- lists:seq(max(Arity, 1), 13)]
     ++ Body ++ Answer
     ++ [{deallocate, Frame}, return, {label, Label + 2}, {move, {atom, fail}, {x, 0}}, {deallocate, Frame}, return]}.

%% The module of an operation.
module_of(Name) -> list_to_atom("operation_" ++ atom_to_list(Name)).

small() -> [0, 1, -1, 7, 255, 16#7fffffff, -16#80000001, (1 bsl 59) - 1, -(1 bsl 59)].
numbers() -> small() ++ [1 bsl 59, -(1 bsl 64) - 1, 1.5, -0.0, 1.0e30].
things() ->
    [0, 1, 1.0, (1 bsl 59) - 1, 1 bsl 70, a, true, [], [1], {}, {1, a}, #{}, #{a => 1}, <<>>, <<"binary">>, <<5:3>>,
     "string"].
alive() -> [fun erlang:self/0, fun lists:map/2, self(), make_ref(), open_port({spawn, "cat"}, [])].

test(Name, Sources, Values) ->
    #operation{name = Name, sources = Sources, results = 0, values = Values, fails = true,
               code = fun(S, [], _, Fail, _, _) -> [{test, Name, Fail, S}] end}.

%% A guard BIF, where it raises and where it fails.
bif(Name, Sources, Values) -> bif(Name, Name, Sources, Values).
bif(As, Name, Sources, Values) ->
    Code = fun(S, [D], _, Fail, _, _) -> [{bif, Name, Fail, S, D}] end,
    both(As, Sources, Values, Code).

gc_bif(Name, Sources, Values) -> gc_bif(Name, Name, Sources, Values).
gc_bif(As, Name, Sources, Values) ->
    Code = fun(S, [D], Live, Fail, _, _) -> [{gc_bif, Name, Fail, Live, S, D}] end,
    both(As, Sources, Values, Code).

both(Name, Sources, Values, Code) ->
    Guard = list_to_atom(atom_to_list(Name) ++ "_in_guard"),
    [#operation{name = Name, sources = Sources, values = Values, code = Code},
     #operation{name = Guard, sources = Sources, values = Values, fails = true, code = Code}].

with(Name, Sources, Results, Values, Code) ->
    #operation{name = Name, sources = Sources, results = Results, values = Values, code = Code}.

operations(compare) ->
    [test(Name, [any, any], [things(), things()]) || Name <- [is_lt, is_ge, is_eq, is_ne, is_eq_exact, is_ne_exact]];
operations(types) ->
    [test(Name, [register], [things() ++ alive()])
     || Name <- [is_integer, is_float, is_number, is_atom, is_pid, is_reference, is_port, is_nil, is_binary, is_list,
                 is_nonempty_list, is_tuple, is_function, is_boolean, is_bitstr, is_map]]
    ++ [(test(is_function2, [register, any], [[hd(alive()), lists:nth(2, alive()), a], [0, 2, 3]]))]
    ++ [#operation{name = list_to_atom("test_arity_" ++ integer_to_list(N)), sources = [register], results = 0,
                   fails = true, values = [[{}, {1}, {1, 2}, a, [1]]],
                   code = fun(S, [], _, Fail, _, _) ->
                              [{test, is_tuple, Fail, S}, {test, test_arity, Fail, S ++ [N]}]
                          end} || N <- [0, 1, 2]]
    ++ [#operation{name = is_tagged_tuple, sources = [register], results = 0, fails = true,
                   values = [[{}, {a}, {b, 2}, {a, 2}, {a, 2, 3}, a, [a | 2], <<"a">>]],
                   code = fun([S], [], _, Fail, _, _) -> [{test, is_tagged_tuple, Fail, [S, 2, {atom, a}]}] end}];
operations(moves) ->
    [with(move, [any], 1, [things()], fun([S], [D], _, _, _, _) -> [{move, S, D}] end),
     with(moves, [any, any], 2, [things(), things()],
          fun([S, T], [D, E], _, _, _, _) -> [{move, S, D}, {move, T, E}] end),
     with(three_moves, [register, register, register], 3, [[1], [b], ["c"]],
          fun([S, T, U], [D, E, F], _, _, _, _) -> [{move, S, D}, {move, T, E}, {move, U, F}] end),
     with(swap, [register, register], 0, [[1, a], ["c", 1 bsl 70]],
          fun([S, T], [], _, _, _, _) ->
              [{swap, S, T}, {test_heap, 3, 2}, {put_tuple2, {x, 0}, {list, [S, T]}}, {deallocate, 8}, return]
          end),
     with(trim, [any], 1, [things()],
          fun([S], [D], _, _, _, _) ->
              [{move, S, {y, 7}}, {trim, 2, 6}, {move, {y, 5}, {x, 1}}, {deallocate, 6}, {allocate, 8, 2},
               {init_yregs, {list, [{y, Y} || Y <- lists:seq(0, 7)]}}, {move, {x, 1}, D}]
          end),
     with(init_yregs, [any], 1, [things()],
          fun([S], [D], _, _, _, _) -> [{move, S, {y, 3}}, {init_yregs, {list, [{y, 4}, {y, 5}]}}, {move, {y, 3}, D}]
              end),
     with(init_yreg, [any], 1, [things()],
          fun([S], [D], _, _, _, _) -> [{move, S, {y, 3}}, {init_yregs, {list, [{y, 4}]}}, {move, {y, 3}, D}] end),
     with(allocate_heap, [any], 0, [things()],
          fun([S], [], _, _, _, _) ->
              [{move, S, {x, 1}}, {deallocate, 8}, {allocate_heap, 1, 2, 2}, {init_yregs, {list, [{y, 0}]}},
               {put_list, {x, 1}, nil, {y, 0}}, {move, {y, 0}, {x, 0}}, {deallocate, 1}, return]
          end)];
operations(lists) ->
    Lists = [[1], [a | b], "cd", [[] | 1 bsl 70], [1.5, {}]],
    [with(put_list, [any, any], 1, [things(), things()],
          fun([S, T], [D], Live, _, _, _) -> [{test_heap, 2, Live}, {put_list, S, T, D}] end),
     with(get_list, [register], 2, [Lists], fun([S], [D, E], _, _, _, _) -> [{get_list, S, D, E}] end),
     with(get_hd, [register], 1, [Lists], fun([S], [D], _, _, _, _) -> [{get_hd, S, D}] end),
     with(get_tl, [register], 1, [Lists], fun([S], [D], _, _, _, _) -> [{get_tl, S, D}] end),
     (with(test_and_get_list, [register], 2, [[[], a, {} | Lists]],
           fun([S], [D, E], _, Fail, _, _) -> [{test, is_nonempty_list, Fail, [S]}, {get_list, S, D, E}]
               end))#operation{fails = true},
     (with(test_and_get_hd, [register], 1, [[[], a, {} | Lists]],
           fun([S], [D], _, Fail, _, _) -> [{test, is_nonempty_list, Fail, [S]}, {get_hd, S, D}] end))#operation{fails =
           true},
     (with(test_and_get_tl, [register], 1, [[[], a, {} | Lists]],
           fun([S], [D], _, Fail, _, _) -> [{test, is_nonempty_list, Fail, [S]}, {get_tl, S, D}] end))#operation{fails =
           true},
     with(two_cells, [any, any], 1, [[1, a], [[], "t"]],
          fun([S, T], [D], Live, _, _, _) -> [{test_heap, 4, Live}, {put_list, S, T, {x, 5}}, {put_list, S, {x, 5}, D}]
              end)];
operations(tuples) ->
    Tuples = [{1, a, "b"}, {1.5, {}, 1 bsl 70}],
    [with(put_tuple2_of_1, [any], 1, [things()],
          fun([S], [D], Live, _, _, _) -> [{test_heap, 2, Live}, {put_tuple2, D, {list, [S]}}] end),
     with(put_tuple2_of_2, [any, any], 1, [things(), things()],
          fun([S, T], [D], Live, _, _, _) -> [{test_heap, 3, Live}, {put_tuple2, D, {list, [S, T]}}] end),
     with(put_tuple2_of_5, [any, any, any], 1, [[1, 1 bsl 70, "l"], [a, {}], [1.5, []]],
          fun([S, T, U], [D], Live, _, _, _) ->
              [{test_heap, 6, Live}, {put_tuple2, D, {list, [S, T, U, S, {atom, last}]}}]
          end),
     with(update_record, [register, any], 1, [Tuples, things()],
          fun([S, T], [D], Live, _, _, _) ->
              [{test_heap, 4, Live}, {get_tuple_element, S, 0, {x, 6}}, {get_tuple_element, S, 2, {x, 7}},
               {put_tuple2, D, {list, [{x, 6}, T, {x, 7}]}}]
          end),
     with(set_tuple_element, [any, register], 0, [things(), Tuples],
          fun([S, T], [], 2, _, _, _) ->
              % The tuple is a copy, which the operation may change.
              Value = case S of {x, _} -> {x, 1}; {y, _} -> {y, 6}; _ -> S end,
              Tuple = case T of {x, _} -> {x, 2}; {y, _} -> {y, 7} end,
              [{move, S, {y, 6}}, {move, T, {x, 1}}, {move, {integer, 2}, {x, 0}}, {move, {atom, new}, {x, 2}},
               {call_ext, 3, {extfunc, erlang, setelement, 3}}, {move, {x, 0}, {y, 7}}, {move, {x, 0}, {x, 2}},
               {move, {y, 6}, {x, 1}}, {set_tuple_element, Value, Tuple, 0}, {move, {y, 7}, {x, 0}}, {deallocate, 8},
               return]
          end)]
    ++ [with(list_to_atom("get_tuple_element_" ++ integer_to_list(N)), [register], 1, [Tuples],
             fun([S], [D], _, _, _, _) -> [{get_tuple_element, S, N, D}] end) || N <- [0, 1, 2]]
    ++ [with(list_to_atom("get_tuple_elements_" ++ integer_to_list(N)), [register], 2, [Tuples],
             fun([S], [D, E], _, _, _, _) -> [{get_tuple_element, S, N, D}, {get_tuple_element, S, N + 1, E}] end)
             || N <- [0, 1]];
operations(arithmetic) ->
    lists:append([gc_bif(As, Name, [any, any], [Values ++ [a], Values])
                  || {As, Name} <- [{add, '+'}, {subtract, '-'}, {multiply, '*'}, {integer_divide, 'div'},
                      {remainder, 'rem'}],
                     Values <- [numbers()]])
    ++ lists:append([bif(As, Name, [any, any], [numbers() ++ [a, []], numbers() ++ [{}]])
        || {As, Name} <- max_and_min()])
    ++ bif(divide, '/', [any, any], [[0, 7, 1 bsl 70, 1.5, -0.0, a], [0, 1, -3, 1 bsl 65, 1.0e300, 0.0]])
    ++ lists:append([gc_bif(As, Name, [any], [numbers() ++ [a, [], {}]])
                     || {As, Name} <- [{negate, '-'}, {identity, '+'}, {absolute, abs}, {float, float}, {round, round},
                                       {trunc, trunc}, {floor, floor}, {ceil, ceil}]])
    ++ [with(add_in_a_row, [any, any], 1, [small(), small()],
             fun([S, T], [D], Live, Fail, _, _) ->
                 [{gc_bif, '+', Fail, Live, [S, T], {x, 5}}, {gc_bif, '+', Fail, 6, [{x, 5}, {integer, 1}], {x, 6}},
                  {gc_bif, '-', Fail, 7, [{x, 6}, T], D}]
             end)];
operations(bits) ->
    Integers = small() ++ [1 bsl 59, -(1 bsl 64) - 1, 1.5, a],
    lists:append([gc_bif(As, Name, [any, any], [Integers, Integers])
                  || {As, Name} <- [{bit_and, 'band'}, {bit_or, 'bor'}, {bit_xor, 'bxor'}]])
    ++ lists:append([gc_bif(As, Name, [any, any], [Integers, [0, 1, -1, 3, 58, 59, 60, 64, -64, 127, a]])
                     || {As, Name} <- [{shift_left, 'bsl'}, {shift_right, 'bsr'}]])
    ++ [with(list_to_atom(lists:concat([Name, "_by_", By])), [register], 1, [Integers],
             fun([S], [D], Live, Fail, _, _) -> [{gc_bif, Name, Fail, Live, [S, {integer, By}], D}] end)
        || Name <- ['div', 'rem'], By <- [8, 10, 1000003]]
    ++ [with(list_to_atom(lists:concat([Name, "_masked_", Mask])), [any, any], 1,
             [Integers ++ [16#9e3779b1], [0, 1, -1, 5, 31, 59, 63, 64, 16#9e3779b1, (1 bsl 59) - 1, 1 bsl 70, a]],
             fun([S, T], [D], Live, Fail, _, _) ->
                 [{gc_bif, Name, Fail, Live, [S, T], D}, {line, []}, {gc_bif, 'band', Fail, 14, [D, {integer, Mask}],
                     D}]
             end)
        || Name <- ['*', 'bsl'], Mask <- [0, 255, 16#ffffffff, (1 bsl 59) - 1]]
    ++ [with(list_to_atom(lists:concat(["sum_masked_", Place, Factor])), [any, any], 1,
             [Integers ++ [16#9e3779b1], [0, 1, -1, 12345, (1 bsl 59) - 1, 1 bsl 70, a]],
             fun([S, T], [D], Live, Fail, _, _) ->
                 % The sum must not need what the product replaces.
                 Addend = case T of D -> {x, 9}; _ -> T end,
                 Sum = case Place of left -> [Addend, {x, 8}]; right -> [{x, 8}, Addend] end,
                 [{move, T, {x, 9}}, {gc_bif, '*', Fail, max(Live, 10), [S, {integer, Factor}], {x, 8}}, {line, []},
                  {gc_bif, '+', Fail, 10, Sum, {x, 8}}, {gc_bif, 'band', Fail, 10, [{integer, 16#7fffffff}, {x, 8}],
                      {x, 8}},
                  {move, {x, 8}, D}]
             end)
        || Place <- [left, right], Factor <- [31, -7, 1103515245]]
    ++ gc_bif(bit_not, 'bnot', [any], [Integers]);
operations(guards) ->
    Tuples = [{1, a, "b"}, {}, a, [1], #{}],
    Maps = [#{}, #{a => 1, 1 bsl 70 => b}, maps:from_list([{N, -N} || N <- lists:seq(1, 40)]), a, [], {}],
    bif(element, [any, any], [[1, 2, 3, 0, 4, -1, a, 1 bsl 70], Tuples])
    ++ [#operation{name = is_integer_of_table, sources = [any], values = [[1, 2, 3, 4, 5, a]], fails = true,
                   code = fun([S], [D], _, Fail, _, _) ->
                              [{bif, element, Fail, [S, {literal, {1, a, -3, []}}], D}, {test, is_integer, Fail, [D]}]
                          end}]
    ++ lists:append([bif(As, Name, [any, any], [Few, Few])
                     || Few <- [[0, 1.0, 1, 1 bsl 70, a, [], {}, "s", <<1>>, #{}]],
                        {As, Name} <- [{exactly, '=:='}, {not_exactly, '=/='}, {equal, '=='}, {unequal, '/='},
                            {less, '<'},
                                       {greater, '>'}, {not_less, '>='}, {not_greater, '=<'}]])
    ++ lists:append([bif(As, Name, [any, any], [[true, false, a, 1], [true, false, b, []]])
                     || {As, Name} <- [{logic_and, 'and'}, {logic_or, 'or'}, {logic_xor, 'xor'}]])
    ++ bif(is_map_key, [any, any], [[a, 1, 1 bsl 70, 40, {}], Maps])
    ++ bif(map_get, [any, any], [[a, 1, 1 bsl 70, 40, {}], Maps])
    ++ lists:append([bif(As, Name, [Kind], [[[1], "ab", [a | b], [], {}, {1, 2}, true, false, 1]])
                     || {As, Name, Kind} <- [{head, hd, register}, {tail, tl, register}, {logic_not, 'not', any},
                                             {is_list_bif, is_list, any}, {is_boolean_bif, is_boolean, any}]])
    ++ lists:append([gc_bif(Name, [any],
        [[<<>>, <<1, 2>>, <<3:5>>, binary:copy(<<7>>, 100), "list", [a | b], [], {}, {1, 2},
                                            #{}, #{a => 1}, 5]])
                     || Name <- [byte_size, bit_size, size, length, map_size, tuple_size]])
    ++ gc_bif(binary_part, [any, any, any], [[<<"abcdef">>, a], [0, 2, 7, a], [0, 3, -1, 9]])
    ++ bif(self, [], []) ++ bif(node, [], []) ++ bif(get, [any], [[a, 1, "k"]]);
operations(selects) ->
    [#operation{name = Name, sources = [register],
        values = [[1, 2, 3, 4, 5, 9, 100, -7, 1 bsl 70, a, b, c, d, {}, 1.0, []]],
                code = fun([S], [D], _, _, Free, _) ->
                           Labels = lists:seq(Free, Free + length(Values) - 1),
                           Default = Free + length(Values),
                           End = Default + 1,
                           Pairs = lists:append([[constant(Value), {f, Label}] || {Value, Label} <- lists:zip(Values,
                               Labels)]),
                           [{select_val, S, {f, Default}, {list, Pairs}}]
                           ++ lists:append([[{label, Label}, {move, {integer, Label - Free}, D}, {jump, {f, End}}]
                               || Label <- Labels])
                           ++ [{label, Default}, {move, {atom, none}, D}, {label, End}]
                       end}
     || {Name, Values} <- [{select_dense, [1, 2, 3, 4, 5, 6, 7, 8, 9]}, {select_negative, [-4, -3, -2, -1, 0, 1]},
                           {select_least, [-(1 bsl 59) + N || N <- lists:seq(0, 5)]},
                           {select_greatest, [(1 bsl 59) - N || N <- lists:seq(1, 6)]},
                           {select_far, [(1 bsl 58) + N || N <- lists:seq(-3, 3)]},
                           {select_sparse, [-7, 2, 5, 100, 1000, 5000]},
                           {select_many, [-7, 2, 5, 100, 9, 1000, 5000, 70000, 800000, 9000000, 3, 77777]},
                           {select_few, [1, 9]}, {select_atoms, [a, b, c, x, y, z]}, {select_atom, [a]},
                           {select_two_atoms, [a, c]}]]
    ++ [#operation{name = Name, sources = [register], values = [[{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4}, a, [1]]],
                   code = fun([S], [D], _, _, Free, _) ->
                              Labels = lists:seq(Free, Free + length(Arities) - 1),
                              Default = Free + length(Arities),
                              End = Default + 1,
                              Pairs = lists:append([[Arity, {f, Label}] || {Arity, Label} <- lists:zip(Arities,
                                  Labels)]),
                              [{select_tuple_arity, S, {f, Default}, {list, Pairs}}]
                              ++ lists:append([[{label, Label}, {move, {integer, Label - Free}, D}, {jump, {f, End}}]
                                               || Label <- Labels])
                              ++ [{label, Default}, {move, {atom, other}, D}, {label, End}]
                          end}
        || {Name, Arities} <- [{select_tuple_arity_2, [1, 3]}, {select_tuple_arity_3, [3, 1, 0]}]];
operations(maps) ->
    Hash = maps:from_list([{N, -N} || N <- lists:seq(1, 40)]),
    Maps = [#{}, #{a => 1}, #{a => 1, 1 bsl 70 => b, "k" => 2}, Hash],
    Keys = [a, 1, 1 bsl 70, "k", 1.5],
    [with(put_map_assoc, [any, any, any], 1, [Maps, Keys, [1, "v", 1 bsl 70]],
          fun([M, K, V], [D], Live, _, _, _) -> [{put_map_assoc, {f, 0}, M, D, Live, {list, [K, V]}}] end),
     with(put_map_exact, [register, any, any], 1, [Maps, Keys, [1, "v"]],
          fun([M, K, V], [D], Live, _, _, _) -> [{put_map_exact, {f, 0}, M, D, Live, {list, [K, V]}}] end),
     with(put_two, [register, any], 1, [Maps, things()],
          fun([M, V], [D], Live, _, _, _) ->
              [{put_map_assoc, {f, 0}, M, D, Live, {list, [{atom, a}, V, {atom, z}, {integer, 3}]}}]
          end),
     (with(get_map_elements, [register, any], 1, [Maps, Keys],
           fun([M, K], [D], _, Fail, _, _) -> [{get_map_elements, Fail, M, {list, [K, D]}}] end))#operation{fails =
           true},
     (with(get_two, [register], 2, [Maps],
           fun([M], [D, E], _, Fail, _, _) ->
               [{get_map_elements, Fail, M, {list, [{atom, a}, D, {literal, "k"}, E]}}]
           end))#operation{fails = true},
     (with(has_map_fields, [register, any], 0, [Maps, Keys],
           fun([M, K], [], _, Fail, _, _) -> [{test, has_map_fields, Fail, M, {list, [K]}}] end))#operation{fails =
           true}];
operations(native_records) ->
    New = fun(M, N, Fields, Exported) -> records:create(M, N, Fields, #{is_exported => Exported}) end,
    Records = fun(M) ->
        [New(M, p, [{a, 1}, {b, x}, {c, "y"}], true), New(M, p, [{b, 2}, {a, 3}], false), New(M, q, [{a, 4}], true),
         New(other, p, [{c, 1}, {a, 5}], true), New(other, p, [{a, 6}, {b, 7}], false), New(M, p, [], true)]
    end,
    Others = [{p, 1}, #{a => 1}, [], [a], p, 1, 1.5, <<"p">>, 1 bsl 70],
    Test = fun(Name, Test, Rest) ->
        #operation{name = Name, sources = [register], results = 0, values = [Records(module_of(Name)) ++ Others],
            fails = true,
                   code = fun([S], [], _, Fail, _, _) -> [{test, is_any_native_record, Fail, [S]},
                       {test, Test, Fail, [S | Rest]}] end}
    end,
    Get = fun(Name, Fields) ->
        #operation{name = Name, sources = [register], results = length(Fields),
            values = [Records(module_of(Name)) ++ Others], fails = true,
                   code = fun([S], Ds, _, Fail, _, _) ->
                              List = lists:append([[{atom, F}, D] || {F, D} <- lists:zip(Fields, Ds)]),
                              [{test, is_any_native_record, Fail, [S]}, {get_record_elements, Fail, S, {list, List}}]
                          end}
    end,
    Field = fun(Name, Id) ->
        Guard = list_to_atom(atom_to_list(Name) ++ "_in_guard"),
        Code = fun([S], [D], _, Fail, _, _) -> [{bif, get_record_field, Fail, [S, Id, {atom, a}], D}] end,
        [#operation{name = N, sources = [register], values = [Records(module_of(N)) ++ Others], fails = N =:= Guard,
            code = Code}
         || N <- [Name, Guard]]
    end,
    Defined = [{p, true, [{a, 1}, b, {c, "text"}]}, {q, false, [{a, [x]}, {b, <<"y">>}]}, {none, true, []}],
    Put = fun(Name, Id, Fields) ->
        #operation{name = Name, sources = [any], values = [[1, "v", 1 bsl 70, a]], records = Defined,
                   code = fun([V], [D], Live, _, _, _) ->
                              [{put_record, {f, 0}, Id, nil, D, Live,
                                  {list, lists:append([[{atom, F}, V] || F <- Fields])}}]
                          end}
    end,
    Update = fun(Name, Id, Fields) ->
        #operation{name = Name, sources = [register, any], values = [Records(module_of(Name)), [1, "v", 1 bsl 70]],
                   code = fun([S, V], [D], Live, _, _, _) ->
                              [{put_record, {f, 0}, Id, S, D, Live,
                                  {list, lists:append([[{atom, F}, V] || F <- Fields])}}]
                          end}
    end,
    [test(is_any_native_record, [register], [Records(m) ++ Others]),
     Test(is_native_record, is_native_record, [{atom, other}, {atom, p}]),
     Test(is_record_exported, is_record_accessible, [{atom, external}]),
     Test(is_record_accessible, is_record_accessible, [{atom, auto_local}]),
     Get(get_record_element, [a]), Get(get_two_elements, [c, a]), Get(get_three_elements, [a, b, c]),
     #operation{name = get_over_the_record, sources = [register], results = 0, values = [Records(m) ++ Others],
         fails = true,
                code = fun([S], [], _, Fail, _, _) ->
                           [{test, is_any_native_record, Fail, [S]},
                               {get_record_elements, Fail, S, {list, [{atom, a}, S, {atom, b}, {x, 12}]}},
                            {test_heap, 2, 13}, {put_list, S, {x, 12}, {x, 0}}, {deallocate, 8}, return]
                       end}]
    ++ Field(get_field, {atom, p}) ++ Field(get_external_field, {literal, {other, p}}) ++
        Field(get_any_field, {atom, '_'})
    ++ [Put(put_record, {atom, p}, [b]), Put(put_all, {atom, p}, [a, b, c]), Put(put_defaults, {atom, q}, []),
        Put(put_without_fields, {atom, none}, []), Put(put_without_value, {atom, p}, [a]),
        Put(put_no_field, {atom, q}, [z]),
        Put(put_external, {literal, {operation_put_external, p}}, [b, c]),
        Put(put_hidden, {literal, {operation_put_hidden, q}}, [a]),
        Put(put_unknown, {literal, {no_such_module, p}}, [a])]
    ++ [Update(update_record, {atom, '_'}, [a]), Update(update_two, {literal, {other, p}}, [a, c])];
operations(floats) ->
    Floats = [0.0, -0.0, 1.5, -2.25, 1.0e300],
    [with(Name, [any, any], 1, [Floats, Floats],
          fun([S, T], [D], Live, _, _, _) ->
              [{fmove, S, {fr, 0}}, {fmove, T, {fr, 1}}, {bif, Name, {f, 0}, [{fr, 0}, {fr, 1}], {fr, 2}},
               {test_heap, {alloc, [{words, 0}, {floats, 1}]}, Live}, {fmove, {fr, 2}, D}]
          end) || Name <- [fadd, fsub, fmul, fdiv]]
    ++ [with(fnegate, [any], 1, [Floats],
             fun([S], [D], Live, _, _, _) ->
                 [{fmove, S, {fr, 0}}, {bif, fnegate, {f, 0}, [{fr, 0}], {fr, 1}},
                  {test_heap, {alloc, [{words, 0}, {floats, 1}]}, Live}, {fmove, {fr, 1}, D}]
             end),
        with(fconv, [any], 1, [numbers() ++ [1 bsl 1100, a, []]],
             fun([S], [D], Live, _, _, _) ->
                 [{fconv, S, {fr, 0}}, {test_heap, {alloc, [{words, 0}, {floats, 1}]}, Live}, {fmove, {fr, 0}, D}]
             end)]
    ++ known_floats();
operations(calls) ->
    Fun1 = fun erlang:abs/1, Fun2 = fun erlang:max/2, Apart = fun lists:reverse/1,
    To = fun(List) -> [{move, S, {x, N}} || {S, N} <- lists:zip(List, lists:seq(0, length(List) - 1))] end,
    [with(call_ext, [any], 1, [[-1, 1 bsl 70, a]],
          fun([S], [D], _, _, _, _) -> To([S]) ++ [{call_ext, 1, {extfunc, erlang, abs, 1}}, {move, {x, 0}, D}] end),
     with(call_ext_last, [any], 0, [["ab", [], a]],
          fun([S], [], _, _, _, _) -> To([S]) ++ [{call_ext_last, 1, {extfunc, lists, reverse, 1}, 8}] end),
     with(call_ext_only, [any], 0, [["ab", [], a]],
          fun([S], [], _, _, _, _) -> To([S]) ++ [{deallocate, 8}, {call_ext_only, 1, {extfunc, lists, reverse, 1}}]
              end),
     with(setelement_only, [any], 0, [[{1, 2, 3}, {1}, {}, a]],
          fun([S], [], _, _, _, _) ->
              [{move, S, {x, 1}}, {move, {integer, 2}, {x, 0}}, {move, {atom, new}, {x, 2}}, {deallocate, 8},
               {call_ext_only, 3, {extfunc, erlang, setelement, 3}}]
          end),
     with(bif_last, [any], 0, [[-1, 1 bsl 70, a]],
          fun([S], [], _, _, _, _) -> To([S]) ++ [{call_ext_last, 1, {extfunc, erlang, atom_to_list, 1}, 8}] end),
     with(call_fun, [any, register], 1, [[-5, 1 bsl 70, "l", a], [Fun1, Apart, Fun2, a]],
          fun([S, F], [D], _, _, _, _) ->
              [{move, F, {y, 7}}, {move, S, {x, 0}}, {move, {y, 7}, {x, 1}}, {call_fun, 1}, {move, {x, 0}, D}]
          end),
     with(call_fun2, [any, register], 1, [[-5, 1 bsl 70, "l", a], [Fun1, Apart, Fun2, a]],
          fun([S, F], [D], _, _, _, _) ->
              [{move, F, {y, 7}}, {move, S, {x, 0}}, {call_fun2, {atom, unsafe}, 1, {y, 7}}, {move, {x, 0}, D}]
          end),
     with(call_fun_last, [any, register], 0, [[-5, "l", a], [Fun1, Apart, Fun2, a]],
          fun([S, F], [], _, _, _, _) ->
              [{move, F, {y, 7}}, {move, S, {x, 0}}, {move, {y, 7}, {x, 1}}, {call_fun, 1}, {deallocate, 8}, return]
          end),
     with(apply, [any, any], 1, [[lists, erlang, a], [reverse, abs, 1]],
          fun([M, F], [D], _, _, _, _) ->
              [{move, M, {y, 6}}, {move, F, {y, 7}}, {move, {literal, "xyz"}, {x, 0}}, {move, {y, 6}, {x, 1}},
                  {move, {y, 7}, {x, 2}},
               {apply, 1}, {move, {x, 0}, D}]
          end),
     with(apply_last, [any, any], 0, [[lists, erlang, a], [reverse, abs, 1]],
          fun([M, F], [], _, _, _, _) ->
              [{move, M, {y, 6}}, {move, F, {y, 7}}, {move, {literal, "xyz"}, {x, 0}}, {move, {y, 6}, {x, 1}},
                  {move, {y, 7}, {x, 2}},
               {apply_last, 1, 8}]
          end),
     with(call_ext_of_code, [any], 1, [["ab", [], a]],
          fun([S], [D], _, _, Free, _) ->
              To([S]) ++ [{call_ext, 1, {extfunc, lists, reverse, 1}}, {jump, {f, Free}}, {label, Free},
                          {call_ext, 1, {extfunc, lists, reverse, 1}}, {move, {x, 0}, D}]
          end),
     with(call_fun2_last, [any, register], 0, [[-5, "l", a], [Fun1, Apart, Fun2, a]],
          fun([S, F], [], _, _, _, _) ->
              [{move, F, {y, 7}}, {move, S, {x, 0}}, {call_fun2, {atom, unsafe}, 1, {y, 7}}, {deallocate, 8}, return]
          end),
     with(make_fun3, [any], 1, [things()],
          fun([S], [D], Live, _, _, Wrap) ->
              [{test_heap, {alloc, [{words, 0}, {floats, 0}, {funs, 1}]}, Live},
                  {make_fun3, Wrap, 0, 0, {x, 5}, {list, [S]}},
               {move, {x, 5}, {x, 0}}, {call_fun, 0}, {move, {x, 0}, D}]
          end),
     with(local_calls, [any], 1, [things()],
          fun([S], [D], _, _, Free, Wrap) ->
              [{move, S, {x, 0}}, {jump, {f, Free}}, {label, Free}, {call, 1, Wrap}, {move, {x, 0}, D}]
          end),
     with(plain_call_last, [any], 0, [things()],
          fun([S], [], _, _, Free, Wrap) -> [{move, S, {x, 0}}, {jump, {f, Free}}, {label, Free},
              {call_last, 1, Wrap, 8}] end),
     with(plain_call_only, [any], 0, [things()],
          fun([S], [], _, _, _, Wrap) -> [{move, S, {x, 0}}, {deallocate, 8}, {call_only, 1, Wrap}] end),
     with(return_without_frame, [any], 0, [things()],
          fun([S], [], _, _, Free, _) ->
              [{move, S, {x, 3}}, {deallocate, 8}, {jump, {f, Free}}, {label, Free}, {move, {x, 3}, {x, 0}}, return]
          end),
     with(return_constant, [register], 0, [things()],
          fun([_], [], _, _, Free, _) -> [{deallocate, 8}, {jump, {f, Free}}, {label, Free},
              {move, {atom, constant}, {x, 0}}, return] end),
     with(local_call, [any], 1, [things()],
          fun([S], [D], _, _, _, Wrap) -> [{move, S, {x, 0}}, {call, 1, Wrap}, {move, {x, 0}, D}] end),
     with(local_call_last, [any], 0, [things()],
         fun([S], [], _, _, _, Wrap) -> [{move, S, {x, 0}}, {call_last, 1, Wrap, 8}] end),
     with(local_call_only, [any], 0, [things()],
          fun([S], [], _, _, Free, Wrap) ->
              % Without a frame: the source is kept over its end, and then moved once more.
              [{move, S, {x, 3}}, {deallocate, 8}, {jump, {f, Free}}, {label, Free}, {move, {x, 3}, {x, 0}},
                  {call_only, 1, Wrap}]
          end),
     with(constant_call_only, [register], 0, [things()],
          fun([_], [], _, _, Free, Wrap) ->
              [{deallocate, 8}, {jump, {f, Free}}, {label, Free}, {move, {atom, only}, {x, 0}}, {call_only, 1, Wrap}]
          end),
     with(move_return, [any], 0, [things()], fun([S], [], _, _, _, _) -> [{move, S, {x, 0}}, {deallocate, 8}, return]
         end)];
operations(chains) -> chains();
operations(facts) -> facts();
operations(binaries) -> binaries();
operations(building) -> building();
operations(exceptions) ->
    Raising = fun(Name, Code) -> with(Name, [any], 0, [things()], Code) end,
    [Raising(badmatch, fun([S], [], _, _, _, _) -> [{badmatch, S}] end),
     Raising(case_end, fun([S], [], _, _, _, _) -> [{case_end, S}] end),
     Raising(try_case_end, fun([S], [], _, _, _, _) -> [{try_case_end, S}] end),
     Raising(badrecord, fun([S], [], _, _, _, _) -> [{badrecord, S}] end),
     with(if_end, [], 0, [], fun([], [], _, _, _, _) -> [if_end] end),
     with('catch', [any, any], 1, [[throw, exit, error], things()],
          fun([C, R], [D], _, _, Free, _) ->
              [{move, C, {y, 2}}, {move, R, {y, 3}}, {'catch', {y, 7}, {f, Free}}, {move, {y, 2}, {x, 0}},
                  {move, {y, 3}, {x, 1}},
               {move, nil, {x, 2}}, {call_ext, 3, {extfunc, erlang, raise, 3}}, {label, Free}, {catch_end, {y, 7}}]
              ++ plain_reason(Free + 1) ++ [{move, {x, 0}, D}]
          end),
     with('try', [any, any], 3, [[throw, exit, error], [a, 1 bsl 70, "r"]],
          fun([C, R], [D, E, F], _, _, Free, _) ->
              [{move, C, {y, 2}}, {move, R, {y, 3}}, {'try', {y, 7}, {f, Free}}, {move, {y, 2}, {x, 0}},
                  {move, {y, 3}, {x, 1}},
               {move, nil, {x, 2}}, {call_ext, 3, {extfunc, erlang, raise, 3}}, {try_end, {y, 7}}, {label, Free},
               {try_case, {y, 7}},
               {move, {x, 2}, {x, 3}}, {move, {x, 0}, {x, 13}}, {move, {x, 1}, {x, 14}}, {move, {x, 13}, D},
               {move, {x, 14}, E},
               {move, {atom, kept}, F}, {move, nil, {x, 13}}]
          end),
     with(try_end, [any], 1, [things()],
          fun([S], [D], _, _, Free, _) ->
              [{move, S, {y, 3}}, {'try', {y, 7}, {f, Free}}, {move, {y, 3}, {x, 0}}, {try_end, {y, 7}},
                  {jump, {f, Free + 1}},
               {label, Free}, {try_case, {y, 7}}, {move, {atom, caught}, {x, 0}}, {label, Free + 1}, {move, {x, 0}, D}]
          end)];
operations(messages) ->
    [with(send, [any], 1, [things()],
          fun([S], [D], _, _, Free, _) ->
              [{move, S, {y, 7}}, {bif, self, {f, 0}, [], {x, 0}}, {move, {y, 7}, {x, 1}}, send,
               {label, Free}, {loop_rec, {f, Free + 1}, {x, 0}}, remove_message, {move, {x, 0}, D},
               {jump, {f, Free + 2}},
               {label, Free + 1}, {wait, {f, Free}}, {label, Free + 2}]
          end),
     with(loop_rec_end, [any], 1, [things()],
          fun([S], [D], _, _, Free, _) ->
              [{move, S, {y, 7}}, {bif, self, {f, 0}, [], {x, 0}}, {move, {atom, unwanted}, {x, 1}}, send,
               {bif, self, {f, 0}, [], {x, 0}}, {move, {y, 7}, {x, 1}}, send,
               {label, Free}, {loop_rec, {f, Free + 1}, {x, 0}},
               {test, is_ne_exact, {f, Free + 3}, [{x, 0}, {atom, unwanted}]},
               remove_message, {move, {x, 0}, {y, 6}}, {jump, {f, Free + 2}},
               {label, Free + 3}, {loop_rec_end, {f, Free}}, {label, Free + 1}, {wait, {f, Free}},
               {label, Free + 2}, {label, Free + 4}, {loop_rec, {f, Free + 5}, {x, 0}}, remove_message,
               {move, {y, 6}, D},
               {jump, {f, Free + 6}}, {label, Free + 5}, {wait, {f, Free + 4}}, {label, Free + 6}]
          end),
     with(wait_timeout, [any], 1, [[0, 1, 3, a, -1, 1 bsl 40, 1.0]],
          fun([S], [D], _, _, Free, _) ->
              [{move, S, {y, 7}},
               {label, Free}, {loop_rec, {f, Free + 1}, {x, 0}}, remove_message, {jump, {f, Free + 2}},
               {label, Free + 1}, {wait_timeout, {f, Free}, S}, timeout, {label, Free + 2}, {move, {atom, waited}, D}]
          end)].

%% General operations on terms that were tested to be floats before, or were stored as such.
known_floats() ->
    Values = [0.0, -0.0, 1.5, -2.25, 1.0e300, 1, a],
    Tests = fun(Terms, Fail) -> [{test, is_float, Fail, [Term]} || {Register, _} = Term <- Terms,
        Register =:= x orelse Register =:= y] end,
    Known = fun(Name, Sources, Results, Code) ->
        #operation{name = Name, sources = Sources, results = Results, values = [Values || _ <- Sources], fails = true,
            code = Code}
    end,
    lists:append(
      [[Known(list_to_atom(Name ++ "_floats"), [any, any], 1,
              fun([S, T], [D], Live, Fail, _, _) -> Tests([S, T], Fail) ++ [{gc_bif, Op, {f, 0}, Live, [S, T], D}] end),
        Known(list_to_atom(Name ++ "_floats_in_guard"), [any, any], 1,
              fun([S, T], [D], Live, Fail, _, _) -> Tests([S, T], Fail) ++ [{gc_bif, Op, Fail, Live, [S, T], D}] end),
        % One of them is known, or the result of one operation in the next.
        Known(list_to_atom(Name ++ "_a_float"), [any, any], 1,
              fun([S, T], [D], _, Fail, _, _) ->
                  Tests([S], Fail) ++ [{gc_bif, Op, Fail, 2, [S, T], {x, 5}},
                      {gc_bif, Op, Fail, 6, [{x, 5}, {float, 0.5}], {x, 5}},
                                       {gc_bif, '+', Fail, 6, [{x, 5}, S], D}]
              end)] || {Name, Op} <- [{"add", '+'}, {"subtract", '-'}, {"multiply", '*'}]])
    ++ [Known(Name, [any, any], 0, fun([S, T], [], _, Fail, _, _) -> Tests([S, T], Fail) ++
        [{test, Test, Fail, [S, T]}] end)
        || {Name, Test} <- [{less_floats, is_lt}, {not_less_floats, is_ge}]]
    ++ [Known(stored_floats, [register], 1,
              fun([S], [D], _, Fail, _, _) ->
                  [{test, is_float, Fail, [S]}, {fmove, S, {fr, 0}}, {bif, fmul, {f, 0}, [{fr, 0}, {fr, 0}], {fr, 1}},
                   {test_heap, {alloc, [{words, 0}, {floats, 2}, {funs, 0}]}, 2}, {fmove, {fr, 0}, {x, 5}},
                   {fmove, {fr, 1}, {y, 5}},
                   {gc_bif, '+', Fail, 6, [{x, 5}, {y, 5}], {x, 6}}, {test, is_lt, Fail, [{float, 4.0}, {x, 6}]},
                   {gc_bif, '*', Fail, 7, [{x, 6}, {x, 5}], D}]
              end),
        % No longer a float where the loop begins again.
        Known(floats_replaced, [any], 1,
              fun([S], [D], _, Fail, Free, _) ->
                  [{move, {float, 2.5}, {x, 5}}, {move, S, {y, 5}}, {label, Free},
                      {gc_bif, '+', Fail, 6, [{x, 5}, {x, 5}], {x, 6}},
                   {test, is_float, Fail, [{x, 5}]}, {gc_bif, '+', Fail, 7, [{x, 5}, {x, 6}], {x, 6}},
                   {swap, {x, 5}, {y, 5}},
                   {test, is_lt, {f, Free}, [{float, 7.0}, {x, 6}]}, {gc_bif, '-', Fail, 7, [{x, 6}, {x, 5}], D}]
              end),
        % More floats than the heap has room for.
        Known(many_floats, [register], 1,
              fun([S], [D], _, Fail, Free, _) ->
                  [{test, is_float, Fail, [S]}, {move, S, {x, 5}}, {move, {integer, 3000}, {x, 6}}, {label, Free},
                   {test, is_float, Fail, [{x, 5}]}, {gc_bif, '+', Fail, 7, [{x, 5}, {float, 1.0}], {x, 7}},
                   {gc_bif, '-', Fail, 8, [{x, 7}, {float, 0.5}], {x, 5}},
                   {gc_bif, '*', Fail, 8, [{x, 5}, {float, 1.0}], {x, 5}},
                   {gc_bif, '-', Fail, 7, [{x, 6}, {integer, 1}], {x, 6}},
                   {test, is_eq_exact, {f, Free}, [{x, 6}, {integer, 0}]},
                   {move, {x, 5}, D}]
              end)].

%% From OTP 26 on they may be called in guards.
max_and_min() -> [{As, As} || As <- [max, min], list_to_integer(erlang:system_info(otp_release)) >= 26].

%% Integer operations of which each uses the result of the one before: as the first operand, as the second one, beside a
%% constant. The values take all ways out of the machine code for small integers, and back.
chains() ->
    Operators = [{add, '+'}, {subtract, '-'}, {multiply, '*'}, {divide, 'div'}, {remainder, 'rem'}, {bit_and, 'band'},
                 {bit_or, 'bor'}, {bit_xor, 'bxor'}, {left, 'bsl'}, {right, 'bsr'}] ++ max_and_min(),
    Numbered = lists:zip(lists:seq(1, length(Operators)), Operators),
    Values = [[0, 1, -7, 63, (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 59, -(1 bsl 64) - 1, 1.5, a],
        [0, 1, -1, 3, 62, (1 bsl 59) - 1, 1 bsl 70, 2.0]],
    Chain = fun(Name, Code) ->
        #operation{name = list_to_atom(Name), sources = [register, register], values = Values, fails = true,
            code = Code}
    end,
    Third = fun(N, S) -> element(N rem 3 + 1, {[S, {x, 6}], [{x, 6}, {integer, 3}], [{integer, 3}, {x, 6}]}) end,
    [Chain(lists:concat([NameF, '_', NameG, '_', NameF]),
           fun([S, T], [D], _, Fail, _, _) ->
               % One of them in a body, where it raises.
               FailF = case (N + M) rem 2 of 0 -> Fail; 1 -> {f, 0} end,
               [applied(F, FailF, 2, [S, T], {x, 5}), applied(G, Fail, 6, [{x, 5}, T], {x, 6}),
                applied(F, Fail, 7, Third(N + M, S), D)]
           end) || {N, {NameF, F}} <- Numbered, {M, {NameG, G}} <- Numbered]
    ++ [Chain(lists:concat([NameF, '_', Test, '_', N]),
              fun([S, T], [D], _, Fail, _, _) ->
                  [applied(F, Fail, 2, [S, T], {x, 6}), {test, Test, Fail, Third(N, T)},
                   {gc_bif, '-', Fail, 7, [{x, 6}, T], D}]
              end) || {NameF, F} <- Operators, Test <- [is_lt, is_ge], N <- [0, 1, 2]]
    % By constants, of one operand, and into y registers.
    ++ [Chain(lists:concat([constants_, NameF]),
              fun([S, T], [D], _, Fail, _, _) ->
                  [applied(F, Fail, 2, [S, T], {x, 5}), {gc_bif, '*', Fail, 6, [{x, 5}, {integer, 31}], {x, 5}},
                   {gc_bif, 'bnot', Fail, 6, [{x, 5}], {y, 5}}, {gc_bif, 'bsr', Fail, 6, [{y, 5}, {integer, 2}],
                       {x, 6}},
                   {gc_bif, 'rem', Fail, 7, [{x, 6}, {integer, 64}], {y, 6}},
                   {gc_bif, 'bsl', Fail, 7, [{x, 6}, {integer, 3}], {x, 7}},
                   {gc_bif, '-', Fail, 8, [{x, 7}], {x, 7}}, {gc_bif, 'bxor', Fail, 8, [{x, 7}, {y, 6}], {x, 7}},
                   {gc_bif, 'div', Fail, 8, [{x, 7}, {integer, 2}], {x, 7}},
                   {gc_bif, 'div', Fail, 8, [{x, 7}, {integer, 3}], {x, 7}},
                   {gc_bif, 'rem', Fail, 8, [{x, 7}, {integer, 1000003}], D}]
              end) || {NameF, F} <- Operators]
    % Each register once more after it was tested by an operation.
    ++ [Chain(lists:concat([twice_, NameF]),
              fun([S, T], [D], _, Fail, _, _) ->
                  [applied(F, Fail, 2, [S, T], {x, 5}), {test_heap, 2, 6}, {put_list, {x, 5}, S, {x, 6}},
                   applied(F, Fail, 7, [S, T], {x, 7}), {gc_bif, '+', Fail, 8, [S, {integer, 1}], {y, 5}},
                   applied(F, Fail, 8, [{x, 7}, {y, 5}], {x, 8}), {gc_bif, 'bxor', Fail, 9, [{x, 8}, {x, 8}], {y, 6}},
                   applied(F, {f, 0}, 9, [{y, 5}, {x, 5}], D)]
              end) || {NameF, F} <- Operators].

applied(Name, Fail, _, Arguments, Dest) when Name =:= max; Name =:= min -> {bif, Name, Fail, Arguments, Dest};
applied(Name, Fail, Live, Arguments, Dest) -> {gc_bif, Name, Fail, Live, Arguments, Dest}.

%% What is known of a register, and ways on which it is no longer true: `x5` holds a small integer at first, and then S.
facts() ->
    Values = [[0, 1, -7, 1.0, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 64) - 1, 2.5, a, []]],
    Way = fun(Name, Code) ->
        #operation{name = Name, sources = [any], values = Values,
                   code = fun([S], [D], _, _, Free, Wrap) ->
                              Small = [{move, S, {y, 3}}, {gc_bif, 'band', {f, 0}, 2, [{integer, 77}, {integer, 15}],
                                  {x, 5}},
                                       {move, {x, 5}, {y, 5}}, {gc_bif, '+', {f, 0}, 6, [{x, 5}, {integer, 1}],
                                           {x, 6}}],
                              Small ++ Code(S, Free, Wrap)
                              ++ [{gc_bif, '+', {f, 0}, 7, [{x, 5}, {integer, 1}], {x, 7}},
                                  {gc_bif, '*', {f, 0}, 8, [{x, 7}, {x, 6}], {x, 7}},
                                  {gc_bif, '-', {f, 0}, 8, [{x, 7}, {x, 5}], D}]
                          end}
    end,
    After = fun(List) -> [{move, {integer, 2}, {x, 6}} | List] end,
    [Way(kept, fun(_, _, _) -> [] end),
     Way(moved, fun(S, _, _) -> [{move, S, {x, 5}}] end),
     Way(swapped, fun(S, _, _) -> [{move, S, {x, 7}}, {swap, {x, 5}, {x, 7}}] end),
     Way(head, fun(S, _, _) -> [{test_heap, 2, 7}, {put_list, S, nil, {x, 7}}, {get_hd, {x, 7}, {x, 5}}] end),
     Way(tail, fun(S, _, _) -> [{test_heap, 2, 7}, {put_list, nil, S, {x, 7}}, {get_tl, {x, 7}, {x, 5}}] end),
     Way(head_and_tail, fun(S, _, _) -> [{test_heap, 2, 7}, {put_list, S, {integer, 3}, {x, 7}},
         {get_list, {x, 7}, {x, 5}, {x, 6}}] end),
     Way(tail_and_head, fun(S, _, _) -> [{test_heap, 2, 7}, {put_list, {integer, 3}, S, {x, 7}},
         {get_list, {x, 7}, {x, 6}, {x, 5}}] end),
     Way(cell, fun(S, _, _) -> [{test_heap, 2, 7}, {put_list, S, nil, {x, 5}}] end),
     Way(element, fun(S, _, _) -> [{test_heap, 3, 7}, {put_tuple2, {x, 7}, {list, [{atom, r}, S]}},
         {get_tuple_element, {x, 7}, 1, {x, 5}}] end),
     Way(elements, fun(S, _, _) ->
         [{test_heap, 3, 7}, {put_tuple2, {x, 7}, {list, [{integer, 3}, S]}}, {get_tuple_element, {x, 7}, 0, {x, 6}},
          {get_tuple_element, {x, 7}, 1, {x, 5}}]
     end),
     Way(tuple, fun(S, _, _) -> [{test_heap, 3, 7}, {put_tuple2, {x, 5}, {list, [{atom, r}, S]}}] end),
     Way(element_bif, fun(S, _, _) ->
         [{test_heap, 2, 7}, {put_tuple2, {x, 7}, {list, [S]}}, {bif, element, {f, 0}, [{integer, 1}, {x, 7}], {x, 5}}]
     end),
     Way(head_bif, fun(S, _, _) -> [{test_heap, 2, 7}, {put_list, S, nil, {x, 7}}, {bif, hd, {f, 0}, [{x, 7}], {x, 5}}]
         end),
     Way(map_element, fun(S, Free, _) ->
         [{put_map_assoc, {f, 0}, {literal, #{}}, {x, 7}, 7, {list, [{atom, k}, S]}},
          {get_map_elements, {f, Free}, {x, 7}, {list, [{atom, k}, {x, 5}]}}, {label, Free}]
     end),
     Way(a_float, fun(_, _, _) ->
         [{fmove, {literal, 2.5}, {fr, 0}}, {test_heap, {alloc, [{words, 0}, {floats, 1}, {funs, 0}]}, 7},
             {fmove, {fr, 0}, {x, 5}}]
     end),
     Way(overflow, fun(_, _, _) ->
         [{gc_bif, '*', {f, 0}, 7, [{x, 5}, {integer, 1 bsl 58}], {x, 5}}, {gc_bif, '*', {f, 0}, 7, [{x, 5}, {x, 6}],
             {x, 5}}]
     end),
     Way(large_mask, fun(S, _, _) -> [{gc_bif, 'band', {f, 0}, 7, [S, {integer, -2}], {x, 5}}] end),
     Way(small_mask, fun(S, _, _) -> [{gc_bif, 'band', {f, 0}, 7, [S, {integer, (1 bsl 59) - 1}], {x, 5}}] end),
     Way(remainder_of, fun(S, _, _) -> [{gc_bif, 'rem', {f, 0}, 7, [S, {integer, -1000}], {x, 5}}] end),
     Way(remainder_by, fun(S, _, _) -> [{gc_bif, 'rem', {f, 0}, 7, [{integer, 1000}, S], {x, 5}}] end),
     Way(quotient, fun(S, _, _) -> [{gc_bif, 'div', {f, 0}, 7, [S, {integer, 2}], {x, 5}}] end),
     Way(shifted, fun(S, _, _) -> [{gc_bif, 'bsr', {f, 0}, 7, [S, {integer, 3}], {x, 5}}] end),
     Way(shifted_back, fun(_, _, _) -> [{gc_bif, 'bsr', {f, 0}, 7, [{x, 5}, {integer, -70}], {x, 5}}] end),
     Way(quotient_of_least, fun(_, _, _) ->
         [{move, {integer, -(1 bsl 59)}, {x, 5}}, {gc_bif, 'div', {f, 0}, 7, [{x, 5}, {integer, -1}], {x, 5}}]
     end),
     Way(equal, fun(S, Free, _) ->
         [{move, S, {x, 5}}, {test, is_eq, {f, Free}, [{x, 5}, {integer, 1}]},
             {gc_bif, '+', {f, 0}, 7, [{x, 5}, {x, 5}], {x, 6}}, {label, Free}]
     end),
     Way(exactly_equal, fun(S, Free, _) ->
         [{move, S, {x, 5}}, {test, is_eq_exact, {f, Free}, [{x, 5}, {integer, 1}]},
             {gc_bif, '+', {f, 0}, 7, [{x, 5}, {x, 5}], {x, 6}},
          {label, Free}]
     end),
     Way(exactly_unequal, fun(S, Free, _) ->
         [{move, S, {x, 5}}, {test, is_ne_exact, {f, Free}, [{x, 5}, {integer, 1}]},
             {gc_bif, '+', {f, 0}, 7, [{x, 5}, {x, 5}], {x, 6}},
          {label, Free}]
     end),
     Way(an_integer, fun(S, Free, _) ->
         [{move, S, {x, 5}}, {test, is_integer, {f, Free}, [{x, 5}]},
             {test, is_lt, {f, Free}, [{x, 5}, {integer, 1000}]},
          {gc_bif, '+', {f, 0}, 7, [{x, 5}, {x, 5}], {x, 6}}, {label, Free}]
     end),
     Way(between, fun(S, Free, _) ->
         [{move, S, {x, 5}}, {test, is_lt, {f, Free}, [{x, 5}, {integer, 1000}]},
             {test, is_ge, {f, Free}, [{x, 5}, {integer, -1000}]},
          {gc_bif, 'bsl', {f, 0}, 7, [{x, 5}, {integer, 3}], {x, 6}}, {gc_bif, '+', {f, 0}, 7, [{x, 5}, {x, 6}],
              {x, 6}}, {label, Free}]
     end),
     Way(one_branch, fun(S, Free, _) ->
         [{test, is_eq_exact, {f, Free}, [S, {integer, 1}]}, {jump, {f, Free + 1}}, {label, Free}, {move, S, {x, 5}},
             {label, Free + 1}]
     end),
     Way(other_branch, fun(S, Free, _) ->
         [{test, is_eq_exact, {f, Free}, [S, {integer, 1}]}, {move, S, {x, 5}}, {jump, {f, Free + 1}}, {label, Free},
          {gc_bif, '+', {f, 0}, 7, [{x, 5}, {integer, 5}], {x, 5}}, {label, Free + 1}]
     end),
     Way(selected, fun(S, Free, _) ->
         [{move, S, {x, 5}},
          {select_val, {x, 5}, {f, Free}, {list, [{integer, 0}, {f, Free + 1}, {integer, 1}, {f, Free + 1}]}},
          {label, Free}, {gc_bif, '+', {f, 0}, 7, [{x, 6}, {integer, 1}], {x, 6}}, {label, Free + 1}]
     end),
     % Small where the loop is entered from above, large where it is entered from below.
     Way(a_loop, fun(_, Free, _) ->
         [{label, Free}, {gc_bif, '+', {f, 0}, 7, [{x, 6}, {integer, 1}], {x, 6}},
             {gc_bif, '*', {f, 0}, 7, [{x, 5}, {x, 5}], {x, 5}},
          {test, is_ge, {f, Free}, [{x, 6}, {integer, 20}]}]
     end),
     Way(a_loop_of_sources, fun(S, Free, _) ->
         [{label, Free}, {gc_bif, '+', {f, 0}, 7, [{x, 6}, {integer, 1}], {x, 7}},
             {gc_bif, '+', {f, 0}, 8, [{x, 5}, {x, 7}], {x, 6}},
          {move, {y, 3}, {x, 5}}, {test, is_ne_exact, {f, Free + 1}, [{x, 5}, {y, 5}]}, {move, S, {y, 5}},
          {jump, {f, Free}}, {label, Free + 1}]
     end),
     Way(exception, fun(_, Free, _) ->
         [{'try', {y, 7}, {f, Free}}, {move, {y, 3}, {y, 5}}, {gc_bif, '+', {f, 0}, 7, [{atom, a}, {x, 5}], {x, 0}},
             {try_end, {y, 7}},
          {label, Free}, {try_case, {y, 7}}, {move, {y, 5}, {x, 5}}] ++ After([])
     end),
     Way(no_exception, fun(_, Free, _) ->
         [{'try', {y, 7}, {f, Free}}, {gc_bif, '+', {f, 0}, 7, [{y, 5}, {y, 3}], {x, 0}}, {move, {x, 0}, {y, 5}},
             {try_end, {y, 7}},
          {jump, {f, Free + 1}}, {label, Free}, {try_case, {y, 7}}, {label, Free + 1}, {move, {y, 5}, {x, 5}}] ++
          After([])
     end),
     Way(a_message, fun(_, Free, _) ->
         [{bif, self, {f, 0}, [], {x, 0}}, {move, {y, 3}, {x, 1}}, send, {move, {x, 0}, {x, 5}},
          {label, Free}, {loop_rec, {f, Free + 1}, {x, 0}}, remove_message, {move, {x, 0}, {x, 5}},
          {jump, {f, Free + 2}},
          {label, Free + 1}, {wait, {f, Free}}, {label, Free + 2}] ++ After([])
     end),
     Way(a_timeout, fun(_, Free, _) ->
         [{label, Free}, {loop_rec, {f, Free + 1}, {x, 0}}, remove_message, {jump, {f, Free + 2}},
          {label, Free + 1}, {wait_timeout, {f, Free}, {integer, 1}}, timeout, {move, {y, 3}, {y, 5}},
          {label, Free + 2},
          {move, {y, 5}, {x, 5}}] ++ After([])
     end),
     Way(a_call, fun(_, _, Wrap) -> [{move, {y, 3}, {x, 0}}, {call, 1, Wrap}, {get_hd, {x, 0}, {x, 5}}] ++ After([])
         end),
     Way(another_frame, fun(_, _, _) ->
         [{move, {y, 3}, {x, 0}}, {deallocate, 8}, {allocate, 8, 1},
             {init_yregs, {list, [{y, Y} || Y <- lists:seq(0, 7)]}},
          {move, {x, 0}, {y, 5}}, {move, {y, 5}, {x, 5}}] ++ After([])
     end),
     Way(a_trimmed_frame, fun(_, _, _) ->
         [{move, {y, 5}, {y, 1}}, {trim, 2, 6}, {move, {y, 1}, {x, 5}}, {deallocate, 6}, {allocate, 8, 6},
          {init_yregs, {list, [{y, Y} || Y <- lists:seq(0, 7)]}}] ++ After([])
     end),
     % The room is not there at times.
     Way(a_collection, fun(S, _, _) ->
         [{gc_bif, '*', {f, 0}, 7, [{x, 5}, {integer, 1 bsl 57}], {x, 5}}, {test_heap, 2000, 7},
             {gc_bif, '+', {f, 0}, 7, [{x, 5}, S], {x, 5}}]
     end)]
    ++ [Way(Name, fun(S, _, _) -> [{bif, Name, {f, 0}, [S, {integer, 0}], {x, 5}}] end) || {Name, _} <- max_and_min()].

%% What a catch answers, without the stack trace in an error's.
plain_reason(Label) ->
    [{test, is_tuple, {f, Label}, [{x, 0}]}, {test, test_arity, {f, Label}, [{x, 0}, 2]},
     {get_tuple_element, {x, 0}, 1, {x, 1}}, {test, is_tuple, {f, Label}, [{x, 1}]},
     {test, test_arity, {f, Label}, [{x, 1}, 2]}, {get_tuple_element, {x, 1}, 0, {x, 0}}, {label, Label}].

%% Matching: a context over the source, then the operation; what is left is the last result.
binaries() -> binaries({y, 7}, "") ++ binaries({x, 6}, "_in_x").

binaries(Context, Suffix) ->
    Bits = [<<>>, <<1>>, <<255, 128, 3>>, <<1:7>>, <<"åß"/utf8, 240, 159, 152, 128>>, <<"abcdefghijklmnopq">>,
        <<255:9, 77:16>>,
            <<16#d83d:16, 16#de00:16>>, <<0, 1, 246, 0>>, <<1.5/float, 9>>, <<2.5:32/float>>, <<-1:80>>, a],
    Named = fun(Name) -> list_to_atom(atom_to_list(Name) ++ Suffix) end,
    Matching = fun(Name, Results, Code) ->
        #operation{name = Named(Name), sources = [register], results = Results, values = [Bits], fails = true,
                   code = fun([S], Ds, _, Fail, Free, _) ->
                              [{test, bs_start_match3, Fail, 14, [S], Context}] ++ Code(Ds, Fail, Free)
                          end}
    end,
    Tail = fun(D) -> [{bs_get_tail, Context, D, 14}] end,
    Flags = fun(List) -> {field_flags, List} end,
    Get = fun(Name, Opcode, Size, Unit, F) ->
        Matching(Name, 2, fun([D, E], Fail, _) ->
            [{test, Opcode, Fail, 14, [Context, Size, Unit, Flags(F)], D}] ++ Tail(E)
        end)
    end,
    [#operation{name = Named(bs_start_match3), sources = [register], values = [Bits], fails = true,
                code = fun([S], [D], _, Fail, _, _) ->
                           [{test, bs_start_match3, Fail, 14, [S], Context}, {bs_get_tail, Context, D, 14}]
                       end},
     #operation{name = Named(bs_start_match4), sources = [register], values = [Bits], fails = true,
                code = fun([S], [D], _, Fail, _, _) ->
                           [{bs_start_match4, Fail, 14, S, Context}, {bs_get_tail, Context, D, 7}]
                       end},
     Matching(bs_position_kept_in_register, 2, fun([D, E], Fail, _) ->
         [{bs_get_position, Context, {x, 5}, 14}, {test, bs_skip_bits2, Fail, [Context, {integer, 1}, 8, Flags([])]},
          {bs_get_tail, Context, D, 14}, {bs_set_position, Context, {x, 5}}] ++ Tail(E)
     end),
     Matching(bs_position, 2, fun([D, E], Fail, _) ->
         [{bs_get_position, Context, {y, 6}, 14}, {test, bs_skip_bits2, Fail, [Context, {integer, 1}, 8, Flags([])]},
          {bs_get_tail, Context, D, 14}, {bs_set_position, Context, {y, 6}}] ++ Tail(E)
     end),
     Matching(bs_test_tail2, 0, fun([], Fail, _) -> [{test, bs_test_tail2, Fail, [Context, 8]}] end),
     Matching(bs_test_tail2_end, 0, fun([], Fail, _) -> [{test, bs_test_tail2, Fail, [Context, 0]}] end),
     Matching(bs_test_unit_8, 0, fun([], Fail, _) -> [{test, bs_test_unit, Fail, [Context, 8]}] end),
     Matching(bs_test_unit_3, 0, fun([], Fail, _) -> [{test, bs_test_unit, Fail, [Context, 3]}] end),
     Matching(bs_match_string, 1, fun([D], Fail, _) ->
         [{test, bs_match_string, Fail, [Context, 10, {string, <<255, 128:8>>}]}] ++ Tail(D)
     end)]
    ++ [Matching(list_to_atom("bs_skip_" ++ atom_to_list(Name)), 1,
                 fun([D], Fail, _) -> [{test, bs_skip_bits2, Fail, [Context, Size, Unit, Flags([])]}] ++ Tail(D) end)
        || {Name, Size, Unit} <- [{nothing, {integer, 0}, 1}, {bits, {integer, 3}, 1}, {bytes, {integer, 2}, 8}]]
    % Skipping all is always the last thing: stock does not even move.
    ++ [Matching(bs_skip_all, 0,
        fun([], Fail, _) -> [{test, bs_skip_bits2, Fail, [Context, {atom, all}, 8, Flags([])]}] end)]
    ++ [Get(list_to_atom("bs_get_integer_" ++ atom_to_list(Name)), bs_get_integer2, {integer, Size}, Unit, F)
        || {Name, Size, Unit, F} <-
               [{'0', 0, 1, []}, {'5', 5, 1, []}, {'8', 8, 1, []}, {'8_signed', 8, 1, [signed]}, {'16', 16, 1, []},
                {'16_little', 16, 1, [little]}, {'16_signed', 2, 8, [signed]}, {'24', 24, 1, []}, {'32', 32, 1, []},
                {'32_signed_little', 32, 1, [signed, little]}, {'60', 60, 1, []}, {'64', 64, 1, []}, {'80', 80, 1, []},
                {'80_signed', 80, 1, [signed, little]}]]
    ++ [Get(list_to_atom("bs_get_float_" ++ integer_to_list(Size)), bs_get_float2, {integer, Size}, 1, F)
        || {Size, F} <- [{16, []}, {32, []}, {64, []}]]
    ++ [Get(list_to_atom("bs_get_binary_" ++ atom_to_list(Name)), bs_get_binary2, Size, Unit, [])
        || {Name, Size, Unit} <- [{'0', {integer, 0}, 8}, {'2', {integer, 2}, 8}, {'9_bits', {integer, 9}, 1},
            {all, {atom, all}, 8},
                                  {all_bits, {atom, all}, 1}]]
    ++ lists:append(
         [[Matching(list_to_atom("bs_get_utf" ++ N), 2,
                    fun([D, E], Fail, _) ->
                        [{test, list_to_atom("bs_get_utf" ++ N), Fail, 14, [Context, Flags([])], D}] ++ Tail(E)
                    end),
           Matching(list_to_atom("bs_skip_utf" ++ N), 1,
                       fun([D], Fail, _) -> [{test, list_to_atom("bs_skip_utf" ++ N), Fail,
                           [Context, 14, Flags([])]}] ++ Tail(D) end)]
          || N <- ["8", "16", "32"]])
    ++ [#operation{name = Named(Name), sources = [register, any], results = 2, fails = true,
                   values = [[<<255, 128, 3, 77, 1:3>>, <<>>], [0, 1, 2, 3, 9, -1, a, 1 bsl 70]],
                   code = fun([S, N], [D, E], _, Fail, _, _) ->
                              [{test, bs_start_match3, Fail, 14, [S], Context},
                               {test, Op, Fail, 14, [Context, case N of {x, _} -> {x, 1}; _ -> N end, 8, Flags([])],
                                   D}] ++ Tail(E)
                          end}
        || {Name, Op} <- [{bs_get_integer_of_size, bs_get_integer2}, {bs_get_binary_of_size, bs_get_binary2},
                          {bs_get_float_of_size, bs_get_float2}]]
    ++ [#operation{name = Named(bs_skip_of_size), sources = [register, any], results = 1, fails = true,
                   values = [[<<255, 128, 3, 77, 1:3>>, <<>>], [0, 1, 2, 3, 9, -1, a, 1 bsl 70]],
                   code = fun([S, N], [D], _, Fail, _, _) ->
                              [{test, bs_start_match3, Fail, 14, [S], Context},
                               {test, bs_skip_bits2, Fail, [Context, N, 8, Flags([])]}] ++ Tail(D)
                          end}].

%% Building, with the operation of today and those of before.
building() ->
    Create = fun(Name, Values, Segment) ->
        Code = fun([S], [D], Live, Fail, _, _) -> [{bs_create_bin, Fail, 0, Live, 1, D, {list, Segment(S)}}] end,
        both(Name, [any], [Values], Code)
    end,
    Integers = [0, 1, -1, 255, 256, 16#10ffff, 16#d800, 16#20ac, (1 bsl 59) - 1, 1 bsl 70, 1.5, a],
    lists:append(
      [Create(list_to_atom("create_integer_" ++ Name), Integers,
              fun(S) -> [{atom, integer}, 1, Unit, {literal, F}, S, {integer, Size}] end)
       || {Name, Unit, F, Size} <- [{"8", 1, [], 8}, {"13", 1, [], 13}, {"16_little", 8, [little], 2},
           {"32", 1, [signed], 32}, {"64", 1, [], 64},
                                    {"100", 1, [little], 100}, {"16", 8, [], 2}, {"24", 8, [], 3},
                                    {"32_little", 8, [little], 4},
                                    {"24_little", 8, [little], 3}, {"56", 1, [], 56}, {"56_little", 8, [little], 7},
                                    {"48_little", 1, [little], 48}, {"64_little", 8, [little], 8}]]
      ++ [Create(list_to_atom("create_" ++ atom_to_list(Type)), Integers,
                 fun(S) -> [{atom, Type}, 0, 0, nil, S, {atom, undefined}] end) || Type <- [utf8, utf16, utf32]]
      ++ [Create(list_to_atom("create_float_" ++ integer_to_list(Size)), [0, 1, -1, 1.5, 1.0e300, 1 bsl 70, a],
                 fun(S) -> [{atom, float}, 1, 1, nil, S, {integer, Size}] end) || Size <- [16, 32, 64]]
      ++ [Create(list_to_atom("create_float_little_" ++ integer_to_list(Size)), [0, -1, 1.5, 1.0e300, 1 bsl 70, a],
                 fun(S) -> [{atom, float}, 1, 1, {literal, [little]}, S, {integer, Size}] end) || Size <- [32, 64]]
      ++ [Create(create_fields, Integers,
                 fun(S) -> [{atom, integer}, 1, 1, nil, {integer, 4}, {integer, 4}, {atom, integer}, 2, 1, nil, S,
                     {integer, 7}, {atom, integer}, 3, 1, nil,
                            S, {integer, 13}, {atom, string}, 4, 8, nil, {string, <<"0123456789abcde">>},
                            {integer, 15}] end),
          Create(create_append_fields, [<<>>, <<"abc">>, <<1:3>>, a],
                 fun(S) -> [{atom, append}, 1, 8, nil, S, {atom, all}, {atom, utf8}, 2, 0, nil, {integer, 16#20ac},
                     {atom, undefined}] end)]
      ++ [Create(create_binary_all, [<<>>, <<"abc">>, <<1:3>>, a, []],
                 fun(S) -> [{atom, binary}, 1, 8, nil, S, {atom, all}] end),
          Create(create_bits_all, [<<>>, <<"abc">>, <<1:3>>, a, []],
                 fun(S) -> [{atom, binary}, 1, 1, nil, S, {atom, all}, {atom, string}, 2, 8, nil, {string, <<"xy">>},
                     {integer, 2}] end),
          Create(create_binary_2, [<<>>, <<"abc">>, <<1:3>>, a, []],
                 fun(S) -> [{atom, binary}, 1, 8, nil, S, {integer, 2}] end),
          Create(create_append, [<<>>, <<"abc">>, <<1:3>>, a, []],
                 fun(S) -> [{atom, append}, 1, 1, nil, S, {atom, all}, {atom, integer}, 2, 1, nil, {integer, 77},
                     {integer, 8}] end)])
    ++ lists:append(
         [both(list_to_atom("create_known_" ++ Name), [any], [Integers],
               fun([S], [D], Live, Fail, _, _) ->
                   [{gc_bif, 'band', Fail, Live, [S, {integer, 16#7fffffff}], {x, 5}},
                    {bs_create_bin, Fail, 0, 6, 1, D,
                        {list, lists:append([[{atom, integer}, 1, 1, nil, {x, 5}, {integer, Size}] || Size <- Sizes])}}]
               end)
          || {Name, Sizes} <- [{"fields", [6, 13, 5]}, {"bytes", [8, 16, 24, 32]}, {"shifted", [40, 56]}]])
    ++ both(create_sized, [any, any], [[1, 300, 1 bsl 70, a], [0, 1, 3, -1, a, 1 bsl 70]],
            fun([S, N], [D], Live, Fail, _, _) ->
                [{bs_create_bin, Fail, 0, Live, 1, D, {list, [{atom, integer}, 1, 8, nil, S, N]}}]
            end)
    ++ both(create_bits_sized, [any, any], [[1, 300, 1 bsl 70, a], [0, 1, 3, 7, 57, -1, a, 1 bsl 70]],
            fun([S, N], [D], Live, Fail, _, _) ->
                [{bs_create_bin, Fail, 0, Live, 1, D,
                    {list, [{atom, integer}, 1, 1, nil, {integer, 5}, {integer, 3}, {atom, integer}, 2, 1, nil, S, N,
                                                              {atom, integer}, 3, 1, nil, S, {integer, 2}]}}]
            end)
    ++ both(create_part, [any, any], [[<<>>, <<"abcdef">>, <<1:3>>, a], [0, 1, 3, 7, -1, a, 1 bsl 70]],
            fun([S, N], [D], Live, Fail, _, _) ->
                [{bs_create_bin, Fail, 0, Live, 1, D,
                    {list, [{atom, string}, 1, 8, nil, {string, <<"abc">>}, {integer, 3},
                                                              {atom, binary}, 2, 8, nil, S, N, {atom, binary}, 3, 16,
                                                              nil, S, N]}}]
            end)
    ++ both(create_utf8_twice, [any], [Integers],
            fun([S], [D], Live, Fail, _, _) ->
                [{bs_create_bin, Fail, 0, Live, 1, D,
                    {list, [{atom, utf8}, 1, 0, nil, S, {atom, undefined}, {atom, utf8}, 2, 0, nil, S,
                    {atom, undefined}]}}]
            end)
    ++ [#operation{name = create_private, sources = [register], values = [[1, 100]],
                   code = fun([S], [D], _, Fail, _, _) ->
                              [{move, S, {x, 0}}, bs_init_writable, {move, {x, 0}, S},
                               {bs_create_bin, Fail, 0, 5, 8, S,
                                   {list, [{atom, private_append}, 1, 8, nil, S, {atom, all},
                                                                         {atom, string}, 2, 8, nil, {string, <<"abc">>},
                                                                         {integer, 3}]}},
                               {bs_create_bin, Fail, 0, 5, 8, D,
                                   {list, [{atom, private_append}, 1, 8, nil, S, {atom, all},
                                                                         {atom, integer}, 2, 8, nil, {integer, 77},
                                                                         {integer, 1}]}}]
                          end}]
    ++ [#operation{name = list_to_atom(Name), sources = [any], values = [Integers],
                   code = fun([S], [D], Live, Fail, _, _) ->
                              [{bs_init2, Fail, Size div 8, 0, Live, {field_flags, []}, {x, 9}},
                               {bs_put_integer, Fail, {integer, Size}, 1, {field_flags, F}, S}, {move, {x, 9}, D}]
                          end}
        || {Name, Size, F} <- [{"put_integer_8", 8, []}, {"put_integer_32", 32, [little]}, {"put_integer_64", 64, []}]]
    ++ [#operation{name = put_integer_13, sources = [any], values = [Integers],
                   code = fun([S], [D], Live, Fail, _, _) ->
                              [{bs_init_bits, Fail, 13, 0, Live, {field_flags, []}, {x, 9}},
                               {bs_put_integer, Fail, {integer, 13}, 1, {field_flags, []}, S}, {move, {x, 9}, D}]
                          end},
        #operation{name = put_float, sources = [any], values = [[0, 1.5, 1 bsl 70, a]],
                   code = fun([S], [D], Live, Fail, _, _) ->
                              [{bs_init2, Fail, 8, 0, Live, {field_flags, []}, {x, 9}},
                               {bs_put_float, Fail, {integer, 64}, 1, {field_flags, []}, S}, {move, {x, 9}, D}]
                          end},
        #operation{name = put_utf8, sources = [any], values = [[0, 127, 255, 16#20ac, 16#10ffff]],
                   code = fun([S], [D], _, Fail, _, _) ->
                              [{bs_utf8_size, Fail, S, {x, 5}}, {bs_init2, Fail, {x, 5}, 0, 6, {field_flags, []},
                                  {x, 9}},
                               {bs_put_utf8, Fail, {field_flags, []}, S}, {move, {x, 9}, D}]
                          end},
        #operation{name = put_utf16, sources = [any], values = [[0, 127, 255, 16#20ac, 16#10ffff]],
                   code = fun([S], [D], _, Fail, _, _) ->
                              [{bs_utf16_size, Fail, S, {x, 5}}, {bs_init2, Fail, {x, 5}, 0, 6, {field_flags, []},
                                  {x, 9}},
                               {bs_put_utf16, Fail, {field_flags, [little]}, S}, {move, {x, 9}, D}]
                          end},
        #operation{name = put_utf32, sources = [any], values = [[0, 127, 255, 16#20ac, 16#10ffff]],
                   code = fun([S], [D], Live, Fail, _, _) ->
                              [{bs_init2, Fail, 4, 0, Live, {field_flags, []}, {x, 9}},
                               {bs_put_utf32, Fail, {field_flags, []}, S}, {move, {x, 9}, D}]
                          end},
        #operation{name = append, sources = [any, any], values = [[<<>>, <<"abc">>, a], [1, 300, a]],
                   code = fun([S, T], [D], Live, Fail, _, _) ->
                              [{bs_append, Fail, {integer, 16}, 0, Live, 8, S, {field_flags, []}, {x, 9}},
                               {bs_put_integer, Fail, {integer, 16}, 1, {field_flags, []}, T}, {move, {x, 9}, D}]
                          end},
        #operation{name = put_binary, sources = [any], values = [[<<>>, <<"abc">>, <<1, 2, 3, 4>>, a]],
                   code = fun([S], [D], Live, Fail, _, _) ->
                              [{bs_init2, Fail, 5, 0, Live, {field_flags, []}, {x, 9}},
                               {bs_put_binary, Fail, {integer, 2}, 8, {field_flags, []}, S},
                               {bs_put_string, 3, {string, <<"xyz">>}}, {move, {x, 9}, D}]
                          end}].
