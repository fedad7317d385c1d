%% Comprehensions over what is being matched: a function's other clauses have begun to match the binary, which the
%% compiler of later releases hands on as it is. Stock 25 ends itself where what it handed on so is bad and told in an
%% error.
%% releases: 27 29
-module(generators_of_matched).
-export([main/0]).

main() ->
    Binaries = [<<>>, <<1>>, <<1, 2>>, <<1:3>>, <<1:12>>, binary:copy(<<7>>, 30)],
    [see:value({Name, bit_size(B)}, Fun(see:id(B)))
     || {Name, Fun} <- [{no_size, fun no_size/1}, {strings, fun strings/1}, {lists, fun lists/1}, {rests, fun rests/1}],
        B <- Binaries],
    [see:that({Name, Bad}, fun() -> Fun(see:id(Bad)) end)
     || {Name, Fun} <- [{no_size, fun no_size/1}, {lists, fun lists/1}], Bad <- [none, [1], 7]].

%% No element fits: its size is no number.
no_size(<<_:16>>) -> two;
no_size(Bits) ->
    try << <<0>> || <<_:none>> <= Bits >> after ok end.

strings(<<1, 2>>) -> one_and_two;
strings(Bits) ->
    try << <<(B + 1)>> || <<B>> <= Bits >> after ok end.

lists(<<1>>) -> one;
lists(Bits) ->
    try [B || <<B:4>> <= Bits] after ok end.

%% The rest after the first byte, and all of it where there is none.
rests(<<_, Rest/bits>> = All) ->
    {<< <<(not_none(B))>> || <<B>> <= Rest >>, [B || <<B:2>> <= All]};
rests(Bits) ->
    << <<B:1>> || <<B:1>> <= Bits >>.

not_none(B) when is_bitstring(B) -> none;
not_none(B) -> B.
