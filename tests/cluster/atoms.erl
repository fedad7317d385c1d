%% Atoms on the channel: many, in many messages, more than a cache of atoms holds, with long names and names that share
%% a place;
%% timeout: 15
%% after a new connection all are told again.
%% args: -connect_all false
-module(atoms).
-export([main/1]).

main([B]) ->
    cluster:quiet(),
    Pid = cluster:on(B, fun() -> spawn(fun Loop() -> receive {From, Term} -> From ! {back, Term, texts(Term)}, Loop()
        end end) end),
    Some = [list_to_atom("atom_" ++ integer_to_list(N)) || N <- lists:seq(1, 300)],
    Many = [list_to_atom("many_" ++ integer_to_list(N)) || N <- lists:seq(1, 6_000)],
    Long = [list_to_atom(lists:duplicate(N, Char)) || Char <- [$a, $ä, $€, 16#1F600],
        N <- [1, 63, 64, 127, 128, 254, 255]],
    see:value("one by one", same(Pid, Some)),
    see:value("again", same(Pid, Some)),
    see:value("together", same(Pid, [list_to_tuple(Some)])),
    see:value("more than 255 in a message", same(Pid, [Some ++ lists:sublist(Many, 300)])),
    see:value("many", same(Pid, Many)),
    see:value("many together", same(Pid, [Many, lists:reverse(Many), Many])),
    see:value("long", same(Pid, Long)),
    see:value("long together", same(Pid, [Long, lists:reverse(Long)])),
    see:value("in maps and funs",
        same(Pid, [maps:from_list([{Atom, Atom} || Atom <- Some]), [{Atom, fun() -> Atom end} || Atom <- Long]])),
    cluster:disconnect(B),
    see:value("over a new connection", [same(Pid, Atoms) || Atoms <- [Some, Long, [Many]]]),
    see:value("from many processes", from_many(Pid, Some ++ lists:sublist(Many, 2_000))).

same(Pid, Terms) ->
    [Pid ! {self(), Term} || Term <- Terms],
    lists:usort([receive {back, Back, Texts} -> {Back =:= Term, Texts =:= texts(Term)} end || Term <- Terms]).

texts(Atom) when is_atom(Atom) -> atom_to_binary(Atom);
texts(List) when is_list(List) -> [texts(Element) || Element <- List];
texts(Tuple) when is_tuple(Tuple) -> texts(tuple_to_list(Tuple));
texts(Map) when is_map(Map) -> texts(lists:sort(maps:to_list(Map)));
texts(Fun) -> texts(Fun()).

%% Senders that share the channel share its cache of atoms.
from_many(Pid, Atoms) ->
    Self = self(),
    Senders = [spawn(fun() -> Self ! {self(), same(Pid, shuffled(Atoms, Seed))} end) || Seed <- lists:seq(1, 20)],
    lists:usort([receive {Sender, Result} -> Result end || Sender <- Senders]).

shuffled(List, Seed) ->
    [Element || {_, Element} <- lists:sort([{erlang:phash2({Seed, Element}), Element} || Element <- List])].
