%% Text of several scripts: converted, normalised, folded, cut into graphemes.
-module(compute_unicode).
-export([run/0]).

run() ->
    Text = <<"Größe und Maß, ångström, Ελλάδα, Привет мир, 日本語のテキスト, e\x{301}te\x{301}. "/utf8>>,
    loop(200, binary:copy(Text, 4), 0).

loop(0, _, Sum) -> Sum;
loop(N, Text, Sum) ->
    Characters = unicode:characters_to_list(Text),
    Upper = string:uppercase(Text),
    Folded = string:casefold(Characters),
    Composed = unicode:characters_to_nfc_binary(Text),
    Decomposed = unicode:characters_to_nfd_list(Characters),
    Words = string:lexemes(Text, " ,."),
    Utf16 = unicode:characters_to_binary(Characters, utf8, {utf16, little}),
    Parts = [string:length(Text), length(Characters), byte_size(Upper), length(Folded), byte_size(Composed),
        length(Decomposed),
             length(Words), byte_size(Utf16), length(string:to_graphemes(Text)), string:length(string:reverse(Text))],
    loop(N - 1, Text, lists:sum(Parts) + Sum).
