%% integer_to_list, list_to_integer and their binary forms, in all bases.
-module(integer_text).
-export([main/0]).

main() ->
    Numbers = [0, 1, -1, 9, 10, 35, 36, 255, -256, 1 bsl 59, -(1 bsl 59), 1 bsl 64, (1 bsl 64) - 1,
               -(1 bsl 200), 123456789012345678901234567890123456789],
    [io:format("~w ~s~n", [N, lists:join(" ", [integer_to_list(N, Base) || Base <- lists:seq(2, 36)])])
     || N <- Numbers],
    [begin
         N = list_to_integer(integer_to_list(N, Base), Base),
         N = list_to_integer(string:lowercase(integer_to_list(N, Base)), Base),
         N = binary_to_integer(integer_to_binary(N, Base), Base)
     end || N <- Numbers, Base <- lists:seq(2, 36)],
    io:format("~w~n", [[list_to_integer(L) || L <- ["0", "-0", "+7", "007", "-12", "123456789012345678901"]]]),
    Bad = ["", "-", "+", " 1", "1 ", "1.0", "a", "--1", "0x10", [1], [-1], "12345678901234567890a"],
    [see:that({L}, fun() -> list_to_integer(L) end) || L <- Bad],
    [see:that(L, fun() -> binary_to_integer(list_to_binary(L)) end) || L <- ["", "-", "1 ", "z"]],
    see:all([{"base 37", fun() -> list_to_integer("1", see:id(37)) end},
             {"base 1", fun() -> integer_to_list(1, see:id(1)) end},
             {"digit too large", fun() -> list_to_integer("129", 8) end},
             {"improper", fun() -> list_to_integer(see:id([$1 | $2])) end},
             {"atom", fun() -> integer_to_list(see:id(a)) end},
             {"float", fun() -> integer_to_binary(see:id(1.0)) end},
             {"bits", fun() -> binary_to_integer(see:id(<<1:3>>)) end},
             {"string:to_integer", fun() -> [string:to_integer(S) || S <- ["12ab", "ab", "-5", "+", ""]] end}]),
    Long = lists:duplicate(3000, $7),
    Long = integer_to_list(list_to_integer(Long)),
    io:format("~w~n", [erlang:phash2(list_to_integer(Long))]).
