%% Atoms and strings: escapes, unicode, concatenation, quoting.
-module(strings_and_atoms).
-export([main/0]).

main() ->
    see:value(atoms, ['', a, 'A', 'with space', 'quote\'d', 'åäö', 'λ', '日本', 'new\nline', 'a@b_c', true, 'end', '1a',
        'ABC', []]),
    io:format("~w ~tw ~p ~tp~n", ['λ', 'λ', 'λ', 'λ']),
    see:value(strings, ["plain", "tab\tnew\n", "quote\"d", "åäö", "λ", [1, 2, 3], [0], "\e\d", [$a, 300], [$a | b]]),
    io:format("~w ~p ~tp ~s ~ts~n", ["åäö", "åäö", "åäö", "åäö", "åäö"]),
    io:format("~tp ~ts ~w~n", ["λ日", "λ日", "λ日"]),
    see:value(joined, "adjacent " "strings " "are one"),
    see:value(appended, "ab" ++ "cd" ++ see:id("ef")),
    see:value(converted, [atom_to_list('λ'), list_to_atom("λ"), atom_to_binary('λ'), binary_to_atom(<<206, 187>>),
                          atom_to_binary('å', latin1), atom_to_binary('å', utf8), binary_to_atom(<<229>>, latin1)]),
    see:value(existing, list_to_existing_atom("main")),
    see:value(same, list_to_atom("abc") =:= abc),
    see:value(length, length(atom_to_list(list_to_atom(lists:duplicate(255, $x))))),
    see:value(wide, length(atom_to_list(list_to_atom(lists:duplicate(255, 16#3bb))))),
    see:value(order, lists:sort([b, a, 'B', 'λ', 'å', aa, '', ab])),
    see:fails([fun() -> list_to_atom(lists:duplicate(256, $x)) end,
               fun() -> list_to_atom([a]) end, fun() -> list_to_atom([-1]) end, fun() -> list_to_atom([16#110000]) end,
               fun() -> list_to_existing_atom("no such atom " ++ integer_to_list(see:id(77777))) end,
               fun() -> binary_to_atom(<<255>>) end, fun() -> atom_to_binary('λ', latin1) end,
               fun() -> atom_to_list(see:id("x")) end, fun() -> binary_to_atom(<<"a">>, see:id(utf7)) end,
               fun() -> binary_to_existing_atom(list_to_binary([<<"nosuch">>, "atom2"])) end]),
    %% What is too long is told before what is no text behind the limit.
    Long = fun(Size, Rest) -> list_to_binary([lists:duplicate(Size, $x), Rest]) end,
    see:fails([fun() -> byte_size(atom_to_binary(F(Long(Size, Rest)))) end
               || F <- [fun erlang:binary_to_atom/1, fun erlang:binary_to_existing_atom/1],
                  {Size, Rest} <- [{254, [255]}, {255, [255]}, {256, [255]}, {256, [255, 0]}, {255, [206]},
                      {512, [255]},
                                   {255, []}, {256, []}, {253, [206, 187, 206, 187]}, {254, [206, 187, 206, 187]},
                                   {254, [206, 187, 206]}, {255, [206, 187, 206]}]]).
