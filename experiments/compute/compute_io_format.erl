%% io_lib:format with the directives that logs and reports use.
-module(compute_io_format).
-export([run/0]).

run() -> loop(1200, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Line = io_lib:format("~s [~w] ~p: ~ts took ~b us (~.2f %), ~4..0B/~6.. b ~c~n",
                         ["2026-11-22", {N, self}, #{key => [N, atom, "text", <<"binary">>]}, "request", N * 17, N / 7,
                             N, N, $.]),
    Term = io_lib:format("~p",
        [{report, [{id, N}, {list, lists:seq(1, 20)}, {name, <<"some name">>}, {nested, {a, [b, {c, N * 1.25}]}}]}]),
    Hex = io_lib:format("~16.16.0b ~.16B ~-10s|~10s|~e", [N * 65537, N, "left", "right", N * 1.0]),
    loop(N - 1, erlang:crc32(Sum, [unicode:characters_to_binary(Line), Term, Hex])).
