%% Every control sequence of io_lib:format, with widths, precisions and padding.
-module(io_lib_formats).
-export([main/0]).

main() ->
    Terms = [atom, 'quoted atom', 'λ', 1, -17, 1 bsl 70, 1.5, -0.0, 1.0e100, "string", "λ string", [1, 2, 3], [a | b],
        <<"binary">>, <<1, 2, 3>>, <<"λ"/utf8>>, <<5:3>>, {}, {a, "b", 1.0}, #{}, #{k => "v"}, [], [[]], [65, 66, 300],
    fun lists:map/2],
    [io:format("~s~n", [io_lib:format("~w|~p|~tw|~tp", [T, T, T, T])]) || T <- Terms, not has_wide(T)],
    [io:format("~ts~n", [io_lib:format("~tw|~tp|~0tp", [T, T, T])]) || T <- Terms],
    f("~a ~ta ~10a|~-10a|", [abc, 'λ', abc, abc]),
    f("~s ~10s|~-10s|~10.3s|~-10.3s|~.2s|~10..*s|", ["abc", "abc", "abc", "abcdef", "abcdef", "abcdef", "abc"]),
    f("~ts ~10ts|", ["λå", "λå"]), f("~s ~s ~s", ["iolist", ["of ", <<"parts">>], abc]),
    f("~c~c ~5c|~-5c|~3.2c|~tc", [$a, $b, $x, $y, $z, 16#3bb]),
    f("~b ~B ~.16b ~.16B ~.2b ~10b|~-10b|~10..0b|~.36b", [10, -10, 255, 255, 5, 42, 42, 42, 123456]),
    f("~x ~X ~.16x ~.8X", [10, "0d", -255, "minus", 255, "0x", 64, "0"]),
    f("~# ~.16# ~.2# ~.36#", [10, 255, -5, 1000]), f("~+ ~.16+ ~.8+", [10, 255, 8]),
    [f("~f ~.2f ~.0f ~10.3f|~-12.2f|~e ~.3e ~.10e ~g ~.3g ~15.4g|", lists:duplicate(11, F))
        || F <- [0.0, 1.0, -1.5, 3.14159, 123456.789, 1.0e-5, 0.05, 99.995, 1.0e15]],
    [f("~e ~.3e ~g ~w ~p", lists:duplicate(5, F)) || F <- [1.0e100, 1.0e-100, 1.7976931348623157e308, 5.0e-324, 0.1,
        1 / 3]],
    f("~w ~10w|~-10w|~10..*w|~3w", [abc, abc, abc, abc, abcdef]),
    f("~p ~10p|~20p|~-5p", [{a, b}, [1, 2, 3], "abc", x]),
    f("~W ~W ~P ~P", [lists:seq(1, 20), 5, {a, {b, {c, {d}}}}, 3, lists:seq(1, 20), 8, "a long string that is cut", 5]),
    f("~~ ~n~i~w", [ignored, shown]), f("~*w|~-*w|~*.*f|", [6, a, 6, b, 10, 2, 1.5]),
    f("~0p ~0p", [lists:seq(1, 60), {lists:duplicate(30, long_atom_name)}]),
    f("~p", [lists:seq(1, 60)]), f("~p", [{record, lists:duplicate(30, long_atom_name), "and a string that follows"}]),
    f("~p", [#{1 => lists:seq(1, 40), 2 => #{3 => "nested", 4 => [{x, y} || _ <- lists:seq(1, 20)]}}]),
    f("~p", [[{name, "Joe"}, {age, 42},
        {address, [{street, "A long street name in a city"}, {number, 17}, {country, 'Sweden'}]}]]),
    f("~p", [binary:copy(<<"a long binary ">>, 20)]),
    f("~p", [lists:append(lists:duplicate(10, "a long string which wraps "))]),
    f("~lp ~lw ~ltp", ["abc", "abc", [955]]), f("~kp", [#{b => 1, a => 2}]),
    [see:that(F, fun() -> lists:flatten(io_lib:format(F, A)) end) || {F, A} <- [{"~w", []}, {"~w", [1, 2]}, {"~q", [1]},
        {"~b", [a]}, {"~s", [1]}, {"~s", [[a]]}, {"~f", [1]}, {"~f", [x]}, {"~c", [x]}, {"~s", ["λ"]}, {"~", []},
    {"~.x", [1]}, {"~a", ["x"]}, {"~x", [1]}]].

f(F, A) -> io:format("~ts~n", [try io_lib:format(F, A) catch error:R -> io_lib:format("~s: ~w", [F, R]) end]).

has_wide('λ') -> true;
has_wide(_) -> false.
