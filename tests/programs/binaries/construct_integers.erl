%% Integer segments: every size, signedness and endianness, values that don't fit.
-module(construct_integers).
-export([main/0]).

main() ->
    Values = [0, 1, -1, 127, 128, 255, 256, -128, -129, 16#123456789abcdef, 1 bsl 64, -(1 bsl 64) - 5,
        16#fedcba98765432100123456789],
    Sizes = [0, 1, 3, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 40, 48, 59, 60, 63, 64, 65, 72, 100, 128],
    [io:format("~w big ~w~n", [V, [<<V:S/big>> || S <- Sizes]]) || V <- Values],
    [io:format("~w little ~w~n", [V, [<<V:S/little>> || S <- Sizes]]) || V <- Values],
    [io:format("~w native ~w~n", [V, <<V:32/native>> =:= <<V:32/little>>]) || V <- Values],
    %% At every bit offset.
    [io:format("offset ~w ~w~n", [O, [<<0:O, V:S>> || V <- [5, -5, 16#abcdef], S <- [1, 5, 8, 13, 16, 31, 64]]])
        || O <- lists:seq(1, 8)],
    [io:format("offset ~w little ~w~n",
        [O, [<<(see:id(-1)):O, V:S/little, 1:1>> || V <- [5, -5, 16#abcdef], S <- [1, 5, 8, 13, 16, 31, 64]]])
        || O <- lists:seq(0, 7)],
    [io:format("unit ~w ~w~n", [U, u(U, see:id(3))]) || U <- [1, 2, 8, 16]],
    io:format("~w~n", [[<<1, 2:4, 3:4>>, <<1:1, 2:2, 3:3, 4:4, 5:5, 6:6>>,
        <<"abc", 1:16, "d":16, "ef"/little-utf16>>]]).

u(1, N) -> <<16#abcd:N/unit:1>>;
u(2, N) -> <<16#abcd:N/unit:2>>;
u(8, N) -> <<16#abcd:N/unit:8>>;
u(16, N) -> <<16#abcd:N/little-unit:16>>.
