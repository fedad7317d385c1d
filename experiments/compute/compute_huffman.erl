%% A text packed with Huffman's code and unpacked: a priority queue, trees, and bit strings.
-module(compute_huffman).
-export([run/0]).

run() ->
    Text = binary:copy(<<"it was the best of times, it was the worst of times; ">>, 3000),
    Counts = maps:to_list(count(Text, #{})),
    Tree = tree(gb_sets:from_list([{Count, {leaf, C}} || {C, Count} <- Counts])),
    Codes = maps:from_list(codes(Tree, <<>>)),
    Packed = pack(Text, Codes, <<>>),
    Unpacked = unpack(Packed, Tree, Tree, <<>>),
    {bit_size(Packed), Unpacked =:= Text, erlang:phash2(Packed)}.

count(<<C, Rest/binary>>, Counts) -> count(Rest, maps:update_with(C, fun(N) -> N + 1 end, 1, Counts));
count(<<>>, Counts) -> Counts.

tree(Queue) ->
    {{A, Left}, Queue1} = gb_sets:take_smallest(Queue),
    case gb_sets:is_empty(Queue1) of
        true -> Left;
        false ->
            {{B, Right}, Queue2} = gb_sets:take_smallest(Queue1),
            tree(gb_sets:add({A + B, {node, Left, Right}}, Queue2))
    end.

codes({leaf, C}, Code) -> [{C, Code}];
codes({node, Left, Right}, Code) -> codes(Left, <<Code/bits, 0:1>>) ++ codes(Right, <<Code/bits, 1:1>>).

pack(<<C, Rest/binary>>, Codes, Done) ->
    #{C := Code} = Codes,
    pack(Rest, Codes, <<Done/bits, Code/bits>>);
pack(<<>>, _, Done) -> Done.

unpack(Bits, {leaf, C}, Tree, Done) -> unpack(Bits, Tree, Tree, <<Done/binary, C>>);
unpack(<<0:1, Rest/bits>>, {node, Left, _}, Tree, Done) -> unpack(Rest, Left, Tree, Done);
unpack(<<1:1, Rest/bits>>, {node, _, Right}, Tree, Done) -> unpack(Rest, Right, Tree, Done);
unpack(<<>>, _, _, Done) -> Done.
