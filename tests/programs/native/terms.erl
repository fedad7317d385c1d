%% Terms that a native library reads and makes: numbers, atoms, strings, lists, tuples, maps, binaries, exceptions,
%% printing.
%% needs: erl_nif.h
-module(terms).
-export([main/0, init/0]).
-export([kind/1, numbers/1, limits/0, not_finite/0, atom/2, existing/0, long_atom/0, string/2, lists/1, tuples/1,
    maps/3, map_from/2,
         iterate/1, compare/2, hash/1, external/1, print/2, keep/1, kept_one/0, raise/1, badarg/1, many/1, inspect/1,
         grow/3, part/3,
         release/0]).
-nifs([kind/1, numbers/1, limits/0, not_finite/0, atom/2, existing/0, long_atom/0, string/2, lists/1, tuples/1, maps/3,
    map_from/2,
       iterate/1, compare/2, hash/1, external/1, print/2, keep/1, kept_one/0, raise/1, badarg/1, many/1, inspect/1,
       grow/3, part/3,
       release/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:rootname(code:which(?MODULE)), 0).

main() ->
    Terms = terms(),
    [see:that(kind, fun() -> kind(Term) end) || Term <- Terms],
    [see:value("numbers", {Number, numbers(Number)}) || Number <- numbers(), _ <- [numbers(Number)]],
    see:value("limits", limits()),
    see:that("not finite", fun not_finite/0),
    [see:value("atom", {Atom, Size, atom(Atom, Size)}) || Atom <- [ok, '', 'with space', 'åäö', 'Ω', "text", 7],
        Size <- [0, 1, 3, 100]],
    see:value("existing", existing()),
    see:that("long atom", fun long_atom/0),
    [see:value("string", {Text, Size, string(Text, Size)})
     || Text <- ["", "abc", "åäö", [256], [$a | $b], [a], <<"abc">>], Size <- [0, 1, 3, 4, 64]],
    [see:value("lists", lists(List)) || List <- [[], [1], [a, b, c], [a | b], {}, lists:seq(1, 50)]],
    [see:value("tuples", tuples(Tuple)) || Tuple <- [{}, {1}, {a, "b", <<"c">>}, [], erlang:make_tuple(40, x)]],
    maps_of_all_sizes(),
    [see:value("compare", {A, B, compare(A, B)}) || A <- [1, 1.0, a, [], {}, #{}, <<1>>],
        B <- [1, 1.0, b, [1], {1}, #{1 => 2}, <<1>>]],
    [see:value("hash", {element(1, hash(Term)) =:= erlang:phash2(Term), element(2, hash(Term))}) || Term <- Terms],
    [see:value("external", case external(Term) of
                               {Bytes, yes, Back, 0} -> {Bytes =:= term_to_binary(Term), Back =:= Term};
                               Other -> Other
                           end) || Term <- Terms],
    [see:value("print", print(Term, Size)) || Term <- [a, 'B c', "text", [1, 2 | x], {1.5, <<"ab">>}, 1 bsl 70, #{},
        ""], Size <- [1, 10, 200]],
    kept(Terms),
    [see:that("raise", fun() -> raise(Term) end) || Term <- [reason, {a, "b"}, 1 bsl 80]],
    see:that("badarg", fun() -> badarg({arguments, "shown"}) end),
    see:value("many", [many(N) =:= [{I, I / 2, binary:copy(<<I>>, I rem 100)} || I <- lists:seq(1, N)]
        || N <- [0, 1, 100, 20000]]),
    [see:value("inspect", inspect(Bytes))
     || Bytes <- [<<>>, <<"abc">>, binary:copy(<<7>>, 1000), <<1:7>>, unaligned(), [1, <<2, 3>>, [[4]] | <<5>>], [256],
         [a], a, []]],
    [see:value("grow", {From, To, Then, grow(From, To, Then)}) || {From, To, Then} <- [{0, 0, 0}, {10, 20, 5},
        {20, 10, 40}, {1, 3, 0}]],
    Long = binary:copy(<<"0123456789">>, 30),
    [see:value("part", part(Of, From, Count)) || Of <- [<<"0123456789">>, Long, unaligned()],
        {From, Count} <- [{0, 3}, {2, 3}, {1, 0}]],
    see:value("release", release()),
    see:that("wrong argument", fun() -> grow(a, b, c) end),
    see:value("exported", {erlang:fun_info(fun ?MODULE:kind/1, arity),
        lists:member({kind, 1}, ?MODULE:module_info(nifs)),
                           apply(?MODULE, numbers, [5]), (fun ?MODULE:numbers/1)(6)}).

%% Four bits into a byte.
unaligned() ->
    <<_:4, Rest/bits>> = <<16#01, 16#23, 16#45, 16#67, 16#89, 16#ab:4, 0:0>>,
    Rest.

terms() ->
    [a, '', 0, -1, 1 bsl 59, 1 bsl 64, -(1 bsl 200), 0.0, 1.5, [], [a | b], "text", {}, {1, 2}, #{}, #{a => 1},
     maps:from_list([{N, -N} || N <- lists:seq(1, 50)]), <<>>, <<"bytes">>, <<1:3>>, binary:copy(<<1>>, 100),
     unaligned(),
     fun erlang:self/0, fun(X) -> X end, self(), open_port({spawn, "cat"}, []), make_ref()].

numbers() ->
    [0, 1, -1, 1.0, 1.5, a] ++ [Sign * (1 bsl Bits) + Add || Bits <- [31, 32, 59, 60, 63, 64, 65, 128], Sign <- [1, -1],
        Add <- [-1, 0, 1]].

maps_of_all_sizes() ->
    Maps = [maps:from_list([{N, {N}} || N <- lists:seq(1, Size)]) || Size <- [0, 1, 31, 32, 33, 100, 1000]],
    lists:foreach(fun(Map) ->
        lists:foreach(fun(Key) ->
            {Size, Found, Value, yes, Put, IsUpdated, Updated, yes, Removed} = maps(Map, Key, new),
            see:value("map", {Size, Found, Value, Put =:= Map#{Key => new}, IsUpdated,
                Updated =:= [] orelse Updated =:= Map#{Key := new},
                              Removed =:= maps:remove(Key, Map)})
        end, [1, 20, none]),
        {Steps, Head, Tail, Back, There, AndBack, Last} = iterate(Map),
        see:value("iterated", {Steps, Head, Tail, Back, lists:sort(There) =:= lists:sort(maps:to_list(Map)),
                               AndBack =:= lists:reverse(There), Last})
    end, Maps),
    see:value("no map", {maps(a, b, c), (catch element(1, element(2, catch iterate(a))))}),
    see:value("from arrays", [map_from([], []), map_from([a], [1]), map_from([a, b, a], [1, 2, 3]),
                              map_from(lists:seq(1, 50), lists:seq(1, 50)) =:= {#{},
                                  maps:from_list([{N, N} || N <- lists:seq(1, 50)])}]).

%% What is kept in an environment of the library's own is not moved by collections of the process.
kept(Terms) ->
    see:value("kept", [begin ok = keep(Term), true = erlang:garbage_collect(), kept_one() =:= Term end
        || Term <- Terms]),
    Large = {binary:copy(<<"x">>, 1000), lists:seq(1, 1000), #{self() => fun kept/1}},
    ok = keep(Large),
    {Pid, Monitor} = spawn_monitor(fun() -> exit({same, kept_one() =:= Large}) end),
    receive {'DOWN', Monitor, process, Pid, Reason} -> see:value("by another process", Reason) end.

kind(_) -> erlang:nif_error(not_loaded).
numbers(_) -> erlang:nif_error(not_loaded).
limits() -> erlang:nif_error(not_loaded).
not_finite() -> erlang:nif_error(not_loaded).
atom(_, _) -> erlang:nif_error(not_loaded).
existing() -> erlang:nif_error(not_loaded).
long_atom() -> erlang:nif_error(not_loaded).
string(_, _) -> erlang:nif_error(not_loaded).
lists(_) -> erlang:nif_error(not_loaded).
tuples(_) -> erlang:nif_error(not_loaded).
maps(_, _, _) -> erlang:nif_error(not_loaded).
map_from(_, _) -> erlang:nif_error(not_loaded).
iterate(_) -> erlang:nif_error(not_loaded).
compare(_, _) -> erlang:nif_error(not_loaded).
hash(_) -> erlang:nif_error(not_loaded).
external(_) -> erlang:nif_error(not_loaded).
print(_, _) -> erlang:nif_error(not_loaded).
keep(_) -> erlang:nif_error(not_loaded).
kept_one() -> erlang:nif_error(not_loaded).
raise(_) -> erlang:nif_error(not_loaded).
badarg(_) -> erlang:nif_error(not_loaded).
many(_) -> erlang:nif_error(not_loaded).
inspect(_) -> erlang:nif_error(not_loaded).
grow(_, _, _) -> erlang:nif_error(not_loaded).
part(_, _, _) -> erlang:nif_error(not_loaded).
release() -> erlang:nif_error(not_loaded).
