%% How long a process waits for its turn while another process calls a built-in function with a large argument.
%%
%%   erl +S 1:1 -noshell -s answers while lists 100 -s erlang halt
%%
%% prints a line `OPERATION: MICROSECONDS` for each operation of a family on a value of that many megabytes. One process
%% does the operation, while another one wants to run every millisecond and reports by how much it was late at worst.
%% The figure is the least of three runs, because the host causes pauses too.
-module(answers).
-export([while/1]).

-define(ROUNDS, 3).

while([Family, Megabytes]) ->
    Bytes = list_to_integer(atom_to_list(Megabytes)) * 1000000,
    [io:format("~s: ~b~n", [Operation, lists:min([late(Fun) || _ <- lists:seq(1, ?ROUNDS)])])
        || {Operation, Fun} <- operations(Family, Bytes)].

%% The most microseconds by which the other process was late.
late(Fun) ->
    Other = spawn(fun() -> tick(erlang:monotonic_time(microsecond), 1) end),
    {Busy, Ref} = spawn_monitor(Fun),
    receive {'DOWN', Ref, process, Busy, normal} -> ok end,
    Other ! {stop, self()},
    receive {late, Micros} -> Micros end.

tick(Last, Most) ->
    receive
        {stop, From} -> From ! {late, later(Last, Most)}
    after 1 ->
        tick(erlang:monotonic_time(microsecond), later(Last, Most))
    end.

later(Last, Most) -> max(Most, erlang:monotonic_time(microsecond) - Last - 1000).

%% A list cell takes 16 bytes; the results of listing and splitting take several times the memory of their argument.
operations(lists, Bytes) ->
    List = lists:seq(1, Bytes div 16),
    Part = lists:seq(1, Bytes div 48),
    [{append, fun() -> List ++ [last] end},
     {subtract, fun() -> List -- Part end},
     {reverse, fun() -> lists:reverse(List) end},
     {sort, fun() -> lists:sort(List) end},
     {map, fun() -> lists:map(fun(X) -> {X, X} end, Part) end},
     {hash, fun() -> erlang:phash2(List) end},
     {encode, fun() -> term_to_binary(List) end},
     {collect, fun() -> garbage_collect(), hd(List) end}];
operations(binaries, Bytes) ->
    Binary = binary:copy(<<"abcdefghij">>, Bytes div 10),
    Part = binary:copy(<<"abcdefghij">>, Bytes div 100),
    Text = binary:copy(<<"a", 16#f6/utf8>>, Bytes div 30),
    [{match, fun() -> binary:match(Binary, <<"xyz">>) end},
     {matches, fun() -> binary:matches(Part, <<"c">>) end},
     {split, fun() -> binary:split(Part, <<"j">>, [global]) end},
     {to_list, fun() -> binary_to_list(Part) end},
     {characters, fun() -> unicode:characters_to_list(Text) end},
     {run, fun() -> re:run(Binary, "x.*y") end},
     {md5, fun() -> erlang:md5(Binary) end},
     {hash, fun() -> erlang:phash2(Binary) end},
     {copy, fun() -> binary:copy(Binary, 2) end}].
