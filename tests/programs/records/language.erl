%% Native records in the language: creation, matching, updating and reading, of this module and of another, exported or
%% not, in bodies and in guards, and what each raises.
%% releases: 29
-module(language).
-export([main/0]).

-record #inner{a, b = 2, c = #{k => [1, 2.5, <<"text">>]}}.
-record #pair{first = none, second = none}.
-record #open{a = 1, 'odd name' = <<"x">>, z}.
-record #none{}.
-record #point{x, other = 1}.
-export_record([open]).

main() ->
    Folder = filename:join(filename:dirname(code:which(?MODULE)), "other"),
    before_loading(),
    {module, shapes} = code:load_abs(filename:join(Folder, "shapes")),
    creating(),
    matching(),
    reading(),
    updating(),
    guards(),
    elsewhere(),
    nested(),
    definitions(),
    as_messages(),
    many_fields(),
    kept().

before_loading() ->
    see:all([{not_loaded, fun() -> #no_such_module:point{x = 1} end},
        {not_loaded, fun() -> #no_such_module:point{} end}]).

creating() ->
    see:value(created, [#inner{a = 1}, #inner{a = #inner{a = x}, b = y, c = z}, #pair{}, #pair{second = 2}, #none{},
        #open{z = 1}, #open{'odd name' = 0, z = 2}]),
    see:all([{own_hidden, fun() -> #language:inner{a = 1} end}, {no_value, fun() -> #language:open{a = 1} end},
        {no_values, fun() -> #language:open{} end},
             {no_value_of_two, fun() -> #shapes:point{y = 2} end}]),
    see:value(others, [#shapes:point{x = 1}, #shapes:point{tag = t, y = 2, x = 1}, #shapes:empty{}]),
    see:all([{hidden, fun() -> #shapes:hidden{y = 1} end}, {hidden, fun() -> #shapes:hidden{} end},
        {no_such, fun() -> #shapes:nothing{} end},
             {no_field, fun() -> #shapes:point{x = 1, q = 2} end},
             {no_field_no_value, fun() -> #shapes:point{q = 2} end}, {no_field_of_empty, fun() -> #shapes:empty{q = 1}
                 end},
             {no_records, fun() -> #lists:point{x = 1} end}, {no_module, fun() -> #no_such_module:point{x = 1} end}]),
    see:value(evaluated, try #inner{a = throw(first), b = throw(second)} catch X -> X end),
    see:value(own, [shapes:own(1), shapes:point(1), shapes:point(1, 2), shapes:hidden(3)]),
    see:all([{own_hidden, fun() -> shapes:own_hidden(1) end}]),
    see:value(equal, {#shapes:point{x = 1} =:= shapes:point(1), #shapes:point{x = 1.0} == shapes:point(1),
        #inner{a = 1} =:= #inner{a = 1, b = 2}}).

match(#inner{a = A, b = 2}) -> {inner, A};
match(#inner{c = C}) -> {inner_c, C};
match(#pair{first = X, second = X}) -> {twice, X};
match(#pair{}) -> pair;
match(#none{}) -> none;
match(#shapes:point{x = X, y = 0}) -> {point, X};
match(#shapes:point{x = #pair{first = X}}) -> {point_of_pair, X};
match(#shapes:hidden{x = X}) -> {hidden, X};
match(#shapes:empty{}) -> empty;
match(#absent:record{a = A}) -> {absent, A};
match(#_{z = Z, a = A}) -> {some, Z, A};
match(#_{}) -> unknown;
match(_) -> no_record.

terms() ->
    New = fun(M, N, F, E) -> records:create(M, N, F, #{is_exported => E}) end,
    [#inner{a = 1}, #inner{a = 1, b = 3}, #pair{}, #pair{first = 1, second = 1.0}, #none{}, #open{z = 9},
     shapes:point(1), shapes:point(1, 2), shapes:point(#pair{first = f}, 2), shapes:hidden(5), #shapes:empty{},
     New(absent, record, [{a, 1}], true), New(absent, record, [{a, 1}], false), New(absent, record, [{b, 1}], true),
     New(absent, other, [{a, 1}, {z, 2}], true),
     New(absent, other, [{a, 1}, {z, 2}], false), New(language, inner, [{b, 2}, {a, other}], false),
     New(language, inner, [{x, 1}, {b, 1}], true),
     New(language, pair, [{second, 1}, {first, 1}, {more, 1}], true), New(shapes, point, [{x, old}], true),
     New(shapes, point, [{x, 1}, {y, 0}], false),
     New(shapes, hidden, [{x, 1}], true), {inner, 1}, #{a => 1, z => 1}, [], inner, 1, fun match/1].

matching() ->
    [see:value(T, {match(T), shapes:seen(see:id(T)), shapes:is_point(T), shapes:is_hidden(T)}) || T <- shown(terms())],
    see:all([{badmatch, fun() -> #inner{a = 2} = see:id(#inner{a = 1}) end},
        {function_clause, fun() -> only_pair(#inner{a = 1}) end},
             {case_clause, fun() -> case see:id(#pair{}) of #inner{} -> 1 end end}]),
    #pair{first = F} = see:id(#pair{first = [1]}),
    see:value(bound, F),
    see:value(comprehension, [A || #inner{a = A} <- terms()]),
    see:value(generated, [X || X <- terms(), is_record(X, pair)]).

%% All but the last, which has no text of its own.
shown(Terms) -> lists:droplast(Terms).

only_pair(#pair{first = none}) -> ok.

reading() ->
    [see:all([{{a, T}, fun() -> T#inner.a end}, {{x, T}, fun() -> T#shapes:point.x end}, {{any, T}, fun() -> T#_.a end},
        {{hidden, T}, fun() -> T#shapes:hidden.x end},
              {{absent, T}, fun() -> T#absent:record.a end}, {{their_x, T}, fun() -> shapes:x(T) end},
              {{their_any, T}, fun() -> shapes:any_x(T) end},
              {{our_inner, T}, fun() -> shapes:foreign(T) end}])
     || T <- shown(terms())].

updating() ->
    [see:all([{{inner, T}, fun() -> T#inner{a = new} end}, {{two, T}, fun() -> T#inner{b = new, a = newer} end},
        {{point, T}, fun() -> T#shapes:point{x = new} end},
              {{hidden, T}, fun() -> T#shapes:hidden{x = new} end}, {{absent, T}, fun() -> T#absent:record{a = new}
                  end}, {{any, T}, fun() -> T#_{a = new} end},
              {{any_two, T}, fun() -> T#_{z = 1, a = new} end}, {{their, T}, fun() -> shapes:move(T, new) end},
              {{their_hidden, T}, fun() -> shapes:hide(T, new) end}])
     || T <- shown(terms())],
    R = #inner{a = 1}, S = R#inner{c = 3},
    see:value(unchanged, {R, S}).

guards() ->
    [see:value({guards, T}, [G(T) || G <- [
        fun(X) when X#inner.a =:= 1 -> one; (X) when X#inner.b > 2 -> big; (_) -> no end,
        fun(X) when X#shapes:point.x =:= 1 -> one; (_) -> no end,
        fun(X) when X#_.a =:= 1 -> one; (_) -> no end,
        fun(X) when is_record(X, inner) -> yes; (_) -> no end,
        fun(X) when is_record(X, shapes, point) -> yes; (_) -> no end,
        fun(X) when is_record(X, shapes, hidden) -> yes; (_) -> no end,
        fun(X) when is_record(X) -> yes; (_) -> no end,
        fun(X) when is_record(X), X < #{} -> less; (_) -> no end,
        fun(X) -> erlang:is_record(X, language, inner) end,
        fun(X) -> is_record(X) orelse is_tuple(X) end]]) || T <- shown(terms())].

elsewhere() ->
    P = shapes:point(7), Q = #point{x = 8},
    see:all([{same_name, fun() -> P#point.x end}, {same_name, fun() -> P#point.other end},
        {same_name, fun() -> P#point{x = 1} end},
             {same_name, fun() -> Q#shapes:point.x end}, {same_name, fun() -> shapes:x(Q) end},
             {same_name, fun() -> #point{x = X} = P, X end},
             {same_name, fun() -> {is_record(P, point), is_record(Q, point), is_record(P, shapes, point),
                 if P#point.x =:= 7 -> yes; true -> no end} end}]),
    I = see:id(#inner{a = 1}), O = see:id(#open{z = 1}),
    see:all([{own_read, fun() -> I#language:inner.a end}, {own_read, fun() -> O#language:open.a end},
        {own_update, fun() -> I#language:inner{a = 2} end},
             {own_update, fun() -> O#language:open{a = 2} end}, {own_match, fun() -> #language:inner{a = A} = I, A end},
             {own_match, fun() -> #language:open{a = A} = O, A end},
             {own_test, fun() -> {is_record(I, language, inner), is_record(O, language, open)} end}]),
    see:value(called, [shapes:x(shapes:point(7)), shapes:move(shapes:point(7), 8), shapes:hide(shapes:hidden(1), 2),
        shapes:any_x(shapes:hidden(1))]),
    see:value(open, #language:open{z = 3}).

nested() ->
    R = #pair{first = #pair{first = #inner{a = [#none{}]}, second = 2}, second = fun(X) -> #pair{first = X} end},
    see:value(nested, {(R#pair.first)#pair.second, ((R#pair.first)#pair.first)#inner.a, (R#pair.second)(x)}),
    #pair{first = #pair{first = #inner{a = [E], c = #{k := [One | _]}}}} = see:id(R),
    see:value(deep, {E, One}),
    see:value(changed, (R#pair{second = 0})#pair{first = (R#pair.first)#pair{first = 1}}).

definitions() ->
    see:all([{{M, N}, fun() -> records:get_definition(see:id(M), N) end}
             || {M, N} <- [{language, inner}, {language, pair}, {language, open}, {language, none}, {shapes, point},
                 {shapes, hidden}, {shapes, empty},
                           {shapes, nothing}, {lists, a}, {no_such_module, a}, {1, a}, {language, 1}, {see, see}]]),
    see:value(information, [{K, lists:sort(language:module_info(K))} || K <- [exports, functions]] =/= []),
    see:value(keys, [K || {K, _} <- language:module_info()]),
    see:value(md5, [begin {ok, {_, MD5}} = beam_lib:md5(code:which(?MODULE)), MD5 =:= language:module_info(md5) end,
                    code:module_md5(element(2, file:read_file(code:which(?MODULE)))) =:= language:module_info(md5)]).

as_messages() ->
    Me = self(),
    Pid = spawn(fun Loop() ->
        receive
            #pair{first = stop} -> Me ! #none{};
            #pair{first = F} = P -> Me ! P#pair{second = F}, Loop();
            #shapes:point{} = P -> Me ! {point, P#shapes:point.x}, Loop()
        end
    end),
    Pid ! #inner{a = ignored}, Pid ! #pair{first = 1}, Pid ! shapes:point(5), Pid ! {pair, stop},
    Pid ! #pair{first = stop},
    see:value(received, [receive X -> X end || _ <- [1, 2, 3]]),
    Me ! a, Me ! #pair{first = late}, Me ! #inner{a = b},
    see:value(selected, receive #inner{a = A} -> A end),
    see:value(selected, receive #pair{first = late} = P -> P end),
    see:value(left, receive L -> L end).

-record #wide{f1 = 1, f2 = 2, f3 = 3, f4 = 4, f5 = 5, f6 = 6, f7 = 7, f8 = 8, f9 = 9, f10 = 10, f11 = 11, f12 = 12,
    f13 = 13, f14 = 14, f15 = 15,
              f16 = 16, f17 = 17, f18 = 18, f19 = 19, f20 = 20, f21 = 21, f22 = 22, f23 = 23, f24 = 24, f25 = 25,
              f26 = 26, f27 = 27, f28 = 28, f29 = 29,
              f30 = 30, f31 = 31, f32 = 32, f33 = 33, f34 = 34, f35}.

many_fields() ->
    W = #wide{f35 = last, f3 = third},
    see:value(wide, W),
    #wide{f1 = A, f35 = B, f20 = C, f3 = D, f34 = E, f2 = F, f19 = G, f33 = H, f10 = I, f11 = J} = see:id(W),
    see:value(matched, [A, B, C, D, E, F, G, H, I, J]),
    see:value(updated, W#wide{f35 = a, f1 = b, f17 = c, f18 = d, f2 = e, f34 = f, f5 = g, f6 = h, f7 = i, f8 = j}).

%% What code makes survives collections, with literals of its module as definitions and defaults.
kept() ->
    All = lists:foldl(fun(N, Kept) ->
        _ = lists:seq(1, 30),
        [#inner{a = N, b = {N, [N]}} | [R#inner{a = {changed, R#inner.a}} || R <- lists:sublist(Kept, 3)] ++
            lists:nthtail(min(3, length(Kept)), lists:sublist(Kept, 200))]
    end, [], lists:seq(1, 2000)),
    erlang:garbage_collect(),
    see:value(kept, {length(All), erlang:phash2([{R#inner.a, R#inner.b, R#inner.c} || R <- All])}),
    see:value(first, lists:sublist(All, 5)).
