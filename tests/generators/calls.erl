%% Calls of BIFs with arguments drawn from a pool: good ones, edges, and wrong ones of every kind. The same seed makes
%% the same calls on any machine, so two machines can be compared by what they print.
%%
%%   calls summary SEED COUNT FILE    for each BIF in the file (Module Function Arity, a line each): how many calls, how
%%                                    many of them succeeded, and a digest of all that came out
%%   calls each SEED COUNT M F A      the calls of one BIF, one line each: what was called, what came out,
%%                                    the places of the arguments in the pool, a digest of both
%%   calls these M F A PLACES...      calls of one BIF with arguments from these places (`3,17`), one line each, which
%%                                    begins with its number
%%
%% A call is made by a process of its own, so nothing of it lasts. What comes out is the value, or the class and
%% reason together with the explanation of each argument; identities in it are replaced by their kind.
%% Half of the calls change one argument of an earlier call that succeeded: so also functions of many
%% arguments, or of strict ones, are called well. What follows a difference may therefore differ as well.
-module(calls).
-export([start/0]).

-define(CALL_MS, 20000).
-define(REMEMBERED, 64).

start() ->
    logger:set_primary_config(level, none),
    case init:get_plain_arguments() of
        ["summary", Seed, Count, File] ->
            {ok, Listed} = file:read_file(File),
            lists:foreach(fun(Line) -> summary(numbers(Seed, Count), bif(binary:split(Line, <<" ">>, [global]))) end,
                          binary:split(Listed, <<"\n">>, [global, trim_all]));
        ["each", Seed, Count | Bif] -> each(numbers(Seed, Count), bif([list_to_binary(Word) || Word <- Bif]));
        ["these", M, F, A | Lists] -> these(bif([list_to_binary(Word) || Word <- [M, F, A]]), Lists)
    end,
    halt().

numbers(Seed, Count) -> {list_to_integer(Seed), list_to_integer(Count)}.

bif([M, F, A]) -> {binary_to_atom(M), binary_to_atom(F), binary_to_integer(A)}.

summary(Numbers, {M, F, A} = Bif) ->
    Tell = fun(_, _, Outcome, {Made, Succeeded, Digest}) ->
                   {Made + 1, Succeeded + succeeded(Outcome), erlang:md5([Digest, encoded(Outcome)])}
           end,
    {Made, Succeeded, Digest} = calls(Numbers, Bif, Tell, {0, 0, <<>>}),
    io:format("~ts ~ts ~b ~b ~b ~ts~n", [M, F, A, Made, Succeeded, binary:encode_hex(Digest)]).

succeeded({value, _}) -> 1;
succeeded(_) -> 0.

encoded(Outcome) -> term_to_binary(Outcome, [deterministic, {minor_version, 2}]).

each(Numbers, {M, F, _} = Bif) ->
    calls(Numbers, Bif,
          fun(Places, Arguments, Outcome, ok) ->
                  io:format("~ts~n", [line({M, F}, Places, Arguments, Outcome)])
          end, ok).

these({M, F, _} = Bif, Lists) ->
    {_, All} = pool(Bif),
    [begin
         Places = [min(list_to_integer(Word), tuple_size(All)) || Word <- string:lexemes(List, ",")],
         {Arguments, Outcome} = call(Bif, All, Places),
         io:format("~b: ~ts~n", [Label, line({M, F}, Places, Arguments, Outcome)])
     end || {Label, List} <- lists:enumerate(Lists)].

line({M, F}, Places, Arguments, Outcome) ->
    Digest = binary:encode_hex(binary:part(erlang:md5(encoded({Arguments, Outcome})), 0, 4)),
    List = lists:join($,, [integer_to_list(Place) || Place <- Places]),
    io_lib:format("~0tp:~0tp~0tP -> ~0tP ~ts ~ts", [M, F, Arguments, 60, Outcome, 60, List, Digest]).

%% Seed and BIF alone decide what is called.
calls({Seed, Count}, {M, F, A} = Bif, Tell, State) ->
    Random = rand:seed_s(exsss, {Seed, erlang:crc32(atom_to_binary(M)), erlang:crc32([atom_to_binary(F), A])}),
    calls(count(A, Count), Bif, pool(Bif), {[], 0}, Random, Tell, State).

%% All that may be an argument, and how much of it, at the front, is likely to be one.
pool(Bif) ->
    Likely = [Value || Value <- likely() ++ special(Bif), fits(Bif, Value)],
    All = Likely ++ [Value || Value <- pool(), fits(Bif, Value)],
    {length(Likely), list_to_tuple(All)}.

%% Without arguments, two calls tell all.
count(0, _) -> 2;
count(Arity, Count) -> Count * Arity.

%% Stock asks for the memory that some of these want, and ends when there is not so much; and what shows the
%% number of a process or the place of a fun is not called with one.
fits({binary, copy, 2}, N) when is_integer(N) -> N < 100000;
%% The least heap is another than stock's.
fits({erlang, process_flag, _}, Flag) when Flag =:= min_heap_size; Flag =:= max_heap_size -> false;
fits({erlang, process_flag, _}, N) when is_integer(N) -> N < 100000;
fits({erlang, make_tuple, _}, N) when is_integer(N) -> N < 100000;
%% Of native records, stock dies in the one and has another hash in the other.
fits({erts_internal, term_type, 1}, Value) -> not is_native_record(Value);
fits({erlang, phash, 2}, Value) -> not is_identity(Value) andalso not is_native_record(Value);
%% From OTP 26 on the order of a map's keys is open. It shows in the bytes, and so may how much a compression saves.
fits({erlang, F, _}, Value) when F =:= term_to_binary; F =:= term_to_iovec ->
    not is_identity(Value) andalso not has_open_order(Value);
fits({erlang, F, _}, Value) when F =:= phash2; F =:= fun_to_list; F =:= external_size -> not is_identity(Value);
fits({maps, F, 1}, Value) when F =:= keys; F =:= values -> not has_open_order(Value);
fits(_, _) -> true.

has_open_order(Map) when is_map(Map) ->
    map_size(Map) > 1 andalso list_to_integer(erlang:system_info(otp_release)) >= 26;
has_open_order(_) -> false.

is_identity({make, _}) -> true;
is_identity({bm, _}) -> true;
is_identity(F) when is_function(F) -> erlang:fun_info(F, type) =:= {type, local};
is_identity(_) -> false.

%% What is of no other type. The compiler of an older release does not know the test.
is_native_record(T) ->
    not (is_number(T) orelse is_atom(T) orelse is_bitstring(T) orelse is_list(T) orelse is_tuple(T) orelse is_map(T)
        orelse
         is_function(T) orelse is_pid(T) orelse is_port(T) orelse is_reference(T)).

calls(0, _, _, _, _, _, State) -> State;
calls(N, {_, _, Arity} = Bif, {_, All} = Pool, Good, Random0, Tell, State) ->
    {Names, Random} = choose(Arity, Pool, Good, Random0),
    {Arguments, Outcome} = call(Bif, All, Names),
    NewGood = case Outcome of
                  {value, _} -> remember(Names, Good);
                  _ -> Good
              end,
    calls(N - 1, Bif, Pool, NewGood, Random, Tell, Tell(Names, Arguments, Outcome, State)).

%% Arguments are chosen as places in the pool, and made by the process that calls. Until the first success, half of
%% the calls keep to what is likely to be an argument.
choose(Arity, {Likely, All}, {[], _}, Random0) ->
    case rand:uniform_s(2, Random0) of
        {1, Random} -> fresh(Arity, tuple_size(All), [], Random);
        {2, Random} -> fresh(Arity, Likely, [], Random)
    end;
choose(Arity, {_, All}, {Good, Known}, Random0) ->
    case rand:uniform_s(2, Random0) of
        {1, Random} -> fresh(Arity, tuple_size(All), [], Random);
        {2, Random1} ->
            {Which, Random2} = rand:uniform_s(min(Known, ?REMEMBERED), Random1),
            {Place, Random3} = rand:uniform_s(Arity, Random2),
            {Name, Random} = rand:uniform_s(tuple_size(All), Random3),
            {Before, [_ | After]} = lists:split(Place - 1, lists:nth(Which, Good)),
            {Before ++ [Name | After], Random}
    end.

fresh(0, _, Names, Random) -> {Names, Random};
fresh(Left, Size, Names, Random0) ->
    {Name, Random} = rand:uniform_s(Size, Random0),
    fresh(Left - 1, Size, [Name | Names], Random).

remember([], Good) -> Good;
remember(Names, {Good, Known}) -> {lists:sublist([Names | Good], ?REMEMBERED), Known + 1}.

call({M, F, _}, Pool, Names) ->
    {Caller, Watch} =
        spawn_monitor(fun() ->
                              Arguments = [made(element(Name, Pool)) || Name <- Names],
                              exit({came_out, plain(Arguments), outcome(M, F, Arguments)})
                      end),
    receive
        {'DOWN', Watch, process, Caller, {came_out, Arguments, Outcome}} -> {Arguments, Outcome};
        {'DOWN', Watch, process, Caller, Reason} -> {Names, {ended, plain(Reason)}}
    after ?CALL_MS ->
            exit(Caller, kill),
            erlang:demonitor(Watch, [flush]),
            {Names, does_not_end}
    end.

outcome(M, F, Arguments) ->
    try apply(M, F, Arguments) of
        Value -> {value, plain(Value)}
    catch
        Class:Reason:Stack -> {Class, plain(Reason), from(M, F, Reason, Stack)}
    end.

%% Who raised it, and what is to be said of it.
from(M, F, Reason, [{M, F, _, Location} | _] = Stack) -> explained(Reason, Stack, Location);
%% From OTP 26 on stock names this one when `apply` finds the function at run time.
from(erlang, iolist_to_iovec, Reason, [{erts_internal, iolist_to_iovec_continue, Arguments, Location} | Stack]) ->
    explained(Reason, [{erlang, iolist_to_iovec, Arguments, Location} | Stack], Location);
from(_, _, _, [{Other, Function, _, _} | _]) -> {Other, Function};
from(_, _, _, []) -> nowhere.

explained(Reason, Stack, Location) ->
    case lists:keyfind(error_info, 1, Location) of
        {error_info, Info} ->
            Explainer = maps:get(module, Info, erl_erts_errors),
            Function = maps:get(function, Info, format_error),
            try Explainer:Function(Reason, Stack) of
                Explanation -> maps:map(fun(_, Text) -> unicode:characters_to_binary(Text) end, Explanation)
            catch
                Class:Failure -> {not_explained, Class, plain(Failure)}
            end;
        false -> none
    end.

plain(T) when is_function(T) ->
    case erlang:fun_info(T, type) of
        {type, external} -> T;
        {type, local} -> {'a fun', erlang:fun_info(T, arity)}
    end;
plain(T) when is_pid(T) -> 'a pid';
plain(T) when is_port(T) -> 'a port';
plain(T) when is_reference(T) -> 'a reference';
plain({re_pattern, Groups, Unicode, Lines, _}) -> {re_pattern, Groups, Unicode, Lines, compiled};
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain([H | T]) -> [plain(H) | plain(T)];
plain(T) when is_map(T) -> maps:from_list([{plain(K), plain(V)} || {K, V} <- maps:to_list(T)]);
plain(T) -> T.

%% What has to belong to the caller is made by it.
made({make, Make}) -> Make();
made(T) -> T.

likely() ->
    [0, 1, 2, a, [], [1, 2, 3], "abc", <<"abc">>, {a, 1}, #{a => 1}, 1.5, fun(X) -> X end, {make, fun self/0}, true].

pool() ->
    Sub = binary:part(<<"some text that is more than sixty-four bytes long, so that its parts refer to it">>, 5, 66),
    Deep = lists:foldl(fun(N, Inner) -> [N, {Inner}] end, [], lists:seq(1, 30)),
    [3, 4, 5, 7, 8, 16, 31, 32, 63, 64, 100, 127, 128, 255, 256, 1000, 16#d800, 65535, 16#10ffff, 16#110000,
     -1, -2, -3, -64, -128, -129, -1000, (1 bsl 59) - 1, 1 bsl 59, -(1 bsl 59), -(1 bsl 59) - 1, (1 bsl 60) + 1,
     1 bsl 63,
     1 bsl 64, -(1 bsl 64), (1 bsl 64) - 1, 1 bsl 200, -(1 bsl 200) + 7,
     0.0, -0.0, 1.0, 1.5, -2.5, 3.0, 0.1, 1.0e16, 1.0e22, 9007199254740993.0, 1.0e300, -1.0e300, 5.0e-324,
     false, b, undefined, infinity, '', 'Grün', 'is "quoted"', latin1, utf8, unicode, utf16, all, global, trim,
     small, big, little, ok, error, kill, normal, nosuchname,
     [], [1], [1, 2, 3], [3, 1, 2, 3], [a | b], [1, 2 | 3], "abc", "12", "-17", "1.5e3", "16#ff", "ff",
     [1, [2, <<3>>], "x"],
     [256], [16#d800], [1024, 945], [-1], [a], [a, b], [a, a, b], [{a, 1}, {b, 2}], [{1, a}, {2, b}, {1.0, c}], [{a}],
     [{}],
     [1.5, 2], [<<"ab">>, <<"c">> | <<"d">>], [<<1:3>>], [[], [[]]], [#{}], [true, false], [global], [trim],
     [{scope, {1, 2}}],
     lists:seq(1, 100), lists:duplicate(70, $x), Deep,
     {}, {a}, {a, 1}, {1, 2, 3}, {a, {b, [c]}}, {1, 1}, {0, 2}, {-1, 1}, {2, -2}, {3, a, b, c, d, e, f, g},
     list_to_tuple(lists:seq(1, 40)),
     #{}, #{a => 1}, #{a => 1, b => 2, 3 => []}, #{1 => a, 1.0 => b}, #{[] => #{}},
     maps:from_list([{N, N * N} || N <- lists:seq(1, 40)]),
     <<>>, <<"a">>, <<"abc">>, <<"b">>, <<"12">>, <<"-17">>, <<"1.5">>, <<"ff">>, <<0>>, <<255>>, <<1:1>>, <<5:3>>,
     <<"abc", 2:3>>, <<"Größe"/utf8>>, <<"x", 16#c3>>,
     Sub, binary:copy(<<"ab">>, 50), <<131, 97, 5>>, <<131, 104, 2, 97, 1>>, <<131, 109, 0, 0, 0, 1>>, <<"a b  c">>,
     term_to_binary({a, "b", #{c => 1.5}}), binary:compile_pattern(<<"b">>),
     fun lists:append/2, fun erlang:length/1, fun nosuch:function/3, fun(X) -> X end, fun() -> here end,
     fun(X, Y) -> {X, Y} end,
     {make, fun self/0}, {make, fun make_ref/0}] ++ native_records().

%% Only where the release has them.
native_records() ->
    case list_to_integer(erlang:system_info(otp_release)) of
        Release when Release < 29 -> [];
        _ ->
            [records:create(M, N, Fields, #{is_exported => Exported})
             || {M, N, Fields, Exported} <- [{a, b, [], true}, {a, b, [{a, 1}], false},
                 {calls, 'is "quoted"', [{b, [1, 2]}], true}]]
            ++ [<<131, 67, 0, 0, 0, 1, 1, 119, 1, 97, 119, 1, 98, 119, 1, 97, 97, 1>>,
                <<131, 67, 0, 0, 0, 1, 3, 119, 1, 97, 119, 1, 98, 119, 1, 97, 97, 1>>]
    end.

special({re, _, _}) ->
    {ok, Compiled} = re:compile("(a|b)(?<n>c)?"),
    ["b", "a(b)?", "(?<n>[a-z]+)", "(", "[[:alpha:]]*$", "^.", <<"\\w+">>, Compiled, [{capture, all, binary}],
        [{capture, all, list}],
     [{capture, none}], [{capture, ["n"], binary}], [{capture, all_but_first, index}], [global, {capture, all, list}],
     [unicode], [caseless],
     [notempty], [anchored], [multiline], [report_errors], [{match_limit, 1}], [dollar_endonly], [ucp, unicode],
     namelist, [{newline, crlf}], [bsr_anycrlf], [extended], [firstline], [ungreedy], [{newline, x}], [{return, list}],
     "ab\nabc"];
special({binary, _, _}) ->
    [binary:compile_pattern([<<"a">>, <<"bc">>]), [<<"a">>, <<"bc">>], [<<>>], <<"t">>, [{scope, {0, 3}}],
        [{scope, {3, -3}}], [trim_all], [global, trim_all],
     [{scope, {5, 100}}, global]];
special({unicode, _, _}) ->
    [{utf16, little}, {utf16, big}, {utf32, big}, {utf32, little}, utf32, <<0, 65>>, <<65, 0, 66>>, <<0, 0, 0, 65>>,
        <<16#fe, 16#ff>>, <<16#ef, 16#bb, 16#bf>>,
     ["ab", <<"Größe"/utf8>>], [<<16#c3>>, <<16#b6>>], [228, <<228>>], <<228>>];
special({ets, F, _}) when F =:= insert; F =:= insert_new ->
    %% By name only: what stock says of a wrong table depends on whether the object is a table.
    [{make, fun() -> table(Kind, [named_table]) end} || Kind <- [set, ordered_set, bag, duplicate_bag]] ++
    [some_table, [{a, 5}, {c, 1}], [{a, 5}, {a, 6}], {c, 7}, {1.0, y}, [{1, x}, {1.0, y}], [{1}, {}],
        [{b, 2} | {c, 3}]];
special({ets, F, _}) ->
    %% The order of the others is the machine's own.
    Kinds = case lists:member(F, [delete, delete_object, insert, insert_new, lookup, lookup_element, member, new,
        rename, select_count,
                                  select_delete, setopts, take, update_counter, update_element, whereis]) of
                true -> [set, ordered_set, bag, duplicate_bag];
                false -> [ordered_set]
            end,
    [{make, fun() -> table(Kind, Options) end} || Kind <- Kinds, Options <- [[], [{keypos, 2}]]] ++
    [{make, fun() -> table(hd(Kinds), [named_table, public]) end}, some_table, [{'$1', [], ['$1']}],
     [{{'$1', '$2'}, [{'>', '$2', 1}], [{{'$2', '$1'}}]}],
     [{{'$1', '_'}, [], [true]}], [{{a, '$1'}, [], [{{a, {'+', '$1', 1}}}]}], [{'_', [], ['$_']}],
     [{'_', [{x}], ['$_']}], [{{'$1', '$2'}, [], ['$$']}],
     [{{a, '_'}, [], [{const, false}]}], '$1', '_', {'$1', '_'}, {a, '$1'}, {2, 1}, {2, 1, 10, 0}, [{2, 1}, {2, -1}],
     {2, {x}}, [{2, y}], '$end_of_table',
     [set], [bag, public], [ordered_set, named_table], [{keypos, 3}], [{read_concurrency, true}], [{heir, none}],
     [compressed], [private, {keypos, 0}],
     name, type, size, keypos, protection, named_table, owner, [{a, 5}, {c, 1}], {c, 7}];
special({erlang, _, _}) ->
    [[safe], [used], [compressed], [{compressed, 9}], [{minor_version, 1}], [deterministic], [{decimals, 2}],
        [{decimals, 2}, compact], [{scientific, 3}], [short],
     4, raw, line, asn1, httph_bin, http, <<0, 3, "abc">>, <<"GET / HTTP/1.1\r\n">>, <<"Host: x\r\n">>,
     <<"a line\nmore">>, [{line_length, 4}], [{packet_size, 2}],
     lists, append, trap_exit, priority, high, message_queue_data, off_heap, min_heap_size, max_heap_size,
     fullsweep_after, group_leader, links, messages, registered_name,
     process, port, time_offset, millisecond, nanosecond, native, {2020, 2, 30}, {{2020, 2, 29}, {23, 59, 59}},
     {{1969, 12, 31}, {0, 0, 0}}, [flush], [info],
     [monitor], [{alias, reply_demonitor}], [link], {1, 2, [{a, 1}]}, [{1, x}, {2, y}], [{1, x}, {9, y}],
     exact_reductions, otp_release, wordsize, {wordsize, external}, badarg];
special({maps, _, _}) -> [{make, fun() -> maps:iterator(#{a => 1}) end}, [a, b, c], [{a, 1}, {a, 2}], [{a, 1} | x]];
special({lists, _, _}) -> [[{a, 1}, x, {b, 2}], [{x, a, 1}, {y, b}], [a, b, c, d]];
special({records, _, _}) ->
    [#{is_exported => true}, #{is_exported => false}, #{b => x}, [{a, 1}, {b, 2}, {'', 3}], [{a, 1}, {1, 2}], calls,
        'is "quoted"'];
special({string, _, _}) -> [" 17 x", "1.5x", "1e5", "+3", "."];
special({atomics, _, _}) -> [{make, fun() -> atomics:new(3, []) end}, {make, fun() -> atomics:new(2, [{signed, false}])
    end}];
special({os, _, _}) -> ["FERL_NO_SUCH_NAME", "A=B", [0], second, millisecond];
special(_) -> [].

table(Kind, Options) ->
    Table = ets:new(some_table, [Kind | Options]),
    ets:insert(Table, [{a, 1}, {b, 2}, {a, 3}, {1, a}, {1.0, 2, x}, {[c], {d}}, {2, 5}]),
    Table.
