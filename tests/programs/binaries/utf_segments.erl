%% utf8, utf16 and utf32 segments: built, matched, invalid.
-module(utf_segments).
-export([main/0]).

main() ->
    Points = [0, $a, 127, 128, 16#7ff, 16#800, 16#d7ff, 16#e000, 16#fffd, 16#ffff, 16#10000, 16#10ffff],
    [io:format("~w ~w~n", [P, [<<P/utf8>>, <<P/utf16>>, <<P/utf16-little>>, <<P/utf32>>, <<P/utf32-little>>,
        <<1:3, P/utf8>>]]) || P <- Points],
    [begin
         <<P/utf8>> = see:id(<<P/utf8>>), <<P/utf16>> = see:id(<<P/utf16>>),
         <<P/utf16-little>> = see:id(<<P/utf16-little>>),
         <<P/utf32>> = see:id(<<P/utf32>>), <<P/utf32-little>> = see:id(<<P/utf32-little>>),
         <<1:3, P/utf8, _:1>> = see:id(<<1:3, P/utf8, 0:1>>)
     end || P <- Points],
    see:value(literal, [<<"aåλ日😀"/utf8>>, <<"aλ😀"/utf16>>, <<"λ"/utf32-little>>]),
    see:value(decoded, [C || <<C/utf8>> <= <<"aåλ日😀"/utf8>>]),
    see:value(skipped, [begin <<_/utf8, R/binary>> = see:id(B), R end || B <- [<<"åb"/utf8>>, <<"ab">>,
        <<"😀b"/utf8>>]]),
    see:fails([fun() -> <<(see:id(16#d800))/utf8>> end, fun() -> <<(see:id(16#110000))/utf8>> end,
        fun() -> <<(see:id(-1))/utf16>> end,
               fun() -> <<(see:id(16#dfff))/utf32>> end, fun() -> <<(see:id(a))/utf8>> end,
                   fun() -> <<(see:id(1.0))/utf16>> end]).
