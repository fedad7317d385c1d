%% put, get, erase, get_keys: small, grown large, collected.
-module(process_dictionary).
-export([main/0]).

main() ->
    see:value(empty, [get(), get(x), erase(x), get_keys(), erase()]),
    see:value(put, [put(a, 1), put(a, 2), get(a), put("b", {2}), put(3.5, c), put(3, d)]),
    see:value(sorted, lists:sort(get())),
    see:value(keys, [lists:sort(get_keys()), lists:sort(get_keys({2})), get_keys(nothing)]),
    see:value(erase, [erase(a), get(a), erase(a)]),
    see:value(erase_all, [lists:sort(erase()), get()]),
    [put({k, N}, [N, {N}]) || N <- lists:seq(1, 5000)],
    erlang:garbage_collect(),
    see:value(many, {length(get()), lists:sum([hd(get({k, N})) || N <- lists:seq(1, 5000)])}),
    [erase({k, N}) || N <- lists:seq(1, 5000, 2)],
    see:value(halved, {length(get()), get({k, 1}), get({k, 2})}),
    [put({k, N}, changed) || N <- lists:seq(1, 5000)],
    see:value(refilled, lists:usort([V || {_, V} <- get()])),
    erase(),
    [see:value({back_and_forth, Most}, back_and_forth(Most)) || Most <- [7, 8, 9, 10, 20]],
    see:value(types, begin [put(K, K) || K <- keys()], [get(K) =:= K || K <- keys()] end),
    see:value(others, begin Me = self(), spawn(fun() -> Me ! {theirs, get(), put(x, y)} end),
        receive {theirs, D, O} -> {D, O} end end),
    see:value(info, begin erase(), put(one, 1), process_info(self(), dictionary) end).

%% The number of pairs goes up and down, over the number at which an index pays.
back_and_forth(Most) ->
    erase(),
    Round = fun(Round) ->
                    [put({Round, N}, N) || N <- lists:seq(1, Most)],
                    Seen = lists:sum([get({Round, N}) || N <- lists:seq(1, Most)]),
                    [erase({Round, N}) || N <- lists:seq(3, Most)],
                    [put({again, N}, N) || N <- lists:seq(3, Most)],
                    Again = [get({again, N}) || N <- lists:seq(3, Most)],
                    Left = lists:sort(get()),
                    [erase({again, N}) || N <- lists:seq(Most, 3, -1)],
                    [erase({Round, N}) || N <- [1, 2]],
                    {Seen, Again, Left, get()}
            end,
    [Round(R) || R <- [a, b, c]].

keys() -> [1, 1.0, a, "a", <<"a">>, {1}, {1.0}, [], #{}, #{a => 1}, 1 bsl 70, 0.0].
