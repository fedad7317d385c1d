%% args: +S 1:1
%% What reads or writes many megabytes in one call lets another process have several turns meanwhile.
-module(others_meanwhile).
-export([main/0]).

main() ->
    Large = binary:copy(<<"abcdefgh">>, 8 bsl 20),
    Turns = counters:new(1, []),
    Other = spawn_link(fun() -> count(Turns) end),
    Calls = [
        {longest_common_prefix,
            fun() -> binary:longest_common_prefix([Large, binary:part(Large, 0, byte_size(Large) - 1)]) end},
        {longest_common_suffix,
            fun() -> binary:longest_common_suffix([Large, binary:part(Large, 8, byte_size(Large) - 8)]) end},
        {iolist_to_binary, fun() -> erlang:crc32(iolist_to_binary([1, Large, [2 | Large]])) end},
        {list_to_bitstring, fun() -> Bits = list_to_bitstring([<<1:1>>, Large, <<5:3>>]),
            {bit_size(Bits), erlang:crc32(<<Bits/bits, 0:4>>)} end},
        {many, fun() -> erlang:crc32(list_to_binary(lists:duplicate(4000, [binary:part(Large, 0, 30000), 3]))) end}
    ],
    [see:value(Name, seen(Turns, Call)) || {Name, Call} <- Calls],
    unlink(Other),
    exit(Other, kill).

count(Turns) ->
    counters:add(Turns, 1, 1),
    erlang:yield(),
    count(Turns).

seen(Turns, Call) ->
    Before = counters:get(Turns, 1),
    Result = Call(),
    {Result, counters:get(Turns, 1) - Before > 3}.
