%% Tables by seed: random operations on a table of any kind, each answer and what is left told as one hash for a seed.
%% `ets_random:tell(Seed)` shows every operation of a seed with its answer.
-module(ets_random).
-export([main/0, main/2, tell/1]).

main() -> main(1, 600).

main(From, To) ->
    [see:value(Seed, {kind(Seed), erlang:phash2(ran(Seed), 1 bsl 32)}) || Seed <- lists:seq(From, To)],
    ok.

tell(Seed) ->
    io:format("~0p~n", [kind(Seed)]),
    [io:format("~0p~n", [Step]) || Step <- ran(Seed)],
    ok.

kind(Seed) ->
    seed(Seed, 1),
    Type = one_of([set, ordered_set, bag, duplicate_bag]),
    Key = one_of([1, 1, 1, 2]),
    {Type, Key, one_of([[], [], [compressed], [{write_concurrency, true}],
        [{write_concurrency, auto}, {decentralized_counters, true}],
        [{read_concurrency, true}, {write_concurrency, true}, compressed]])}.

%% Each step: what was called, what it answered, and now and then all that the table holds.
ran(Seed) ->
    {Type, Key, Options} = kind(Seed),
    T = ets:new(random, [Type, public, {keypos, Key} | Options]),
    seed(Seed, 2),
    Ordered = Type =:= ordered_set,
    Steps = [step(T, Ordered, Key, N) || N <- lists:seq(1, 40 + rand:uniform(160))],
    Left = contents(T),
    true = ets:delete(T),
    Steps ++ [Left].

seed(Seed, Part) -> rand:seed(exsss, {Seed, Part, 25}).

step(T, Ordered, Key, N) ->
    {Function, Arguments} = call(T, Ordered, Key),
    Answer = try apply(ets, Function, Arguments) of
        Result -> told(Function, Ordered, Result)
    catch Class:Reason -> {Class, Reason}
    end,
    Step = {N, Function, without(T, Arguments), Answer, ets:info(T, size)},
    case N rem 16 of
        0 -> {Step, contents(T)};
        _ -> Step
    end.

%% The names of a table and of a fun are each machine's own.
without(T, Arguments) -> [A || A <- Arguments, A =/= T, not is_function(A)].

contents(T) -> sorted(ets:tab2list(T)).

%% 1 and 1.0 are equal to lists:sort/1, which leaves them as it found them.
sorted(Terms) -> [Term || {_, Term} <- lists:sort([{erlang:phash2(Term), Term} || Term <- Terms])].

%% Only an ordered set has an order, in which it is walked here.
told(Function, false, Result) when is_list(Result), Function =/= lookup, Function =/= take -> sorted(Result);
told(_, _, Result) -> Result.

call(T, Ordered, Key) ->
    case rand:uniform(28) of
        N when N =< 6 -> {insert, [T, object(Key)]};
        7 -> {insert, [T, objects(Key)]};
        8 -> {insert_new, [T, object(Key)]};
        9 -> {insert_new, [T, objects(Key)]};
        10 -> {lookup, [T, key()]};
        11 -> {lookup_element, [T, key(), rand:uniform(4)]};
        12 -> {member, [T, key()]};
        13 -> {delete, [T, key()]};
        14 -> {delete_object, [T, object(Key)]};
        %% Stock 25.2.3 loses count when it takes what was deleted from a bag that is fixed.
        15 -> {case ets:info(T, fixed) of true -> delete; false -> take end, [T, key()]};
        16 -> {update_counter, [T, key(), increments()]};
        17 -> {update_counter, [T, key(), increments(), object(Key)]};
        18 -> {update_element, [T, key(), changes()]};
        19 -> {select, [T, specs()]};
        20 -> {select_count, [T, [setelement(3, S, [true]) || S <- specs()]]};
        21 -> {select_delete, [T, [setelement(3, S, [is_gone()]) || S <- few(specs())]]};
        22 -> {select_replace, [T, [replacement(Key)]]};
        23 -> {match_object, [T, pattern()]};
        24 -> {match, [T, pattern()]};
        25 -> {match_delete, [T, pattern()]};
        26 when Ordered -> {one_of([next, prev]), [T, key()]};
        26 -> {tab2list, [T]};
        27 when Ordered -> {one_of([first, last]), [T]};
        27 -> {select, [T, specs()]};
        28 -> case rand:uniform(12) of
            1 -> {delete_all_objects, [T]};
            2 -> {safe_fixtable, [T, true]};
            3 -> {safe_fixtable, [T, false]};
            4 when Ordered -> {select_reverse, [T, specs()]};
            _ -> {foldl, [fun(Object, Sum) -> (Sum + erlang:phash2(Object)) band 16#ffffffff end, 0, T]}
        end
    end.

%% Keys that meet often, of all kinds; 1 and 1.0 are one key of an ordered set, two of the others.
key() ->
    case rand:uniform(14) of
        N when N =< 5 -> rand:uniform(8);
        6 -> one_of([float(rand:uniform(8)), 0.0, -0.0]);
        7 -> one_of([a, b, 'longer than a word', []]);
        8 -> {rand:uniform(3), one_of([a, b])};
        9 -> [rand:uniform(3)];
        10 -> one_of([<<>>, <<"k">>, <<1:3>>, binary:copy(<<"b">>, 70)]);
        11 -> #{rand:uniform(2) => a};
        12 -> (1 bsl 70) + rand:uniform(3);
        13 -> -rand:uniform(2);
        14 -> {}
    end.

value() ->
    case rand:uniform(9) of
        N when N =< 4 -> rand:uniform(20);
        5 -> key();
        6 -> {key(), value()};
        7 -> [value(), key()];
        8 -> lists:seq(1, rand:uniform(30));
        9 -> 1 bsl 64 - 2
    end.

object(1) -> list_to_tuple([key() | [value() || _ <- lists:seq(1, rand:uniform(3))]]);
object(2) -> list_to_tuple([value(), key() | [value() || _ <- lists:seq(2, rand:uniform(3))]]).

%% No key twice: which of them stays depends on stock on whether the call was interrupted.
objects(Key) -> once(Key, [object(Key) || _ <- lists:seq(1, rand:uniform(6) - 1)]).

once(_, []) -> [];
once(Key, [Object | Rest]) ->
    [Object | once(Key, [Other || Other <- Rest, element(Key, Other) /= element(Key, Object)])].

increments() ->
    case rand:uniform(5) of
        1 -> rand:uniform(9) - 5;
        2 -> {2, rand:uniform(9) - 5};
        3 -> {3, rand:uniform(9) - 5, rand:uniform(20), 0};
        4 -> [{2, 1}, {3, -1}];
        5 -> [{2, 1 bsl 64}, {2, -7, 3, 100}]
    end.

changes() ->
    case rand:uniform(3) of
        1 -> {rand:uniform(4), value()};
        2 -> [{2, value()}, {3, value()}];
        3 -> []
    end.

pattern() ->
    Elements = [one_of(['_', '$1', '$2', key(), rand:uniform(20)]) || _ <- lists:seq(1, 1 + rand:uniform(2))],
    one_of([list_to_tuple(Elements), list_to_tuple(Elements), '_', {'$1', {'$2', '_'}}]).

specs() -> [spec() || _ <- lists:seq(1, rand:uniform(2))].

few(Specs) -> [hd(Specs)].

spec() ->
    Head = one_of([{'$1', '$2'}, {'$1', '$2'}, {'$1', '$2', '_'}, {'$1', '$2', '$3', '_'}, {key(), '$1'},
        {key(), '$1', '_'}, {{'$1', '_'}, '$2'}, {[rand:uniform(3)], '$1'}, '$1']),
    {Head, guards(), [one_of(['$_', '$$', '$1', {{'$1', x}}, [{'+', 1, 1}], {size, '$_'}, {element, 1, '$_'}])]}.

guards() ->
    case rand:uniform(6) of
        1 -> [{one_of(['>', '<', '>=', '=<', '==', '=:=', '=/=']), '$1', {const, key()}}];
        2 -> [{one_of([is_integer, is_atom, is_tuple, is_list, is_binary, is_float, is_map]), '$1'}];
        3 -> [{'orelse', {'<', '$1', rand:uniform(8)}, {is_tuple, '$1'}}];
        4 -> [{'>', '$1', rand:uniform(4)}, {'<', '$1', 4 + rand:uniform(4)}];
        _ -> []
    end.

is_gone() -> one_of([true, {'<', {size, '$_'}, 3}, {is_integer, {element, 2, '$_'}}]).

%% The key stays, or the call is refused.
replacement(1) -> {{'$1', '$2'}, [{one_of([is_integer, is_list, is_tuple]), '$2'}],
    [{{'$1', one_of([{{'$2'}}, replaced, {const, value()}])}}]};
replacement(2) -> {{'$1', '$2'}, [], [{{one_of(['$2', replaced]), '$2'}}]}.

one_of(Choices) -> lists:nth(rand:uniform(length(Choices)), Choices).
