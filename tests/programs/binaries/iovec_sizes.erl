%% How iolist_to_iovec joins and parts binaries: by sizes, runs of bytes, tails, and empty ones between.
-module(iovec_sizes).
-export([main/0]).

main() ->
    [see:value({short_and, N}, [sizes(L) || L <- around(bytes(N), N)])
     || N <- [1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300, 511, 512, 513, 600, 1000, 5000]],
    [see:value(Name, sizes(L)) || {Name, L} <- longer()],
    [see:that(Bad, fun() -> erlang:iolist_to_iovec(Bad) end)
     || Bad <- [[256], [-1], a, [a], [<<1:3>>], [1 | 2], <<1:3>>, [<<0:6000>> | <<1:1>>]]].

sizes(IoList) ->
    Binaries = erlang:iolist_to_iovec(IoList),
    true = iolist_to_binary(Binaries) =:= iolist_to_binary(IoList),
    [byte_size(Binary) || Binary <- Binaries].

bytes(N) -> binary:copy(<<N>>, see:id(N)).

around(Binary, N) ->
    <<_:3, Shifted:N/binary, _:5>> = <<0:3, Binary/binary, 0:5>>,
    [[<<1>>, Binary, Binary], [Binary, <<1>>], [<<1>>, Binary, <<2>>, Binary], [1, 2, Binary, 3], [Binary, Binary],
     [<<1>> | Binary], Binary, [[Binary]], [Shifted, 1, Shifted]].

longer() ->
    [{pieces_of_300, [bytes(300) || _ <- lists:seq(1, 100)]},
     {pieces_of_512, [bytes(512) || _ <- lists:seq(1, 10)]},
     {run, lists:duplicate(5000, 1)},
     {run_before, [lists:duplicate(600, 1), bytes(600)]},
     {run_after, [bytes(600), lists:duplicate(600, 1)]},
     {turns, [bytes(600), 1, bytes(500), 2]},
     {up_to_the_limit, [1, bytes(500), bytes(500), bytes(500), bytes(513)]},
     {limits, [bytes(512), bytes(513), bytes(512)]},
     {tails, [[1 | bytes(600)], bytes(64), bytes(65)]},
     {empty, [[], bytes(600), <<>>, bytes(0), []]},
     {nothing, [[[]], <<>>, [<<>>]]},
     {long_run, [lists:duplicate(70000, 1), bytes(700), lists:duplicate(20, 1)]},
     {many, [[bytes(400), 1] || _ <- lists:seq(1, 500)]}].
