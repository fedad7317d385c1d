%% The unicode module: every encoding, incomplete and invalid input.
-module(unicode_bifs).
-export([main/0]).

main() ->
    T = "aåλ日😀",
    Encodings = [latin1, utf8, unicode, utf16, {utf16, little}, {utf16, big}, utf32, {utf32, little}],
    [see:value(E, unicode:characters_to_binary(T, unicode, E)) || E <- Encodings],
    see:value(latin1_ok, unicode:characters_to_binary("åäö", unicode, latin1)),
    see:value(back, [unicode:characters_to_list(unicode:characters_to_binary(T, unicode, E), E) =:= T
        || E <- Encodings -- [latin1]]),
    see:value(deep, unicode:characters_to_list([<<"å"/utf8>>, $b, ["c", [<<"λ"/utf8>>]] | <<"end">>])),
    see:value(from_latin1, unicode:characters_to_list(<<229, 228, 246>>, latin1)),
    see:value(between, unicode:characters_to_binary(<<0, 229, 3, 187>>, utf16, utf8)),
    Cut = [<<"ab", 226>>, <<"ab", 226, 130>>, <<226>>, <<240, 159, 152>>],
    see:value(incomplete, [{unicode:characters_to_list(B), unicode:characters_to_binary(B)} || B <- Cut]),
    Bad = [<<"ab", 255, "c">>, <<192, 128>>, <<237, 160, 128>>, <<"x", 226, 40, 161>>, [<<"ok">>, <<255>>, "rest"],
        [16#110000], [16#d800], [-1], [$a, 16#ffffffff]],
    see:value(invalid, [{see:id(catch_it(fun() -> unicode:characters_to_list(B) end)),
        catch_it(fun() -> unicode:characters_to_binary(B) end)} || B <- Bad]),
    see:value(split_between, unicode:characters_to_list([<<206>>, <<187>>])),
    see:value(bom, [unicode:bom_to_encoding(B) || B <- [<<239, 187, 191, "x">>, <<254, 255>>, <<255, 254>>,
        <<"none">>]]),
    see:value(to_bom, [unicode:encoding_to_bom(E) || E <- [utf8, utf16, {utf32, little}, latin1]]),
    see:value(normal, [unicode:characters_to_nfc_list("a\x{30a}"), unicode:characters_to_nfd_list("å"),
        unicode:characters_to_nfkc_list("ﬁ"), unicode:characters_to_nfd_binary("Å")]),
    see:value(large, begin L = lists:append(lists:duplicate(20000, T)), B2 = unicode:characters_to_binary(L),
        {byte_size(B2), unicode:characters_to_list(B2) =:= L} end),
    see:value(bin_is_7bit, [unicode:bin_is_7bit(B) || B <- [<<>>, <<"a">>, <<"abc">>, <<200>>, <<"a", 200>>, <<1:3>>,
        binary:copy(<<"a">>, 100)]]),
    see:value(string, [string:length(T), string:uppercase("straße λ"), string:lowercase("ÅÄÖ"), string:titlecase("ab"),
        string:casefold("ß"), string:reverse("e\x{301}a"), string:to_graphemes("e\x{301}a")]),
    see:fails([fun() -> unicode:characters_to_binary(see:id(a)) end, fun() -> unicode:characters_to_list([a]) end,
        fun() -> unicode:characters_to_binary("a", see:id(utf9)) end,
    fun() -> unicode:characters_to_list(see:id(<<1:3>>)) end]).

catch_it(F) -> try F() catch error:R -> R end.
