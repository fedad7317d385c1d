%% io_lib beside format: writing, printable tests, fread, scanning, chars_limit.
-module(io_lib_functions).
-export([main/0]).

main() ->
    see:value(write, [lists:flatten(io_lib:write(T)) || T <- [a, 'B c', 1.5, "ab", {x, [y]}, <<1>>, #{a => b}]]),
    see:value(depth, [lists:flatten(io_lib:write({a, {b, {c, [1, 2, 3, 4]}}}, D)) || D <- [1, 2, 3, 4, 5]]),
    see:value(atoms, [lists:flatten(io_lib:write_atom(A)) || A <- ['a b', 'end', abc, 'A', '\n', 'λ', 'å']]),
    see:value(strings, [lists:flatten(io_lib:write_string(S)) || S <- ["a\"b", "\n\t\e", [1, 200], "λ"]]),
    see:value(chars, [lists:flatten(io_lib:write_char(C)) || C <- [$a, $\n, $\s, 955]]),
    see:value(printable, [{io_lib:printable_list(L), io_lib:printable_latin1_list(L), io_lib:printable_unicode_list(L)}
        || L <- ["abc", [1], "å", "λ", [], [a], "x\n", [16#d800]]]),
    see:value(predicates, [io_lib:char_list("abc"), io_lib:deep_char_list(["a", ["b"]]), io_lib:latin1_char_list("λ"),
        io_lib:quote_atom('a b', [])]),
    see:value(indent, io_lib:indentation("abc\nde", 2)),
    see:value(fread, [io_lib:fread(F, S) || {F, S} <- [{"~d", "42 rest"}, {"~d ~d", "1 2"}, {"~s", "word next"},
        {"~f", "1.5"}, {"~c", "x"}, {"~a", "atom"}, {"~u", "7"}, {"~x", "a"}, {"~16u", "ff"}, {"abc~d", "abc5"},
    {"~*d~d", "1 2"}, {"~d", "x"}, {"~d", ""}, {"~2c", "ab"}, {"~#", "16#ff"}, {"~-", "-5"}, {"~l~d", "5"}]]),
    see:value(limited, [lists:flatten(io_lib:format("~p", [lists:seq(1, 100)], [{chars_limit, N}]))
        || N <- [0, 10, 50, 1000]]),
    see:value(limited_w, lists:flatten(io_lib:format("~w ~s", [lists:seq(1, 100), "text"], [{chars_limit, 30}]))),
    see:value(scanned, begin S = io_lib:scan_format("~10.3w and ~s", [a, "b"]), lists:flatten(io_lib:build_text(S))
        end),
    see:value(print, lists:flatten(io_lib:print({a, "b", [c]}, 5, 20, -1))),
    see:value(nl, lists:flatten(["a", io_lib:nl()])),
    see:value(bwrite, io_lib:limit_term(lists:seq(1, 10), 3)),
    see:value(latin1, lists:flatten(io_lib:write_string_as_latin1("λå"))),
    io:put_chars("put_chars\n"), io:put_chars(<<"binary λ\n"/utf8>>), io:write({a, "b"}), io:nl(),
    io:fwrite("~s~n", ["fwrite"]), io:format("no arguments~n"),
    io:format("~ts~n", [<<"utf8 λ binary"/utf8>>]),
    see:value(columns, [io:columns(), io:rows()]),
    see:value(getopts, lists:sort([K || {K, _} <- io:getopts()])),
    see:value(precision, io_lib:format("~.1f ~.15f", [0.15, 0.1])),
    see:value(eof, [io:get_line(""), io:get_chars("", 1), io:read(""), io:fread("", "~d")]).
