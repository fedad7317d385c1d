%% Shared binaries: passed around, cut up, dropped, many of them.
-module(large_binaries).
-export([main/0]).

main() ->
    Big = binary:copy(<<"0123456789abcdef">>, 65536),
    see:value(size, byte_size(Big)),
    Self = self(),
    Pids = [spawn(fun() -> receive B -> Self ! {N, erlang:phash2(binary:part(B, N * 1000, 5000))} end end)
        || N <- lists:seq(1, 50)],
    [P ! Big || P <- Pids],
    see:value(hashes, [receive {N, H} -> H end || N <- lists:seq(1, 50)]),
    Parts = [binary:part(Big, N, 100) || N <- lists:seq(0, 100000, 100)],
    see:value(parts, {length(Parts),
        erlang:phash2(iolist_to_binary(Parts)) =:= erlang:phash2(binary:part(Big, 0, 100100))}),
    see:value(churn, churn(500, 0)),
    see:value(mixed, mixed(1000)),
    see:value(iolist, iolist_size([Big, [Big | Parts], 65])),
    see:value(equal, binary:copy(Big) =:= Big),
    see:value(compare, [<<Big/binary, 0>> > Big, binary:part(Big, 0, 1000) < Big]),
    see:value(to_list, length(binary_to_list(Big))),
    see:value(back, list_to_binary(binary_to_list(Big)) =:= Big),
    see:value(split, begin {X, Y} = split_binary(Big, 500000), {byte_size(X), byte_size(Y)} end).

churn(0, Sum) -> Sum;
churn(N, Sum) -> B = binary:copy(<<N>>, 100000), churn(N - 1, Sum + binary:at(B, N)).

mixed(N) ->
    Bs = [binary:copy(<<X>>, X rem 200) || X <- lists:seq(1, N)],
    erlang:garbage_collect(),
    lists:sum([byte_size(B) || B <- Bs]).
