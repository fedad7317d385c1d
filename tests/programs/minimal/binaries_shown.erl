%% Binaries built and matched, small and large.
-module(binaries_shown).
-export([main/0]).
-export([id/1]).

main() ->
    erlang:display(<<>>),
    B = id(<<1, 2, 3, 4, 5, 6, 7, 8>>),
    erlang:display(B),
    <<X:16, Y:16/little, Rest/binary>> = B,
    erlang:display({X, Y, Rest}),
    <<Hi:4, Lo:4, _/bits>> = id(<<16#A5, 0>>),
    erlang:display({Hi, Lo}),
    erlang:display(<<1:1, 0:1, 1:1>>),
    erlang:display(byte_size(B)),
    erlang:display(binary_to_list(<<"hello">>)),
    erlang:display(list_to_binary([1, [2, <<3, 4>>], 5])),
    Large = id(list_to_binary(fill(1000))),
    erlang:display(byte_size(Large)),
    <<_:990/binary, Last/binary>> = Large,
    erlang:display(Last),
    erlang:display(<<Large/binary, Large/binary>> =:= <<Large/binary, Large/binary>>),
    erlang:display(sum(Large, 0)),
    erlang:display(<< <<(C + 1)>> || <<C>> <= <<"HAL">> >>).

fill(0) -> [];
fill(N) -> [N rem 256 | fill(N - 1)].

sum(<<>>, Sum) -> Sum;
sum(<<Byte, Rest/binary>>, Sum) -> sum(Rest, Sum + Byte).

id(X) -> X.
