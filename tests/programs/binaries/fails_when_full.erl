%% Matches that fail when the heap is full: what the next clause reads must be as before, also what the operation that
%% fails does not keep when it succeeds. So each runs with every number of free words.
-module(fails_when_full).
-export([main/0]).

main() ->
    Functions = [fun parts/1, fun long_parts/1, fun words/1, fun long_integers/1, fun little/1, fun floats/1,
                 fun any_size/1, fun starts/1],
    Strings = [<<>>, <<1:80>>, <<1:128, 7:7>>, <<1.5/float, -1:64, 1:65>>, <<0:1600, 5>>],
    see:value(results, [[run(F, String, 0) || String <- Strings] || F <- Functions]),
    see:value(differ, [{Index, Words} || {Index, F} <- lists:enumerate(Functions), Words <- lists:seq(1, 400),
                                         [run(F, String, Words) || String <- Strings] =/=
                                             [run(F, String, 0) || String <- Strings]]).

run(F, String, Words) ->
    {Pid, Monitor} = spawn_monitor(fun() ->
        Filler = erlang:make_tuple(Words, x),
        Result = try F(String) catch Class:Reason -> {Class, Reason} end,
        exit({Result, tuple_size(Filler)})
    end),
    receive {'DOWN', Monitor, process, Pid, {Result, Words}} -> Result end.

%% The compiler knows what these get, and then does not count the position to go back to as live.
parts(String) when is_bitstring(String) -> parts(String, a).
long_parts(String) when is_bitstring(String) -> long_parts(String, a).
words(String) when is_bitstring(String) -> words(String, a).
long_integers(String) when is_bitstring(String) -> long_integers(String, a).
little(String) when is_bitstring(String) -> little(String, a).
floats(String) when is_bitstring(String) -> floats(String, a).
any_size(String) when is_bitstring(String) -> any_size(String, 64, a).

parts(<<Part:8/binary, Rest/bits>>, Kept) -> [Part | parts(Rest, Kept)];
parts(<<Rest/bits>>, Kept) -> behind(Rest, Kept).

long_parts(<<Part:100/binary, Rest/bits>>, Kept) -> [byte_size(Part) | long_parts(Rest, Kept)];
long_parts(<<Rest/bits>>, Kept) -> behind(Rest, Kept).

words(<<Word:64, Rest/bits>>, Kept) -> [Word | words(Rest, Kept)];
words(<<Rest/bits>>, Kept) -> behind(Rest, Kept).

long_integers(<<Integer:100, Rest/bits>>, Kept) -> [Integer | long_integers(Rest, Kept)];
long_integers(<<Rest/bits>>, Kept) -> behind(Rest, Kept).

little(<<Word:64/little-signed, Rest/bits>>, Kept) -> [Word | little(Rest, Kept)];
little(<<Rest/bits>>, Kept) -> behind(Rest, Kept).

floats(<<Float:64/float, Rest/bits>>, Kept) -> [Float | floats(Rest, Kept)];
floats(<<Rest/bits>>, Kept) -> behind(Rest, Kept).

any_size(<<Word:64, Rest/bits>>, Size, Kept) ->
    case Rest of
        <<Next:Size, Left/bits>> -> [Word, Next | any_size(Left, Size + 1, Kept)];
        _ -> behind(Rest, {Word, Kept})
    end;
any_size(<<Rest/bits>>, Size, Kept) -> {Size, behind(Rest, Kept)}.

starts(String) -> [starts(Term, String, a, {a}) || Term <- [String, {String}, [a], a]].

starts(<<First:64, _/bits>>, _, Kept, _) -> {First, Kept};
starts(Term, String, Kept, More) -> {Term, String, Kept, More}.

behind(Rest, Kept) ->
    case bit_size(Rest) of
        0 -> [];
        Size -> [{Size, Rest, Kept}]
    end.
