%% zlib: streams, dictionaries, parameters, checksums, ends of streams, and errors.
%% releases: 25
-module(compression).
-export([main/0]).

main() ->
    whole(),
    deflating(),
    dictionaries(),
    inflating(),
    chunks(),
    checksums(),
    misuse(),
    owners(),
    terms().

data() -> iolist_to_binary([[integer_to_list(N * N rem 1009), $,] || N <- lists:seq(1, 20000)]).

whole() ->
    Data = data(),
    lists:foreach(
      fun({Name, Pack, Unpack}) ->
              Packed = Pack(Data),
              see:value(Name, {byte_size(Packed), erlang:md5(Packed), Unpack(Packed) =:= Data}),
              see:value(Name, [Unpack(Pack(D)) || D <- [<<>>, <<"x">>, ["io", <<"list">>, [$s]]]]),
              see:that(Name, fun() -> Unpack(binary:part(Packed, 0, byte_size(Packed) - 3)) end),
              see:that(Name, fun() -> Unpack(<<"no such thing">>) end),
              see:that(Name, fun() -> Unpack(<<>>) end),
              see:that(Name, fun() -> Pack(not_iodata) end)
      end,
      [{"compress", fun zlib:compress/1, fun zlib:uncompress/1},
       {"zip", fun zlib:zip/1, fun zlib:unzip/1},
       {"gzip", fun zlib:gzip/1, fun zlib:gunzip/1}]),
    see:value("two gzips", zlib:gunzip([zlib:gzip("one"), zlib:gzip("two")])).

with(Fun) ->
    Z = zlib:open(),
    try Fun(Z) after catch zlib:close(Z) end.

deflating() ->
    Data = data(),
    [with(fun(Z) ->
                  ok = zlib:deflateInit(Z, Level, deflated, Bits, Mem, Strategy),
                  Packed = iolist_to_binary(zlib:deflate(Z, Data, finish)),
                  ok = zlib:deflateEnd(Z),
                  see:value({Level, Bits, Mem, Strategy}, {byte_size(Packed), erlang:crc32(Packed)})
          end)
     || Level <- [none, best_speed, best_compression, default, 3], Bits <- [15, -15, 31, 9],
        {Mem, Strategy} <- [{8, default}, {1, filtered}, {9, huffman_only}, {8, rle}]],
    [with(fun(Z) ->
                  ok = zlib:deflateInit(Z),
                  Parts = [iolist_to_binary(zlib:deflate(Z, Part, Flush)) || Part <- [<<"first part">>, Data,
                      <<"last part">>]],
                  End = iolist_to_binary(zlib:deflate(Z, <<>>, finish)),
                  see:value(Flush, [byte_size(P) || P <- Parts] ++ [erlang:crc32([Parts, End])])
          end)
     || Flush <- [none, sync, full]],
    with(fun(Z) ->
                 ok = zlib:deflateInit(Z, none),
                 A = zlib:deflate(Z, Data),
                 ok = zlib:deflateParams(Z, best_compression, default),
                 B = zlib:deflate(Z, Data),
                 ok = zlib:deflateParams(Z, best_speed, huffman_only),
                 C = zlib:deflate(Z, Data, finish),
                 ok = zlib:deflateEnd(Z),
                 All = iolist_to_binary([A, B, C]),
                 see:value("params", {byte_size(All), erlang:crc32(All),
                     zlib:uncompress(All) =:= iolist_to_binary([Data, Data, Data])})
         end),
    with(fun(Z) ->
                 ok = zlib:deflateInit(Z),
                 _ = zlib:deflate(Z, Data),
                 ok = zlib:deflateReset(Z),
                 see:value("reset", zlib:uncompress(zlib:deflate(Z, <<"anew">>, finish))),
                 see:that("end early", fun() -> zlib:deflateReset(Z), zlib:deflate(Z, <<"x">>), zlib:deflateEnd(Z) end)
         end).

dictionaries() ->
    Short = <<"hello world, dictionary">>,
    Long = binary:copy(<<"hello world dict">>, 200),
    Text = <<"dictionary hello dictionary world dict">>,
    [with(fun(Z) ->
                  ok = zlib:deflateInit(Z, default, deflated, Bits, 8, default),
                  see:value("deflate dictionary", zlib:deflateSetDictionary(Z, Dictionary)),
                  Packed = iolist_to_binary(zlib:deflate(Z, Text, finish)),
                  see:value("packed", Packed),
                  with(fun(I) ->
                               ok = zlib:inflateInit(I, Bits),
                               Bits < 0 andalso zlib:inflateSetDictionary(I, Dictionary),
                               First = zlib:inflate(I, Packed, [{exception_on_need_dict, false}]),
                               see:value("first", First),
                               case First of
                                   {need_dictionary, _, _} ->
                                       see:that("wrong one", fun() -> zlib:inflateSetDictionary(I, <<"wrong">>) end),
                                       see:that("right one", fun() -> zlib:inflateSetDictionary(I, Dictionary) end),
                                       see:value("then", iolist_to_binary(zlib:inflate(I, <<>>)));
                                   _ -> ok
                               end,
                               see:that("had", fun() ->
                                   zlib:inflateGetDictionary(I) =:= iolist_to_binary([Dictionary, Text]) end),
                               see:that("end", fun() -> zlib:inflateEnd(I) end)
                       end),
                  Bits > 0 andalso
                      with(fun(I) ->
                                   ok = zlib:inflateInit(I),
                                   see:value("raises", element(1, element(2, catch zlib:inflate(I, Packed)))),
                                   ok = zlib:inflateSetDictionary(I, Dictionary),
                                   see:value("goes on", iolist_to_binary(zlib:inflate(I, <<>>)))
                           end)
          end)
     || Bits <- [15, -15], Dictionary <- [Short, Long, [Short, "list"], binary:copy(<<255>>, 16)]].

inflating() ->
    Data = data(),
    Packed = zlib:compress(Data),
    [with(fun(Z) ->
                  ok = zlib:inflateInit(Z),
                  Parts = [zlib:inflate(Z, Part) || Part <- cut(Packed, Size)],
                  see:value({"parts", Size}, {iolist_to_binary(Parts) =:= Data, zlib:inflateEnd(Z)})
          end)
     || Size <- [1, 7, 100, 5000, 1000000]],
    [with(fun(Z) ->
                  ok = zlib:inflateInit(Z, 15, AtEnd),
                  see:that({"behind the end", AtEnd},
                           fun() -> iolist_to_binary(zlib:inflate(Z, [zlib:compress("one"), zlib:compress("two")]))
                               end),
                  see:that("again", fun() -> iolist_to_binary(zlib:inflate(Z, zlib:compress("three"))) end),
                  see:that("end", fun() -> zlib:inflateEnd(Z) end)
          end)
     || AtEnd <- [cut, reset, error]],
    with(fun(Z) ->
                 ok = zlib:inflateInit(Z),
                 see:that("bad", fun() -> zlib:inflate(Z, <<"this is not compressed">>) end),
                 see:that("still bad", fun() -> zlib:inflate(Z, Packed) end),
                 see:value("reset", zlib:inflateReset(Z)),
                 see:value("good", iolist_to_binary(zlib:inflate(Z, Packed)) =:= Data),
                 see:that("end", fun() -> zlib:inflateEnd(Z) end)
         end),
    with(fun(Z) ->
                 ok = zlib:inflateInit(Z, 47),
                 see:value("any header", [begin R = iolist_to_binary(zlib:inflate(Z, P)), zlib:inflateReset(Z), R end
                                          || P <- [zlib:gzip("gzip"), zlib:compress("zlib")]])
         end),
    with(fun(Z) ->
                 ok = zlib:inflateInit(Z),
                 _ = zlib:inflate(Z, binary:part(Packed, 0, 100)),
                 see:that("end early", fun() -> zlib:inflateEnd(Z) end)
         end).

cut(Binary, Size) when byte_size(Binary) =< Size -> [Binary];
cut(Binary, Size) ->
    {Part, Rest} = split_binary(Binary, Size),
    [Part | cut(Rest, Size)].

chunks() ->
    Bomb = zlib:compress(binary:copy(<<0>>, 1000000)),
    with(fun(Z) ->
                 ok = zlib:inflateInit(Z),
                 see:value("safe", count(Z, zlib:safeInflate(Z, Bomb), 0, 0))
         end),
    with(fun(Z) ->
                 ok = zlib:inflateInit(Z),
                 see:before(27, "size", fun() -> [zlib:getBufSize(Z), zlib:setBufSize(Z, 1000), zlib:getBufSize(Z)]
                     end),
                 {more, First} = zlib:inflateChunk(Z, Bomb),
                 {more, Second} = zlib:inflateChunk(Z),
                 see:value("chunks", [iolist_size(First), iolist_size(Second)]),
                 see:fails([fun() -> zlib:setBufSize(Z, N) end || N <- [16, 1 bsl 24, a]])
         end).

count(Z, {continue, Part}, Steps, Size) -> count(Z, zlib:safeInflate(Z, []), Steps + 1, Size + iolist_size(Part));
count(_, {finished, Part}, Steps, Size) -> {Steps > 10, Size + iolist_size(Part)}.

checksums() ->
    Data = data(),
    [with(fun(Z) ->
                  ok = zlib:deflateInit(Z, default, deflated, Bits, 8, default),
                  Packed = zlib:deflate(Z, Data, finish),
                  see:value({"deflated", Bits}, zlib:crc32(Z)),
                  with(fun(I) ->
                               ok = zlib:inflateInit(I, Bits),
                               _ = zlib:inflate(I, Packed),
                               see:value("inflated", zlib:crc32(I))
                       end)
          end)
     || Bits <- [15, -15]],
    with(fun(Z) ->
                 see:value("sums", [zlib:crc32(Z, Data), zlib:crc32(Z, 17, Data), zlib:adler32(Z, Data),
                     zlib:adler32(Z, 17, Data),
                                    zlib:crc32_combine(Z, 1, 2, 3), zlib:adler32_combine(Z, 1, 2, 3)])
         end).

%% Only the reason: the frames hold references.
reason(Fun) ->
    try Fun() catch Class:Reason -> {Class, Reason} end.

misuse() ->
    with(fun(Z) ->
                 see:value("fresh", [reason(F) || F <- [fun() -> zlib:deflate(Z, "x") end,
                     fun() -> zlib:inflate(Z, "x") end,
                                                        fun() -> zlib:deflateEnd(Z) end, fun() -> zlib:inflateEnd(Z)
                                                            end,
                                                        fun() -> zlib:deflateReset(Z) end,
                                                            fun() -> zlib:inflateReset(Z) end,
                                                        fun() -> zlib:crc32(Z) end,
                                                            fun() -> zlib:inflateGetDictionary(Z) end,
                                                        fun() -> zlib:deflateParams(Z, default, default) end]]),
                 ok = zlib:deflateInit(Z),
                 see:value("deflating",
                     [reason(F) || F <- [fun() -> zlib:deflateInit(Z) end, fun() -> zlib:inflateInit(Z) end,
                                                            fun() -> zlib:inflate(Z, "x") end,
                                                                fun() -> zlib:deflate(Z, a) end,
                                                            fun() -> zlib:deflate(Z, "x", never) end,
                                                            fun() -> zlib:deflateSetDictionary(Z, a) end,
                                                            fun() -> zlib:deflateSetDictionary(Z, "") end]]),
                 see:value("close", [reason(fun() -> zlib:close(Z) end) || _ <- [1, 2]]),
                 see:value("closed", [reason(F) || F <- [fun() -> zlib:deflateInit(Z) end,
                     fun() -> zlib:deflate(Z, "x") end]])
         end),
    with(fun(Z) ->
                 see:value("settings",
                     [reason(F) || F <- [fun() -> zlib:deflateInit(Z, 10) end, fun() -> zlib:inflateInit(Z, 7) end,
                                                           fun() -> zlib:inflateInit(Z, 15, what) end,
                                                           fun() -> zlib:deflateInit(Z, 1, deflated, 8, 8, default) end,
                                                           fun() -> zlib:deflateInit(Z, 1, inflated, 15, 8, default)
                                                               end,
                                                           fun() -> zlib:deflateInit(Z, 1, deflated, -8, 8, default)
                                                               end,
                                                           fun() -> zlib:deflateInit(Z, 1, deflated, 47, 8, default)
                                                               end,
                                                           fun() -> zlib:deflateInit(Z, 1, deflated, 15, 10, default)
                                                               end]])
         end),
    see:value("no stream", [reason(F) || F <- [fun() -> zlib:close(a) end, fun() -> zlib:deflateInit(make_ref()) end]]).

owners() ->
    with(fun(Z) ->
                 ok = zlib:deflateInit(Z),
                 Self = self(),
                 Other = spawn(fun Loop() -> receive F -> Self ! {answer, reason(F)}, Loop() end end),
                 Ask = fun(F) -> Other ! F, receive {answer, A} -> A end end,
                 see:value("not mine", Ask(fun() -> zlib:deflate(Z, "x") end)),
                 ok = zlib:set_controlling_process(Z, Other),
                 see:value("given away", [reason(fun() -> zlib:deflate(Z, "x") end),
                                          Ask(fun() -> zlib:uncompress(zlib:deflate(Z, "yours", finish)) end)]),
                 see:value("back", Ask(fun() -> zlib:set_controlling_process(Z, Self) end)),
                 see:value("mine", reason(fun() -> zlib:close(Z) end))
         end).

%% Terms are compressed by the same library.
terms() ->
    Term = lists:seq(1, 5000),
    [see:value({"term", Level}, erlang:md5(term_to_binary(Term, [{compressed, Level}]))) || Level <- [1, 6, 9]].
