%% Functions that are traced (`traces.erl`).
-module(traced).
-export([twice/1, outer/1, inner/2, down/1, last/2, choose/1, fails/1, catches/1, bifs/1, many/5, none/0, on_list/1]).

none() -> 0.

twice(X) -> [X, X].

outer(X) -> [own(X), inner(X, a)].

inner(X, Y) -> {own(X), Y}.

own(X) -> {own, X}.

down(N) when is_integer(N), N > 0 -> down(N - 1);
down(_) -> zero.

last(X, Y) -> ?MODULE:inner(Y, X).

choose(X) when is_atom(X) -> an_atom;
choose([_ | T]) -> choose(T);
choose({A, _}) -> ?MODULE:choose(A);
choose(X) -> [choose_more(X)].

choose_more(X) when is_integer(X) -> X band 7;
choose_more(_) -> other.

fails(X) -> [own(X) | error({failed, X})].

catches(X) ->
    try fails(X) of
        Never -> Never
    catch
        error:Reason -> throws(Reason)
    end.

throws(Reason) -> catch throw({again, Reason}).

bifs(X) ->
    Bytes = term_to_binary(X),
    [erlang:crc32(Bytes), lists:sublist([X, 1], 1), erlang:adler32(Bytes), catch erlang:adler32(X),
        maps:find(a, #{a => 1})].

many(A, B, C, D, E) -> {inner(A, B), C, D, E}.

on_list(X) -> lists:map(fun(Y) -> own({X, Y}) end, [1, 2]).
