%% Searches for keys of all kinds among elements of all kinds: what equals what, also in tuples and binaries.
-module(keys_of_all_kinds).
-export([main/0]).

main() ->
    Keys = keys(),
    Tuples = [{place, Key, Place} || {Place, Key} <- lists:enumerate(Keys)],
    Others = [not_a_tuple, {}, {short}, 17, "list"],
    [see:value(Place, {places(Key, Tuples), found(Key, Others ++ lists:reverse(Tuples)),
                       lists:keymember(Key, 2, Others),
                       [Key == Other || Other <- Keys], [Key =:= Other || Other <- Keys]})
        || {Place, Key} <- lists:enumerate(Keys)].

%% All places at which the key is found, one after the other.
places(Key, Tuples) ->
    case lists:keyfind(Key, 2, Tuples) of
        false -> [];
        {place, _, Place} = Found -> [Place | places(Key, tl(lists:dropwhile(fun(T) -> T =/= Found end, Tuples)))]
    end.

found(Key, List) ->
    {value, Tuple} = lists:keysearch(Key, 2, List),
    Tuple.

%% Equal terms are made apart, so that they are not the same words.
keys() ->
    lists:append([[made(Text), made(Text)] || Text <-
        ["1", "1.0", "-1", "a", "[]", "\"text\"", "\"texu\"", "<<>>", "<<1>>", "<<\"a key\">>", "<<\"a kez\">>",
         "<<1:3>>", "<<\"0123456789\">>",
         "<<\"0123456789012345678901234567890123456789012345678901234567890123456789\">>",
         "{}", "{a}", "{a, 1}", "{a, 1.0}", "{a, b, <<\"c\">>}", "{1, {2.0, 3}}", "{1.0, {2, 3}}", "{1, {2, 3.5}}",
         "1 bsl 70", "float(1 bsl 70)", "1 bsl 70 + 1", "#{a => 1}", "#{a => 1.0}", "#{1 => a}", "[1, {2, 3}]",
         "[1.0, {2, 3.0}]", "1.5", "0", "0.0", "{0}", "{0.0}"]]).

made(Text) ->
    {ok, Tokens, _} = erl_scan:string(Text ++ "."),
    {ok, Forms} = erl_parse:parse_exprs(Tokens),
    {value, Value, _} = erl_eval:exprs(Forms, []),
    Value.
