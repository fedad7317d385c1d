%% Binaries and bit strings of all sizes in the external format: what is copied at once, what is copied at the end, what
%% is shifted, and outputs that outgrow one buffer after the other.
-module(external_binaries).
-export([main/0]).

main() ->
    Source = << <<(N * 7919 bsr 3)>> || N <- lists:seq(1, 3000) >>,
    Sizes = lists:seq(0, 150) ++ lists:seq(250, 262) ++ lists:seq(1018, 1030) ++ [2000, 2990],
    Whole = [binary:copy(binary:part(Source, 0, Size)) || Size <- Sizes],
    Parts = [binary:part(Source, Size rem 8, Size) || Size <- Sizes],
    see(whole, Whole),
    see(parts, Parts),
    [see({bits, Skip}, [bits(Source, Skip, Size) || Size <- lists:seq(0, 1300, 13) ++ [2040, 2056, 8190, 20000]])
     || Skip <- lists:seq(0, 17)],
    %% Each term ends where the room of a buffer may end.
    [see({near, Edge}, [[binary:part(Source, 0, Edge - More rem 90), More, Part]
        || {More, Part} <- lists:enumerate(Parts)])
     || Edge <- [100, 950, 1024, 1100, 2900]],
    see(many, lists:duplicate(40, {Whole, [1.5, -2.25, 1 bsl 70, an_atom | improper]})),
    see(maps, [#{Part => Size, Size => [Part], {Size} => Size / 4} || {Size, Part} <- lists:zip(Sizes, Parts)]),
    see(deep, lists:foldl(fun(Part, Inner) -> [Inner, Part, {Inner}] end, [], lists:sublist(Parts, 60, 10))),
    see(numbers, [[0.5, 1, 70000, -0.0, 1.0e300 | 2.5], [1, 2, 3.5, a], [1.5 | [2.5, "x"]]]).

bits(Source, Skip, Size) ->
    <<_:Skip, Bits:Size/bits, _/bits>> = Source,
    Bits.

see(What, Terms) ->
    Each = [term_to_binary(Term) || Term <- Terms],
    All = term_to_binary(Terms),
    Same = [binary_to_term(Bytes) || Bytes <- Each] =:= Terms andalso binary_to_term(All) =:= Terms,
    Vector = iolist_to_binary(term_to_iovec(Terms)) =:= All,
    io:format("~w: ~w bytes, ~w, ~w, ~w, ~w~n",
              [What, byte_size(All), erlang:md5(Each), erlang:md5(All), Same, Vector]).
