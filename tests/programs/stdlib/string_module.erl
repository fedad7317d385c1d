%% The string module, old and new functions.
-module(string_module).
-export([main/0]).

main() ->
    see:value(basic, [string:length("aåλ"), string:is_empty(""), string:equal("a", <<"a">>), string:reverse("abc"),
        string:slice("hello", 1, 3), string:slice(<<"hello">>, 2)]),
    see:value(case_, [string:uppercase("abcß"), string:lowercase("ABC"), string:titlecase("abc def"),
        string:casefold("ABCß"), string:to_upper("aå"), string:to_lower("AÅ")]),
    see:value(trim, [string:trim("  x  "), string:trim("  x  ", leading), string:trim("xxaxx", both, "x"),
        string:trim(<<" \n a \t">>), string:chomp("line\r\n"), string:strip("  a "), string:strip("..a..", both, $.)]),
    see:value(pad, [string:pad("ab", 5), string:pad("ab", 5, leading, $*), string:pad("ab", 5, both),
        string:pad("abcdef", 3), string:left("ab", 4), string:right("ab", 4), string:centre("ab", 6)]),
    see:value(split, [string:split("a,b,c", ","), string:split("a,b,c", ",", all), string:split("a,b,c", ",", trailing),
        string:lexemes("a, b;c", ", ;"), string:tokens("a,,b", ","), string:split(<<"a b">>, " ")]),
    see:value(find, [string:find("hello world", "o"), string:find("hello world", "o", trailing),
        string:find("abc", "x"), string:prefix("prefix", "pre"), string:prefix("x", "pre"), string:str("hello", "l"),
    string:rstr("hello", "l"), string:chr("abc", $b), string:rchr("aba", $a), string:span("aab", "a"),
    string:cspan("aab", "b")]),
    see:value(replace, [string:replace("aXbX", "X", "-"), string:replace("aXbX", "X", "-", all),
        lists:flatten(string:replace("aXbX", "X", "", all))]),
    see:value(numbers, [string:to_integer("12abc"), string:to_float("1.5x"), string:to_float("x"),
        string:to_integer("-7")]),
    see:value(joins, [string:join(["a", "b"], ", "), string:concat("a", "b"), string:copies("ab", 3),
        string:chars($x, 3), string:words("a b  c"), string:sub_word("a b c", 2), string:substr("hello", 2, 3),
    string:sub_string("hello", 2, 3)]),
    see:value(take, [string:take("abc123", lists:seq($a, $z)), string:take("abc123", lists:seq($0, $9), true),
        string:take("abc123", lists:seq($0, $9), false, trailing)]),
    see:value(graphemes, [string:to_graphemes("e\x{301}x"), string:next_grapheme("e\x{301}x"),
        string:next_codepoint("λx"), string:length("e\x{301}"), string:length("👨‍👩‍👧"), string:to_graphemes("\r\n")]),
    see:value(nth_lexeme, [string:nth_lexeme("a b c", 2, " "), string:equal("e\x{301}", "é", false, nfc),
        string:equal("ABC", "abc", true)]),
    see:value(formatted, [lists:concat(["a", 1, b]), integer_to_list(5), string:uppercase(<<"binary λ"/utf8>>)]).
