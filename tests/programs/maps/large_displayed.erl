%% Large maps as erlang:display shows them: from OTP 27 on in pieces, as the map holds them.
-module(large_displayed).
-export([main/0]).

main() ->
    [erlang:display(map(Count)) || Count <- [33, 40, 100, 1000]],
    erlang:display([#{map(40) => {map(50)}}]).

map(Count) -> maps:from_list([{I, I} || I <- lists:seq(1, Count)]).
