%% zstd: whole texts, streams, flushing, parameters, dictionaries, headers of frames, owners, misuse, and that nothing
%% is kept.
%% releases: 29
-module(zstd_29).
-export([main/0]).

main() ->
    whole(),
    parameters(),
    limits(),
    streams(),
    flushing(),
    decompressing(),
    dictionaries(),
    headers(),
    owners(),
    misuse(),
    nifs(),
    kept().

data() -> data(20000).
data(Count) -> iolist_to_binary([[integer_to_list(N * N rem 1009), $,] || N <- lists:seq(1, Count)]).

noise(Bytes) -> {Noise, _} = rand:bytes_s(Bytes, rand:seed_s(exsss, 7)), Noise.

sums(Pieces) -> [{byte_size(P), erlang:crc32(P)} || P <- Pieces].

whole() ->
    Texts = [{none, <<>>}, {nothing, []}, {one, <<"x">>}, {list, ["io", <<"list">>, [$s]]}, {data, data()},
        {noise, noise(300000)},
             {zeros, <<0:(8 * 3000000)>>}, {pieces, [data(), noise(100), data(10)]},
             {odd, tail(<<1:3, (data(50))/binary>>)}],
    [begin
         Packed = zstd:compress(Text),
         see:value(Name, {sums(Packed), iolist_to_binary(zstd:decompress(Packed)) =:= iolist_to_binary(Text)}),
         see:value({Name, back}, sums(zstd:decompress(iolist_to_binary(Packed))))
     end || {Name, Text} <- Texts],
    see:all([{{compress, X}, fun() -> zstd:compress(X) end} || X <- [a, <<1:3>>, [<<1:3>>], [256]]]),
    Packed = iolist_to_binary(zstd:compress(data())),
    Short = iolist_to_binary(zstd:compress(<<"short">>)),
    see:all([{{decompress, N}, fun() -> iolist_to_binary(zstd:decompress(X)) end} || {N, X} <-
        [{atom, a}, {empty, <<>>}, {nil, []}, {wrong, <<"no such thing">>}, {few, <<1, 2>>},
            {magic, binary:part(Short, 0, 4)}, {v07, <<16#fd2fb527:32/little, 1, 2, 3, 4>>},
         {cut, binary:part(Short, 0, byte_size(Short) - 3)}, {twice, <<Short/binary, Short/binary>>},
         {list, [Short, Short]},
         {behind, <<Short/binary, "behind">>}, {damaged, damaged(Short, 9)}, {bits, <<Short/binary, 1:1>>}]]),
    see:value(cut_long, sums(zstd:decompress(binary:part(Packed, 0, byte_size(Packed) div 2)))),
    see:value(skippable, iolist_to_binary(zstd:decompress([<<16#184d2a50:32/little, 4:32/little, "skip">>, Short]))),
    see:value(skippable, iolist_to_binary(zstd:decompress(<<16#184d2a5f:32/little, 4:32/little, "skip",
        Short/binary>>))).

tail(<<_:3, Tail/binary>>) -> Tail.

damaged(Binary, At) -> <<Before:At/binary, B, Rest/binary>> = Binary, <<Before/binary, (B bxor 85), Rest/binary>>.

keys() ->
    [compressionLevel, windowLog, hashLog, chainLog, searchLog, minMatch, targetLength, strategy, targetCBlockSize,
        enableLongDistanceMatching,
     ldmHashLog, ldmMinMatch, ldmBucketSizeLog, ldmHashRateLog, contentSizeFlag, checksumFlag, dictIDFlag].

parameters() ->
    {ok, C} = zstd:context(compress),
    see:all([{{at_first, K}, fun() -> zstd:get_parameter(C, K) end} || K <- keys()]),
    see:all([{{K, V}, fun() -> {zstd:set_parameter(C, K, V), zstd:get_parameter(C, K)} end} || K <- keys(),
             V <- [-200000, -7, -1, 0, 1, 3, 6, 9, 10, 22, 27, 31, 99, 1340, 200000, 1 bsl 31, 1 bsl 70, 1.0, true,
                 false, default, fast, dfast, greedy, lazy, lazy2,
                   btlazy2, btopt, btultra, btultra2, other, "text"]]),
    Data = data(3000),
    see:all([{Options, fun() -> P = iolist_to_binary(zstd:compress(Data, Options)),
        {sums([P]), iolist_to_binary(zstd:decompress(P)) =:= Data} end} ||
             Options <- [#{compressionLevel => L} || L <- [-22, -1, 1, 2, 5, 10, 15, 19, 22]] ++
                 [#{strategy => S} || S <- [fast, greedy, lazy2, btlazy2, btopt, btultra2]] ++
                 [#{checksumFlag => true}, #{contentSizeFlag => false}, #{windowLog => 10}, #{windowLog => 27},
                     #{hashLog => 6, chainLog => 6}, #{minMatch => 7, targetLength => 3},
                  #{enableLongDistanceMatching => true, ldmHashLog => 10, ldmMinMatch => 16, ldmBucketSizeLog => 2,
                      ldmHashRateLog => 3},
                  #{targetCBlockSize => 1400}, #{pledgedSrcSize => 7}, #{pledgedSrcSize => -1}, #{pledgedSrcSize => a},
                  #{other => 1}, #{dictionary => a}, other]]),
    see:all([{{invalid, X}, X} || X <- [fun() -> zstd:get_parameter(C, pledgedSrcSize) end,
        fun() -> zstd:get_parameter(C, dictionary) end,
                                        fun() -> zstd:get_parameter(C, 1) end, fun() -> zstd:set_parameter(C, 1, 1) end,
                                        fun() -> zstd:set_parameter(other, strategy, fast) end,
                                            fun() -> zstd:get_parameter(other, strategy) end,
                                        fun() -> zstd:context(other) end, fun() -> zstd:context(compress, []) end]]).

limits() ->
    {ok, D} = zstd:context(decompress),
    see:value(at_first, zstd:get_parameter(D, windowLogMax)),
    see:all([{{windowLogMax, V}, fun() -> {zstd:set_parameter(D, windowLogMax, V), zstd:get_parameter(D, windowLogMax)}
        end} || V <- [0, 5, 10, 20, 31, 32, -1, a, 1 bsl 40]]),
    see:all([{{K, V}, fun() -> zstd:set_parameter(D, K, V) end} || K <- [other, compressionLevel, 1], V <- [1, a]]),
    see:all([{{get, K}, fun() -> zstd:get_parameter(D, K) end} || K <- [other, dictionary]]),
    {ok, C} = zstd:context(compress, #{windowLog => 20, contentSizeFlag => false}),
    {done, Big} = zstd:finish(C, noise(2000000)),
    see:all([{{window, N}, fun() -> erlang:crc32(zstd:decompress(Big, #{windowLogMax => N})) end}
        || N <- [10, 19, 20, 21]]).

streams() ->
    Data = data(),
    [begin
         {ok, C} = zstd:context(compress, Options),
         Parts = [zstd:stream(C, Part) || Part <- [<<"first">>, Data, ["li", <<"st">>], [], <<>>, noise(50000),
             [Data, noise(200000), Data]]],
         see:value({stream, Options}, [{tuple_size(P), element(1, P), size_of(P)} || P <- Parts]),
         {done, End} = zstd:finish(C, [<<"the ">>, "end"]),
         see:value(finished, sums(End)),
         {done, Again} = zstd:finish(C, "again"),
         see:value(again, sums(Again)),
         see:value(back, iolist_to_binary(zstd:decompress(Again))),
         see:value(closed, {zstd:reset(C), zstd:close(C)}),
         see:all([{closed, F} || F <- [fun() -> zstd:stream(C, <<"x">>) end, fun() -> zstd:close(C) end,
             fun() -> zstd:reset(C) end,
                                       fun() -> zstd:get_parameter(C, strategy) end,
                                           fun() -> zstd:set_parameter(C, strategy, fast) end,
                                       fun() -> zstd:set_parameter(C, pledgedSrcSize, 1) end, fun() -> zstd:flush(C)
                                           end, fun() -> zstd:finish(C, <<>>) end,
                                       fun() -> zstd:set_parameter(C, dictionary, <<"x">>) end]])
     end || Options <- [#{}, #{compressionLevel => 9, checksumFlag => true}]],
    {ok, P} = zstd:context(compress, #{pledgedSrcSize => 10}),
    see:all([{{pledged, S}, fun() -> zstd:set_parameter(P, pledgedSrcSize, 4), {continue, _} = zstd:stream(P, <<"ab">>),
        zstd:finish(P, S) end} || S <- [<<"cd">>, <<"cde">>, <<"c">>, <<>>]]),
    see:value(reset, begin zstd:reset(P), zstd:finish(P, <<"whole">>) end),
    see:all([{in_between, fun() -> zstd:stream(P, <<"begun">>), zstd:set_parameter(P, K, V) end} ||
             {K, V} <- [{compressionLevel, 5}, {windowLog, 12}, {checksumFlag, true}, {pledgedSrcSize, 5},
                 {dictionary, <<"words">>}]]),
    see:all([{with_context, fun() -> zstd:compress(data(100), P) end}]),
    see:value(with_context, begin zstd:reset(P), sums(zstd:compress(data(100), P)) end),
    see:value(with_context, sums(zstd:compress([data(100), <<>>, data(10)], P))).

size_of({continue, Out}) -> {byte_size(Out), erlang:crc32(Out)};
size_of({continue, Rest, Out}) -> {iolist_size(Rest), byte_size(Out), erlang:crc32(Out)}.

flushing() ->
    {ok, C} = zstd:context(compress),
    Flush = fun() -> {continue, Out} = zstd:flush(C), Out end,
    {continue, First} = zstd:stream(C, <<"first">>),
    see:value(first, {First, Flush(), Flush()}),
    {continue, Rest, _} = zstd:stream(C, noise(400000)),
    Flushed = Flush(),
    see:value(long, {byte_size(Rest), byte_size(Flushed), erlang:crc32(Flushed)}),
    see:value(last, begin {done, L} = zstd:finish(C, <<>>), L end),
    see:value(alone, begin {ok, A} = zstd:context(compress), {zstd:flush(A), zstd:finish(A, [])} end),
    {ok, D} = zstd:context(decompress),
    see:value(decompress, try zstd:flush(D) catch error:{badarg, {Why, {decompress, _}}} -> Why end).

decompressing() ->
    Data = data(),
    Packed = iolist_to_binary(zstd:compress(Data)),
    Unsized = iolist_to_binary(zstd:compress(Data, #{contentSizeFlag => false})),
    {ok, D} = zstd:context(decompress),
    [begin
         Half = byte_size(P) div 2,
         <<A:Half/binary, B/binary>> = P,
         One = zstd:stream(D, A),
         Two = zstd:finish(D, B),
         see:value(halves, {size_of(One), sums(element(2, Two))}),
         see:value(whole, {size_of(zstd:stream(D, P)), zstd:reset(D), size_of(zstd:stream(D, [A, B])), zstd:reset(D)}),
         see:value(bytes, erlang:crc32([element(2, zstd:stream(D, <<Byte>>)) || <<Byte>> <= P])),
         see:value(finish, element(1, zstd:finish(D, <<>>))),
         see:value(context, sums(zstd:decompress(P, D)))
     end || P <- [Packed, Unsized]],
    see:value(nothing, {zstd:finish(D, <<>>), zstd:finish(D, []), zstd:set_parameter(D, windowLogMax, 25),
        zstd:stream(D, <<>>)}),
    see:that(begun_by_nothing, fun() -> zstd:set_parameter(D, windowLogMax, 26) end),
    see:all([{begun, fun() -> zstd:stream(D, binary:part(Packed, 0, 100)), zstd:set_parameter(D, windowLogMax, 20) end},
             {wrong, fun() -> zstd:stream(D, <<"wrong wrong">>) end},
             {not_bytes, fun() -> zstd:stream(D, <<1:3>>) end},
             {not_data, fun() -> zstd:stream(D, a) end},
             {not_data, fun() -> zstd:stream(D, [a]) end},
             {after_errors, fun() -> sums(element(2, zstd:finish(D, Packed))) end},
             {end_twice, fun() -> zstd:finish(D, <<(binary:copy(Packed, 2))/binary>>), ok end},
             {begun_again, fun() -> zstd:set_parameter(D, windowLogMax, 20) end}]),
    Empty = iolist_to_binary(zstd:compress(<<>>)),
    see:all([{empties, fun() -> zstd:decompress(X) end} || X <- [Empty, [Empty, Empty], <<Empty/binary, Empty/binary>>,
        <<Empty/binary, (iolist_to_binary(zstd:compress("a")))/binary>>]]).

dictionaries() ->
    Words = iolist_to_binary(["{\"name\": \"", lists:seq($a, $z), "\", \"value\": ", integer_to_list(1 bsl 64), "}"]),
    Text = [Words, "and more", Words],
    {ok, C} = zstd:dict(compress, Words),
    {ok, C19} = zstd:dict(compress, Words, #{compressionLevel => 19}),
    {ok, D} = zstd:dict(decompress, Words),
    see:value(ids, [zstd:get_dict_id(X) || X <- [C, C19, D, Words, <<>>, iolist_to_binary(zstd:compress(Text))]]),
    Ways = [Words, C, C19, binary_to_list(Words)],
    Packed = [iolist_to_binary(zstd:compress(Text, #{dictionary => W})) || W <- Ways],
    see:value(packed, sums(Packed)),
    see:all([{unpacked, fun() -> iolist_to_binary(zstd:decompress(P, #{dictionary => W})) =:= iolist_to_binary(Text)
        end} || P <- Packed, W <- [Words, D]]),
    see:all([{without, fun() -> zstd:decompress(P) end} || P <- Packed]),
    {ok, Context} = zstd:context(compress),
    see:all([{{set, N}, fun() -> zstd:set_parameter(Context, dictionary, X), sums(zstd:compress(Text, Context)) end}
        || {N, X} <-
             [{words, Words}, {prepared, C}, {none, <<>>}, {prepared, C19}, {words, Words},
                 {wrong, {cdict, make_ref()}}, {wrong, D}, {atom, a}, {other, {cdict, element(2, D)}}]]),
    Magic = <<16#ec30a437:32/little, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10>>,
    see:all([{{made, N}, F} || {N, F} <- [{damaged, fun() -> zstd:dict(compress, Magic) end},
        {damaged, fun() -> zstd:dict(decompress, Magic) end},
                                          {damaged, fun() -> zstd:compress(Text, #{dictionary => Magic}) end},
                                          {damaged, fun() -> zstd:decompress(hd(Packed), #{dictionary => Magic}) end},
                                          {level, fun() -> zstd:dict(compress, Words, #{compressionLevel => a}) end},
                                          {atom, fun() -> zstd:dict(compress, a) end},
                                          {list, fun() -> zstd:dict(decompress, [1]) end},
                                          {bits, fun() -> zstd:dict(decompress, <<1:3>>) end},
                                          {other, fun() -> zstd:dict(other, Words) end},
                                          {swapped, fun() -> zstd:get_dict_id({ddict, element(2, C)}) end},
                                          {swapped, fun() -> zstd:get_dict_id({cdict, element(2, D)}) end}]]),
    see:value(by_others, begin Self = self(),
                               spawn(fun() -> Self ! {packed, sums(zstd:compress(Text, #{dictionary => C}))} end),
                               receive {packed, Sums} -> Sums end end).

headers() ->
    see:all([{Options, fun() -> {ok, Header} = zstd:get_frame_header(zstd:compress(data(1000), Options)),
        lists:sort(maps:to_list(Header)) end} ||
             Options <- [#{}, #{checksumFlag => true}, #{contentSizeFlag => false},
                 #{windowLog => 15, contentSizeFlag => false}]]),
    see:value(skippable, begin {ok, H} = zstd:get_frame_header(<<16#184d2a53:32/little, 4:32/little, "skip">>),
        lists:sort(maps:to_list(H)) end),
    see:all([{{header, X}, fun() -> zstd:get_frame_header(X) end} || X <- [<<"wrong wrong">>, a, <<1:3>>,
        [<<"w">>, "rong ", <<"list">>]]]).

owners() ->
    Self = self(),
    {ok, C} = zstd:context(compress),
    {ok, D} = zstd:context(decompress),
    spawn(fun() -> see:all([{other, F} || F <- [fun() -> zstd:stream(C, <<"x">>) end, fun() -> zstd:flush(C) end,
        fun() -> zstd:close(C) end, fun() -> zstd:reset(C) end,
                                               fun() -> zstd:get_parameter(C, strategy) end,
                                                   fun() -> zstd:set_parameter(C, dictionary, <<>>) end,
                                               fun() -> zstd:stream(D, <<"x">>) end, fun() -> zstd:close(D) end,
                                                   fun() -> zstd:reset(D) end]]), Self ! seen end),
    receive seen -> ok end.

misuse() ->
    {ok, {compress, C}} = zstd:context(compress),
    see:all([{misuse, F} || F <- [fun() -> zstd:stream({compress, x}, <<"x">>) end,
        fun() -> zstd:stream({decompress, C}, <<"x">>) end, fun() -> zstd:stream({compress, make_ref()}, <<"x">>) end,
                                  fun() -> zstd:stream(x, <<"x">>) end, fun() -> zstd:close(x) end,
                                      fun() -> zstd:close({decompress, C}) end,
                                  fun() -> zstd:stream({compress, C}, [a]) end,
                                  fun() -> zstd:stream({compress, C}, <<1:7>>) end,
                                      fun() -> zstd:finish({compress, C}, <<1:7>>) end]]),
    %% What is not data ends the stream.
    zstd:stream({compress, C}, <<"begun">>),
    catch zstd:stream({compress, C}, <<1:7>>),
    see:value(ended, zstd:finish({compress, C}, <<"new">>)).

nifs() -> see:value(nifs, lists:sort(zstd:module_info(nifs))).

%% Contexts are collected.
kept() ->
    Data = data(100),
    Round = fun() -> [begin {ok, C} = zstd:context(compress), zstd:stream(C, Data), {ok, D} = zstd:context(decompress),
        zstd:stream(D, <<>>), zstd:dict(compress, Data) end || _ <- lists:seq(1, 50)],
                     erlang:garbage_collect() end,
    [Round() || _ <- lists:seq(1, 4)],
    Before = resident(),
    [Round() || _ <- lists:seq(1, 20)],
    see:value(kept, resident() - Before < 100 bsl 20).

resident() ->
    {ok, Status} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = string:lexemes(Status, " "),
    binary_to_integer(Pages) * 4096.
