%% Persistent terms: put, replaced and erased while processes hold them, many of them, and small and large ones.
-module(persistent_terms).
-export([main/0]).

main() ->
    Before = [Key || {Key, _} <- persistent_term:get()],
    held(),
    many(),
    sizes(),
    readers(),
    errors(),
    shared(),
    see:value(left, [Key || {Key, _} <- persistent_term:get(), not lists:member(Key, Before)]),
    ok.

%% What was read stays whole when its term is replaced or erased.
held() ->
    persistent_term:put(held, {first, [1, 2, 3], <<"text">>, lists:seq(1, 100)}),
    Self = self(),
    Holders = [spawn_link(fun() -> hold(Self, persistent_term:get(held)) end) || _ <- lists:seq(1, 5)],
    [receive {Pid, ready} -> ok end || Pid <- Holders],
    see:value(put, persistent_term:put(held, {second, #{key => value}})),
    see:value(now, persistent_term:get(held)),
    see:value(erase, [persistent_term:erase(held), persistent_term:erase(held), persistent_term:get(held, gone)]),
    %% Their areas serve others.
    [begin persistent_term:put({other, I}, lists:seq(I, I + 100)), persistent_term:erase({other, I})
        end || I <- lists:seq(1, 200)],
    [Pid ! tell || Pid <- Holders],
    see:value(held, [receive {Pid, Held} -> Held end || Pid <- Holders]).

hold(Asker, Held) ->
    Asker ! {self(), ready},
    receive tell -> erlang:garbage_collect(), Asker ! {self(), erlang:phash2(Held)} end.

many() ->
    Keys = [one_of(I) || I <- lists:seq(1, 3000)],
    [persistent_term:put(Key, {Key, I}) || {I, Key} <- lists:enumerate(Keys)],
    see:value(all, [Key || {I, Key} <- lists:enumerate(Keys), persistent_term:get(Key) =/= {Key, I}]),
    see:value(same, lists:usort([persistent_term:put(Key, {Key, I}) || {I, Key} <- lists:enumerate(Keys)])),
    see:value(none, [persistent_term:get({none, I}, I) || I <- lists:seq(1, 5)]),
    see:value(exact, [persistent_term:get(1.0, none), persistent_term:get({1.0}, none)]),
    {Odd, Even} = lists:partition(fun({I, _}) -> I rem 2 =:= 1 end, lists:enumerate(Keys)),
    see:value(erased, lists:usort([persistent_term:erase(Key) || {_, Key} <- Odd])),
    see:value(rest, [Key || {I, Key} <- Even, persistent_term:get(Key) =/= {Key, I}]),
    see:value(gone, lists:usort([persistent_term:get(Key, gone) || {_, Key} <- Odd])),
    [persistent_term:erase(Key) || {_, Key} <- Even].

one_of(I) ->
    case I rem 5 of
        0 -> I;
        1 -> {I, key};
        2 -> integer_to_binary(I);
        3 -> [I, I + 1];
        4 -> #{key => I}
    end.

sizes() ->
    Sizes = [0, 1, 7, 8, 9, 100, 500, 511, 512, 513, 1000, 5000, 100000],
    [persistent_term:put({size, Size}, lists:seq(1, Size)) || Size <- Sizes],
    see:value(sizes, [erlang:phash2(persistent_term:get({size, Size})) || Size <- Sizes]),
    [persistent_term:put({size, Size}, list_to_tuple(lists:seq(1, Size))) || Size <- Sizes],
    see:value(tuples, [tuple_size(persistent_term:get({size, Size})) || Size <- Sizes]),
    [persistent_term:erase({size, Size}) || Size <- Sizes].

%% Each value that is read belongs to its key, whatever others do meanwhile.
readers() ->
    [persistent_term:put({turn, I}, {I, [I]}) || I <- lists:seq(1, 50)],
    Readers = [spawn_monitor(fun() -> read(300) end) || _ <- lists:seq(1, 3)],
    [persistent_term:put({turn, I}, {I, [I, Round]}) || Round <- lists:seq(1, 20), I <- lists:seq(1, 50)],
    see:value(readers, [receive {'DOWN', Monitor, process, _, Reason} -> Reason end || {_, Monitor} <- Readers]),
    [persistent_term:erase({turn, I}) || I <- lists:seq(1, 50)].

read(0) -> ok;
read(N) ->
    [{I, [I | _]} = persistent_term:get({turn, I}) || I <- lists:seq(1, 50)],
    read(N - 1).

errors() ->
    see:that(missing, fun() -> persistent_term:get(not_there) end),
    see:value(default, persistent_term:get(not_there, default)),
    see:value(info, lists:sort(maps:keys(persistent_term:info()))).

%% What is shared within a term stays shared: here 2^50 paths lead to the bottom.
shared() ->
    Pyramid = lists:foldl(fun(_, Below) -> [Below | Below] end, {bottom, list_to_binary(see:id("text"))},
        lists:seq(1, 50)),
    persistent_term:put(pyramid, {Pyramid, [Pyramid]}),
    {Stored, [Again]} = persistent_term:get(pyramid),
    true = erts_debug:same(Stored, Again),
    see:value(shared, [erts_debug:size(Stored), erts_debug:same(hd(Stored), tl(Stored)), bottom(Stored)]),
    persistent_term:erase(pyramid).

bottom([Below | Below1]) -> true = erts_debug:same(Below, Below1), bottom(Below);
bottom(Bottom) -> Bottom.
