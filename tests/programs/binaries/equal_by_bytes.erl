%% Binaries of all small sizes, equal and with one other byte, on heaps, as parts of others, and shared: what is equal,
%% and in which order.
-module(equal_by_bytes).
-export([main/0]).

main() ->
    [see:that(Size, fun() -> [of_size(Size, Form, Other) || Form <- [heap, part, literal], Other <- [heap, part]] end)
     || Size <- [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100]],
    see:that(in_keys, fun() -> [maps:get(heap(Size, none), #{part(Size, none) => Size}) || Size <- [1, 8, 9, 64, 65]]
        end),
    see:that(in_tuples, fun() -> [{a, heap(Size, none)} =:= {a, part(Size, none)} || Size <- [1, 8, 9, 64, 65]] end).

of_size(Size, Form, Other) ->
    A = made(Form, Size, none),
    Places = lists:usort([none | [Place || Place <- [0, 1, Size - 9, Size - 8, Size - 2, Size - 1], Place >= 0,
        Place < Size]]),
    Longer = made(Other, Size + 1, none),
    {[relation(A, made(Other, Size, Place)) || Place <- Places], relation(A, Longer), relation(Longer, A)}.

relation(A, B) -> {A =:= B, A == B, A < B, A > B, A =/= B}.

made(heap, Size, Place) -> heap(Size, Place);
made(part, Size, Place) -> part(Size, Place);
made(literal, 8, none) -> <<1, 2, 3, 4, 5, 6, 7, 8>>;
made(literal, Size, Place) -> heap(Size, Place).

heap(Size, Place) ->
    list_to_binary([case Index of Place -> 200; _ -> Index + 1 end || Index <- lists:seq(0, Size - 1)]).

%% The byte behind the part differs from what is behind the other.
part(Size, Place) ->
    Whole = <<9:3, (heap(Size, Place))/binary, 77>>,
    <<_:3, Part:Size/binary, _/bits>> = Whole,
    Part.
