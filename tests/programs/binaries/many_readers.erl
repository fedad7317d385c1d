%% A hundred thousand integers are read, or not, in one slice: operations that follow each other must not pile up on the
%% stack of the machine's thread.
%% erlc: +no_ssa_opt +no_bsm_opt +no_copt +no_postopt
-module(many_readers).
-export([main/0]).

main() ->
    Binary = binary:copy(<<16#AB>>, 16),
    see:value(found, [tries(Binary, Size, 1000) || Size <- [see:id(10), 33, 64, 65, 100]]),
    see:value(read, [reads(Binary, Size, 1000, 0) || Size <- [see:id(10), 33, 64, 65, 100]]).

%% Each clause is tried and fails at its end, but for the last one.
tries(_, _, 0) -> done;
tries(Binary, Size, Left) ->
    case Binary of
        <<_:Size, 0:1, 1:1, 1:1, 1:1>> -> 1;
        <<_:Size/signed, 0:200>> -> 2;
        <<A:Size, A:Size, A:Size, 0>> -> 3;
        <<_:Size/little, _:Size, 1:1000>> -> 4;
        <<_:Size, _:Size/signed, 1:1001>> -> 5;
        <<_:Size, _:Size, 1:1002>> -> 6;
        <<_:Size, _:Size/little-signed, 1:1003>> -> 7;
        <<_:Size, _:Size, 1:1004>> -> 8;
        <<_:Size, B:Size, B:Size, B:Size, B:Size, B:Size, B:Size, B:Size, B:Size, B:Size, B:Size, B:Size>> -> 9;
        <<_:Size, _/bits>> -> tries(Binary, Size, Left - 1)
    end.

reads(_, _, 0, Sum) -> Sum;
reads(Binary, Size, Left, Sum) ->
    <<A:Size, _/bits>> = Binary,
    <<B:Size/little, _/bits>> = Binary,
    <<C:Size/signed, _/bits>> = Binary,
    <<D:Size/little-signed, _/bits>> = Binary,
    reads(Binary, Size, Left - 1, Sum + A + B + C + D).
